import { describe, expect, it } from 'vitest';
import { boundUsage, filledUsage } from './index.ts';

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

describe('counts with a known window', () => {
  const known = { ...bound, windowTokens: 10_000 };

  it('are booked beyond what was reserved, up to the window with the output cap', () => {
    expect(boundUsage(usage(9_000, 800), known)).toEqual(usage(9_000, 800));
    expect(boundUsage(usage(9_000, 50_000), known)).toEqual({ ...usage(9_000, 1_100), estimated: true });
    expect(boundUsage(usage(1e15, 1e15), known)).toEqual({ ...usage(10_000, 100), estimated: true });
  });

  it('are what was reserved where they are no numbers', () => {
    expect(boundUsage(usage(Number.NaN, -3), known)).toEqual({ ...usage(1_000, 100), estimated: true });
  });

  it('never make less of a prompt than was sent of it', () => {
    expect(boundUsage(usage(900, 10), { ...bound, windowTokens: 500 })).toEqual(usage(900, 10));
  });
});

describe('counts that a provider has left out', () => {
  const estimate = { inputTokens: () => 11, outputTokens: () => 7 };

  it('are estimated, each by itself', () => {
    expect(filledUsage(usage(5, 3), estimate)).toEqual(usage(5, 3));
    expect(filledUsage(usage(5, 0), estimate)).toEqual({ ...usage(5, 7), estimated: true });
    expect(filledUsage(usage(0, 3), estimate)).toEqual({ ...usage(11, 3), estimated: true });
  });

  it('stay nothing where nothing was said', () => {
    expect(filledUsage(usage(5, 0), { ...estimate, outputTokens: () => 0 })).toEqual(usage(5, 0));
  });
});
