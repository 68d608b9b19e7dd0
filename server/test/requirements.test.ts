import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { REQUIREMENTS } from './requirements.ts';

const CITATION = /\breq\(\s*(\[[^\]]*\]|'[^']*')/g;

const citedIds = (): Set<string> => {
  const folder = path.join(import.meta.dirname, '..');
  const files = globSync(['test/**/*.test.ts', 'test/suites/*.ts', 'src/**/*.test.ts'], { cwd: folder });
  const texts = files.map((file) => readFileSync(path.join(folder, file), 'utf8'));
  return new Set(
    texts.flatMap((text) =>
      [...text.matchAll(CITATION)].flatMap((match) =>
        [...(match[1] ?? '').matchAll(/'([^']+)'/g)].map((id) => id[1] ?? ''),
      ),
    ),
  );
};

it('every requirement is cited by a test', () => {
  const cited = citedIds();
  expect(Object.keys(REQUIREMENTS).filter((id) => !cited.has(id))).toEqual([]);
});
