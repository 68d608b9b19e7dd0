import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonFault, MAX_ANSWER_DEPTH } from './json-text.rules.ts';

describe('a JSON text that cannot be read as the value that it says', () => {
  it('is none that JavaScript itself has written', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => jsonFault(JSON.stringify(value)) === null));
    fc.assert(fc.property(fc.integer(), fc.nat(9), (n, power) => jsonFault(`[${n}e${power}]`) === null));
  });

  it('has a whole number with a digit that is lost, wherever it stands', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n - 10n ** 21n, max: 10n ** 21n - 1n }), (n) => {
        // As JavaScript writes it again: below 10^21 with all of its digits.
        const isKept = String(Number(n)) === String(n);
        for (const text of [`${n}`, `[${n}]`, `{"a":${n}}`, `[1, ${n} ,2]`, `${n}.0`, `[${n}00e-2]`])
          expect([text, jsonFault(text) === null]).toEqual([text, isKept]);
      }),
    );
  });

  const LOST = 'has more digits than a number can hold: give it as text';
  it.each([
    ['9007199254740993', `the number 9007199254740993 ${LOST}`],
    ['[-9007199254740993]', `the number -9007199254740993 ${LOST}`],
    ['9007199254740993e0', `the number 9007199254740993e0 ${LOST}`],
    ['90071992547409930E-1', `the number 90071992547409930E-1 ${LOST}`],
    ['1e400', 'the number 1e400 is too large'],
    ['{"a":-1e400}', 'the number -1e400 is too large'],
    ['1e-400', 'the number 1e-400 is too small'],
    [`1${'0'.repeat(39)}`, null],
    ['9'.repeat(40), `the number ${'9'.repeat(40)} ${LOST}`],
    ['9'.repeat(41), `the number ${'9'.repeat(40)}… ${LOST}`],
  ])('is told with its number: %s', (text, fault) => {
    expect(jsonFault(text)).toBe(fault);
  });

  it.each(['0.1', '0.12345678901234567890123', '-0', '0', '0.000', '0e5', '-0.0e-400', '100', '1.50'])(
    'has no fault in %s: fractions are rounded as every reader does',
    (text) => {
      expect(jsonFault(text)).toBeNull();
    },
  );

  it.each([
    '"1e400"',
    '{"1e400":""}',
    String.raw`"\"1e400"`,
    String.raw`"\\\"1e400"`,
    '["[", "{1e400"]',
    '"1e400',
  ])('has no fault in its texts: %s', (text) => {
    expect(jsonFault(text)).toBeNull();
  });

  it.each(['["a",1e400]', String.raw`["\\",1e400]`, String.raw`["\"",1e400]`, '{"a":"","b":1e400}'])(
    'has one behind a text: %s',
    (text) => {
      expect(jsonFault(text)).toBe('the number 1e400 is too large');
    },
  );

  it('is nested too deep, whatever it is made of; what lies side by side is not nested', () => {
    const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      expect(jsonFault(nested(open, close, MAX_ANSWER_DEPTH))).toBeNull();
      expect(jsonFault(nested(open, close, MAX_ANSWER_DEPTH + 1))).toBe('it is nested more than 100 deep');
    }
    expect(jsonFault('[[]],'.repeat(MAX_ANSWER_DEPTH))).toBeNull();
    expect(jsonFault('{},'.repeat(MAX_ANSWER_DEPTH * 2))).toBeNull();
  });

  it.each(['', '-', '1-', '1e', 'e5', '+', 'a1b2', '--1', '1.2.3', '"', '"\\'])(
    'leaves what is no JSON to its reader: %s',
    (text) => {
      expect(jsonFault(text)).toBeNull();
    },
  );
});
