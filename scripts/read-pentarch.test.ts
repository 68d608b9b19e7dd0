import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '..');
const page = readFileSync(path.join(root, 'docs', 'read-pentarch.md'), 'utf8');
const quoted = [...page.matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text);
const steps = path.join('server', 'src', 'features', 'chat', 'run', 'steps');

describe('the page that leads through the code', () => {
  it('names files that are there', () => {
    const paths = quoted.filter((text) => /^server\/.*\w$/.test(text));
    expect(paths.length).toBeGreaterThan(15);
    expect(paths.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  });

  it('lists every step of a run, and no other', () => {
    const listed = [...page.matchAll(/^\| [\w ]+ \| `([\w-]+\.ts)` \|/gm)].map(([, file]) => file);
    const files = readdirSync(path.join(root, steps));
    expect([...listed].sort()).toEqual(files.sort());
  });

  it('has each step in the order and under the name in which ARCHITECTURE.md lists it', () => {
    const drawn = readFileSync(path.join(root, 'ARCHITECTURE.md'), 'utf8')
      .split('\n')
      .filter((line) => /^ {2}[a-z ]+(→|$)/.test(line))
      .flatMap((line) => line.split('→'))
      .map((name) => name.trim())
      .filter((name) => name !== '…');
    const listed = [...page.matchAll(/^\| ([\w ]+) \| `[\w-]+\.ts` \|/gm)].map(([, name]) => name);
    expect([...new Set(drawn)]).toEqual(listed);
  });
});
