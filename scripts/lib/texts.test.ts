import { describe, expect, it } from 'vitest';
import { lockFaults, textFaults } from './texts.ts';

const reasons = (file: string, text: string): string[] => textFaults(file, text).map((fault) => fault.reason);

describe('textFaults', () => {
  it.each([
    ['server/src/a.ts', `const f = '/ho${'me/ann'}/x';`, 'a path of this machine'],
    ['README.md', `see /wo${'rk'}/main`, 'a path of this machine'],
    ['docs/a.md', `https://registry.${'npmjs'}.org/x`, 'a registry’s host name'],
    ['server/src/a.ts', `key = 'sk-${'a'.repeat(30)}'`, 'a secret'],
    ['server/src/a.ts', '// TODO later', 'unfinished work; finish it or file an issue'],
    ['server/src/a.test.ts', "it.only('x', () => {})", 'a test that is switched off or runs alone'],
    ['server/src/a.test.ts', "describe.skip('x', () => {})", 'a test that is switched off or runs alone'],
    ['server/src/a.ts', 'const x = process.env.HOME', 'the environment is read in config.ts alone'],
    ['server/src/a.ts', '// @ts-ig' + 'nore', 'a switched-off type check'],
    ['docs/a.md', `text\n${'<'.repeat(7)} HEAD\n`, 'a conflict marker of a merge'],
  ])('finds in %s: %s', (file, text, reason) => {
    expect(reasons(file, text)).toEqual([reason]);
  });

  it.each([
    ['server/src/a.ts', "route({ path: '/v2/homework/x' }); // asks any caller"],
    ['server/src/config.ts', 'load(process.env)'],
    ['server/src/a.ts', "skip(1); only(2); const url = 'https://example.test/home/'"],
    ['server/src/a.ts', "process.env.LIBRARY_QUIET = '1'"],
    ['README.md', 'A TODO list is a document like any other.'],
  ])('leaves %s alone: %s', (file, text) => {
    expect(reasons(file, text)).toEqual([]);
  });

  it('says the line', () => {
    expect(textFaults('a.ts', 'a\nb\n// FIXME\n')).toEqual([
      { line: 3, reason: 'unfinished work; finish it or file an issue' },
    ]);
  });
});

describe('lockFaults', () => {
  it('refuses addresses of downloads and takes those of funding pages', () => {
    expect(lockFaults('"resolved": "https://a.test/x.tgz",\n"url": "https://opencollective.com/x"')).toEqual([
      { line: 1, reason: 'a download address in the lock file' },
    ]);
  });
});
