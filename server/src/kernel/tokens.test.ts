import fc from 'fast-check';
import { expect, test } from 'vitest';
import { estimatePromptTokens, estimateTokens, promptTokensBound } from './tokens.ts';

test('four ASCII characters, two other letters, one ideograph or emoji make a token', () => {
  expect(estimateTokens('')).toBe(0);
  expect(estimateTokens('abcd')).toBe(1);
  expect(estimateTokens('abcde')).toBe(2);
  expect(estimateTokens('привет')).toBe(3);
  expect(estimateTokens('東京都')).toBe(3);
  expect(estimateTokens('한국')).toBe(2);
  expect(estimateTokens('🏯')).toBe(1);
});

test('a prompt counts its tools and earlier calls', () => {
  const messages = [{ role: 'user' as const, content: 'abcd' }];
  const bare = estimatePromptTokens({ messages });
  const tools = [{ name: 'search', description: 'looks things up', inputSchema: { type: 'object' } }];
  expect(bare).toBe(5);
  expect(estimatePromptTokens({ messages, tools })).toBeGreaterThan(bare + 10);
});

test('the bound is above the bytes of any prompt and above its estimate', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 5 }), (texts) => {
      const messages = texts.map((content) => ({ role: 'user' as const, content }));
      const bound = promptTokensBound({ messages });
      expect(bound).toBeGreaterThan(Buffer.byteLength(texts.join('')));
      expect(bound).toBeGreaterThan(estimatePromptTokens({ messages }));
    }),
  );
});
