import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

/** docs/clients.md says of each feature in each language which test proves it: those tests must exist. */

const ROOT = path.join(import.meta.dirname, '..', '..', '..');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
const all = (pattern: string): string => globSync(pattern, { cwd: ROOT }).map(read).join('\n');

const LANGUAGES = [
  { tests: all('sdk/typescript/test/*.ts') + all('server/test/all/sdk-package.test.ts') },
  { tests: all('sdk/python/tests/*.py') + all('server/test/all/sdk-python.test.ts') },
  { tests: all('sdk/go/*_test.go') + all('server/test/all/sdk-go.test.ts') },
];

/** A vector file is run by the language's suite, a name is that of a test in it. */
const proves = (tests: string, name: string): boolean => {
  if (name.endsWith('.json')) {
    const cited = tests.includes(`'${name}'`) || tests.includes(`"${name}"`);
    return cited && existsSync(path.join(ROOT, 'sdk', 'vectors', name));
  }
  return (
    tests.includes(`it('${name}'`) ||
    tests.includes(`def ${name}(`) ||
    tests.includes(`func ${name}(t *testing.T)`)
  );
};

/** What stands in the cell beside the tests: how the language has it. */
const FORMS = new Set([
  'AbortSignal',
  'Cancellation',
  'errors.Is',
  'iter.Seq2',
  'fetch',
  'Transport',
  '*http.Client',
]);

const rows = read('docs/clients.md')
  .split('\n')
  .filter((line) => /^\| \w/.test(line))
  .map((line) => line.split('|').slice(1, -1))
  .filter((cells) => cells.length === 4);

it('has a row for each feature', () => {
  expect(rows.length).toBeGreaterThan(15);
});

it.each(rows.map(([feature = '', ...cells]) => [feature.trim(), cells] as const))('%s', (_feature, cells) => {
  for (const [n, cell] of cells.entries()) {
    const names = [...cell.matchAll(/`([^`]+)`/g)]
      .map(([, name = '']) => name)
      .filter((name) => !FORMS.has(name));
    expect(names).not.toEqual([]);
    const tests = LANGUAGES[n]?.tests ?? '';
    expect(names.filter((name) => !proves(tests, name))).toEqual([]);
  }
});
