import { expect, it } from 'vitest';
import { diffJson, diffWords } from './diff.ts';

it('marks words that went and came, and keeps the rest', () => {
  expect(diffWords('Says it back', 'Says it back to everyone')).toEqual([
    { kind: 'same', text: 'Says it back' },
    { kind: 'new', text: ' to everyone' },
  ]);
  expect(diffWords('reads a file', 'deletes a file')).toEqual([
    { kind: 'old', text: 'reads' },
    { kind: 'new', text: 'deletes' },
    { kind: 'same', text: ' a file' },
  ]);
});

it('gives back both texts whole, whatever they are', () => {
  const before = 'one two  three\nfour';
  const after = 'zero two three\n\nfour five';
  const parts = diffWords(before, after);
  const side = (not: string): string =>
    parts
      .filter(({ kind }) => kind !== not)
      .map(({ text }) => text)
      .join('');
  expect(side('new')).toBe(before);
  expect(side('old')).toBe(after);
});

it('does not take another order of keys for a change', () => {
  expect(diffJson({ a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }).map(({ kind }) => kind)).toEqual([
    'same',
  ]);
  expect(diffJson(null, null)).toEqual([]);
  expect(diffJson({ a: 1 }, null).map(({ kind }) => kind)).toEqual(['old']);
});

it('shows texts too long to compare one after the other', () => {
  const long = 'word '.repeat(2_000);
  expect(diffWords(long, 'short').map(({ kind }) => kind)).toEqual(['old', 'new']);
});
