import { describe, expect, it } from 'vitest';
import { piecesOf } from './pieces.ts';

const marked = (text: string, q: string): string =>
  piecesOf(text, q)
    .map(({ piece, isHit }) => (isHit ? `[${piece}]` : piece))
    .join('');

describe('what was looked for', () => {
  it('is marked wherever it stands, in either case', () => {
    expect(marked('Winter, and the winter after', 'WINTER')).toBe('[Winter], and the [winter] after');
    expect(marked('the rota', 'rota')).toBe('the [rota]');
    expect(marked('a  b', '  ')).toBe('a  b');
    expect(marked('nothing', 'x')).toBe('nothing');
  });
  it('is not marked at a wrong place', () => {
    expect(marked('İİ winter', 'winter')).toBe('İİ winter');
    expect(marked('a (b) c', '(b)')).toBe('a [(b)] c');
  });
});
