import { describe, expect, it } from 'vitest';
import { boundUsage } from '../../src/features/models/index.ts';

const usage = (inputTokens: number, outputTokens: number) => ({
  inputTokens,
  outputTokens,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  estimated: false,
});
const bound = { inputTokens: 1_000, outputTokens: 100 };

describe('counts of a provider', () => {
  it('stay as they are where they can be', () => {
    expect(boundUsage(usage(1_000, 100), bound)).toEqual(usage(1_000, 100));
  });

  it('are cut to what can be, and marked', () => {
    expect(boundUsage(usage(1e15, 50_000), bound)).toEqual({ ...usage(1_000, 100), estimated: true });
    expect(boundUsage(usage(Number.NaN, -3), bound)).toEqual({ ...usage(1_000, 100), estimated: true });
  });
});
