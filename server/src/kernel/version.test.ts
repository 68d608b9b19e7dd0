import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { VERSION } from './version.ts';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
const manifest = (file: string): unknown => (JSON.parse(read(file)) as { version?: unknown }).version;

/** Where the release is written besides: packages and clients cannot import it, and images are named by it. */
describe('the release', () => {
  it.each(['package.json', 'server/package.json', 'cli/package.json', 'sdk/typescript/package.json'])(
    'stands in %s',
    (file) => {
      expect(manifest(file)).toBe(VERSION);
    },
  );

  it.each([
    ['cli/src/version.ts', `VERSION = '${VERSION}'`],
    ['sdk/python/pyproject.toml', `version = "${VERSION}"`],
    ['sdk/python/src/pentarch/_version.py', `VERSION = "${VERSION}"`],
    ['sdk/go/version.go', `Version = "${VERSION}"`],
    ['deploy/compose.yaml', `pentarch:${VERSION}`],
    ['deploy/helm/pentarch/Chart.yaml', `\nversion: ${VERSION}\n`],
    ['deploy/helm/pentarch/Chart.yaml', `\nappVersion: ${VERSION}\n`],
  ])('stands in %s', (file, text) => {
    expect(read(file)).toContain(text);
  });
});
