import { expect, it } from 'vitest';
import { own } from './own.ts';

it('a table says nothing of words that every object has', () => {
  const table: Record<string, string> = { a: 'x' };
  expect(own(table, 'a')).toBe('x');
  for (const word of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'b'])
    expect(own(table, word), word).toBeUndefined();
});
