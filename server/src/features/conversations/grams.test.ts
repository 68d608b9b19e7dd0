import fc from 'fast-check';
import { expect, it } from 'vitest';
import { askedBuckets, eachBucket } from './grams.rules.ts';

const bucketsOf = (text: string): Set<number> => {
  const found = new Set<number>();
  eachBucket(text, (bucket) => found.add(bucket));
  return found;
};
const has = (text: string, piece: string): boolean => {
  const found = bucketsOf(text);
  return askedBuckets(piece).every((bucket) => found.has(bucket));
};

/** Characters whose small and large forms are peculiar, among ordinary ones. */
const letter = fc.oneof(
  fc.constantFrom(...'abcxyzABC äÖßẞσςΣıIſKéÉжЖ猫の🙂𐐀%_\\\n'),
  fc.string({ minLength: 1, maxLength: 2, unit: 'grapheme' }),
);
const text = fc.array(letter, { maxLength: 12 }).map((letters) => letters.join(''));

it('a text that holds a piece, in whatever case, has its buckets', () => {
  fc.assert(
    fc.property(text, text, text, fc.boolean(), (before, piece, after, large) => {
      // One character for one: an engine compares no other way.
      const cased = [...piece]
        .map((one) => {
          const other = large ? one.toUpperCase() : one.toLowerCase();
          return [...other].length === 1 ? other : one;
        })
        .join('');
      expect(has(before + cased + after, piece)).toBe(true);
    }),
    { numRuns: 3_000 },
  );
});

it('tells texts apart, and asks for nothing where a piece tells nothing', () => {
  expect(has('The harbour is closed in winter.', 'arbou')).toBe(true);
  expect(has('The harbour is closed in winter.', 'HARBOUR IS')).toBe(true);
  expect(has('The harbour is closed in winter.', 'harbours')).toBe(false);
  expect(has('港は冬の間閉まっています', '冬の間')).toBe(true);
  expect(has('港は冬の間閉まっています', '夏の間')).toBe(false);
  expect(has('Гавань закрыта', 'ГАВАНЬ')).toBe(true);
  expect(has('Гавань закрыта', 'открыта')).toBe(false);
  expect(askedBuckets('ab')).toEqual([]);
  expect(askedBuckets('')).toEqual([]);
  expect(askedBuckets('a very long piece of text that somebody has pasted').length).toBe(10);
});
