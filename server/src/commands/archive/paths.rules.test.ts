import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import { filesFault, isBelow } from './paths.rules.ts';

describe('paths of an archive', () => {
  it(req('OPS-11', 'lead below the folder by every reading of them, or are refused'), () => {
    const part = fc.oneof(
      fc.constantFrom(
        '..',
        '.',
        '',
        'a',
        'files',
        'keys',
        '~',
        'con',
        'a:b',
        '\\',
        '..\\',
        '\u0000',
        '%2e%2e',
      ),
      fc.string({ maxLength: 8 }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const given = ['files/own', ...parts].join('/');
        if (!isBelow(given, 'files/own')) return;
        for (const system of [path.posix, path.win32]) {
          const root = system.resolve('/data/files/own');
          expect(system.resolve('/data', given).startsWith(root + system.sep)).toBe(true);
        }
        expect(path.posix.normalize(given)).toBe(given);
      }),
    );
  });

  it.each([
    'keys/identity.key',
    '/files/own/x',
    'files/own',
    'files/own/',
    'files/own/../x',
    'files/owner/x',
    'files/own/a//b',
    'files/own/./b',
  ])('%s is refused', (given) =>
    expect(filesFault([{ n: 1, path: given }], ['files/own'])).toMatch(/outside of/),
  );

  it('takes a plain path, and none twice', () => {
    expect(filesFault([{ n: 1, path: 'files/own/a/b.txt' }], ['files/own'])).toBeNull();
    const twice = (one: string, two: string) =>
      filesFault(
        [
          { n: 1, path: one },
          { n: 2, path: two },
        ],
        ['files/own'],
      );
    expect(twice('files/own/a', 'files/own/a')).toMatch(/twice/);
    expect(twice('files/own/a', 'files/own/A')).toMatch(/twice/);
    expect(twice('files/own/a', 'files/own/b')).toBeNull();
  });
});
