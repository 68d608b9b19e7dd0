import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { req } from '../../test/requirements.ts';
import { createStorablePieces, isStorable, storable, storableDeep } from './storable.ts';

/** Any code units, with NUL and halves of pairs among them. */
const units = fc
  .array(fc.oneof(fc.constantFrom(0, 0xd83d, 0xde00, 0xfffd, 0x41), fc.integer({ min: 0, max: 0xffff })))
  .map((codes) => String.fromCharCode(...codes));

describe(req('TEXT-01', 'text for the store'), () => {
  it('is storable whatever comes in, keeps its length, and clean text is left alone', () => {
    fc.assert(
      fc.property(units, (text) => {
        const clean = storable(text);
        expect(isStorable(clean)).toBe(true);
        expect(clean).toHaveLength(text.length);
        expect(storable(clean)).toBe(clean);
        if (isStorable(text)) expect(clean).toBe(text);
      }),
    );
  });

  it('of plain data is clean in every string and key; clean data is the same object', () => {
    fc.assert(
      fc.property(fc.jsonValue(), units, (value, text) => {
        const wild = { list: [text, { [text]: value }], n: 1, none: null };
        const clean = storableDeep(wild);
        expect(JSON.stringify(clean)).not.toMatch(/\\u0000|\\ud[89a-f]/);
        expect(storableDeep(clean)).toBe(clean);
      }),
    );
    const bytes = Buffer.from('a\0b');
    expect(storableDeep({ bytes }).bytes).toBe(bytes);
  });

  it('in pieces is what it would be whole, wherever it is cut', () => {
    fc.assert(
      fc.property(units, fc.array(fc.nat(20)), (text, cuts) => {
        const got: string[] = [];
        const pieces = createStorablePieces((piece) => got.push(piece));
        let rest = text;
        for (const cut of cuts) {
          pieces.push(rest.slice(0, cut));
          rest = rest.slice(cut);
        }
        pieces.push(rest);
        pieces.end();
        expect(got.join('')).toBe(storable(text));
        expect(got.every(isStorable)).toBe(true);
      }),
    );
  });
});
