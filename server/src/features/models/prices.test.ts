import { expect, test } from 'vitest';
import { createPrices, type PriceOptions } from './prices.ts';
import { costOfUsage, FREE, parseModelId, parsePriceTable } from './rules.ts';

const clock = { now: () => Date.UTC(2026, 0, 15) };
const prices = (more: Partial<PriceOptions> = {}) =>
  createPrices({ clock, localProviders: new Set(['builtin', 'ollama']), ...more });
const ref = (id: string) => {
  const parsed = parseModelId(id);
  if (parsed === undefined) throw new Error(id);
  return parsed;
};

test('known models have the prices of the package, cached and written tokens apart', () => {
  expect(prices().of(ref('openai/gpt-5-mini'))).toMatchObject({
    inputPico: 250_000,
    cachedInputPico: 25_000,
    outputPico: 2_000_000,
    estimated: false,
  });
  expect(prices().of(ref('anthropic/claude-haiku-4-5'))).toMatchObject({
    inputPico: 1_000_000,
    cachedInputPico: 100_000,
    cacheWritePico: 1_250_000,
    outputPico: 5_000_000,
  });
});

test('tiers of long prompts are kept for all parts', () => {
  const price = prices().of(ref('anthropic/claude-sonnet-4-5'));
  expect(price.tiers).toEqual([
    {
      aboveInputTokens: 200_000,
      inputPico: 6_000_000,
      cachedInputPico: 600_000,
      cacheWritePico: 7_500_000,
      outputPico: 22_500_000,
    },
  ]);
  const usage = {
    inputTokens: 300_000,
    outputTokens: 0,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    estimated: false,
  };
  expect(costOfUsage(usage, price)).toBe(1_800_000_000);
});

test('an unknown model costs the configured default and says so', () => {
  const unknown = ref('compatible/no-such-model');
  expect(prices().of(unknown)).toMatchObject({
    inputPico: 5_000_000,
    outputPico: 15_000_000,
    estimated: true,
  });
  expect(prices({ defaultInput: 1, defaultOutput: 2 }).of(unknown)).toMatchObject({
    inputPico: 1_000_000,
    outputPico: 2_000_000,
  });
});

test('behind a known host a model has its price; behind an unknown one a known name is an estimate', () => {
  const deepseek = prices({ baseUrls: new Map([['compatible', 'https://api.deepseek.com/v1']]) });
  expect(deepseek.of(ref('compatible/deepseek-chat'))).toMatchObject({ estimated: false });
  const proxy = prices({ baseUrls: new Map([['compatible', 'http://10.0.0.1/v1']]) });
  expect(proxy.of(ref('compatible/gpt-5-mini'))).toMatchObject({ inputPico: 250_000, estimated: true });
});

test('local models cost nothing; an override beats everything, by id before name', () => {
  expect(prices().of(ref('ollama/gpt-5-mini'))).toEqual(FREE);
  expect(prices().of(ref('builtin'))).toEqual(FREE);
  const overrides = parsePriceTable({
    'gpt-5-mini': { input: 7, output: 8 },
    'openai/gpt-5-mini': { input: 1.25, cached_input: 0.625, cache_write: 2, output: 10 },
  });
  const own = prices({ overrides });
  expect(own.of(ref('openai/gpt-5-mini'))).toMatchObject({
    inputPico: 1_250_000,
    cachedInputPico: 625_000,
    cacheWritePico: 2_000_000,
    outputPico: 10_000_000,
  });
  expect(own.of(ref('ollama/gpt-5-mini'))).toMatchObject({
    inputPico: 7_000_000,
    cachedInputPico: 7_000_000,
  });
});
