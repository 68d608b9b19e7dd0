import { expect, it } from 'vitest';
import { messageRoom } from './history.rules.ts';

it('a message has what the window leaves beside the rest, and a quarter of it at least', () => {
  const window = { windowTokens: 100_000, outputTokens: 4_000 };
  expect(messageRoom({ ...window, fixedTokens: 6_000 })).toBe(80_000);
  expect(messageRoom({ ...window, fixedTokens: 500_000 })).toBe(25_000);
  expect(messageRoom({ windowTokens: 100_000, outputTokens: 90_000, fixedTokens: 0 })).toBe(65_000);
});
