import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { globMatches } from './glob.ts';

/** What a glob means, by trying each way; for short ones. */
const slowly = (glob: string, name: string): boolean => {
  if (glob === '') return name === '';
  if (glob[0] === '*') return slowly(glob.slice(1), name) || (name !== '' && slowly(glob, name.slice(1)));
  return name !== '' && (glob[0] === '?' || glob[0] === name[0]) && slowly(glob.slice(1), name.slice(1));
};

describe('globs', () => {
  it('mean what they say', () => {
    const glob = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?', '.'), maxLength: 8 });
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '.', '\n'), maxLength: 10 });
    fc.assert(
      fc.property(glob, name, (g, n) => {
        expect(globMatches(g, n)).toBe(slowly(g, n));
      }),
      { numRuns: 2_000 },
    );
  });

  // Each would take longer than the age of the world if stars were tried one after the other.
  it('with many stars are decided at once', () => {
    const name = 'a'.repeat(10_000);
    expect(globMatches(`${'*a'.repeat(90)}*b`, name)).toBe(false);
    expect(globMatches(`${'*?a'.repeat(60)}*b`, name)).toBe(false);
    expect(globMatches(`${'*a'.repeat(90)}*`, name)).toBe(true);
  });
});
