import { describe, expect, it } from 'vitest';
import { bounded } from './bounded.ts';

describe('a bounded expression', () => {
  it('finds what the expression finds in texts within the bound', () => {
    const digits = bounded(12, /(\d+)/g);
    expect(digits.test('a1')).toBe(true);
    digits.lastIndex = 0;
    expect('a1 b22'.replaceAll(digits, '<$1>')).toBe('a<1> b<22>');
    expect([...'a1 b22'.matchAll(digits)].map(([found]) => found)).toEqual(['1', '22']);
    expect('a1b22c'.split(bounded(12, /\d+/))).toEqual(['a', 'b', 'c']);
    expect('a1 b22'.match(digits)).toEqual(['1', '22']);
  });

  it('finds nothing in a longer text, whichever function is called', () => {
    const long = '1'.repeat(13);
    const digits = bounded(12, /\d/g);
    expect(digits.test(long)).toBe(false);
    expect(digits.exec(long)).toBeNull();
    expect(long.match(digits)).toBeNull();
    expect(long.replaceAll(digits, 'x')).toBe(long);
    expect([...long.matchAll(digits)]).toEqual([]);
    expect(long.search(bounded(12, /\d/))).toBe(-1);
    expect(long.split(bounded(12, /\d/))).toEqual([long]);
  });
});
