import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../kernel/errors.ts';
import type { ModelUsage } from '../../kernel/model.ts';
import { nanoToUsd, usdPerMillionToPico } from '../../kernel/money.ts';
import {
  affordableOutputTokens,
  BUILTIN,
  CLOSED_CIRCUIT,
  circuitState,
  costOfUsage,
  DEFAULT_RETRY,
  type DefaultModelFacts,
  decideRetry,
  type ModelPrice,
  nextCircuit,
  parseModelId,
  parsePriceTable,
  pickDefaultModel,
  worstCaseCost,
} from './rules.ts';

const price = (input: number, cached: number, written: number, output: number): ModelPrice => ({
  inputPico: usdPerMillionToPico(input),
  cachedInputPico: usdPerMillionToPico(cached),
  cacheWritePico: usdPerMillionToPico(written),
  outputPico: usdPerMillionToPico(output),
  estimated: false,
  tiers: [],
});

const usage = (more: Partial<ModelUsage>): ModelUsage => ({
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  estimated: false,
  ...more,
});

describe('names', () => {
  test('provider and name are parted at the first slash', () => {
    expect(parseModelId('openai/gpt-5-mini')).toEqual({
      id: 'openai/gpt-5-mini',
      provider: 'openai',
      name: 'gpt-5-mini',
    });
    expect(parseModelId('compatible/Qwen/Qwen3-8B')).toMatchObject({
      provider: 'compatible',
      name: 'Qwen/Qwen3-8B',
    });
    expect(parseModelId('builtin')).toEqual(BUILTIN);
  });

  test.each(['', 'gpt-5-mini', '/x', 'openai/', 'openai/a b', `openai/${'x'.repeat(200)}`])(
    '"%s" is none',
    (id) => expect(parseModelId(id)).toBeUndefined(),
  );
});

describe('the default model', () => {
  const nothing: DefaultModelFacts = {
    model: undefined,
    openaiKey: false,
    anthropicKey: false,
    googleKey: false,
    compatibleModels: null,
    ollamaModels: null,
  };
  const cases: [string, Partial<DefaultModelFacts>, string][] = [
    ['the setting', { model: 'openai/x', anthropicKey: true }, 'openai/x'],
    ['a key', { googleKey: true, ollamaModels: ['llama3.2'] }, 'google/gemini-2.5-flash'],
    ['the first key', { openaiKey: true, anthropicKey: true }, 'openai/gpt-5-mini'],
    [
      'an endpoint that lists models',
      { compatibleModels: ['org/chat'], ollamaModels: ['llama3.2'] },
      'compatible/org/chat',
    ],
    ['an Ollama model that chats', { ollamaModels: ['nomic-embed-text', 'llama3.2'] }, 'ollama/llama3.2'],
    ['nothing else', { ollamaModels: [], compatibleModels: [] }, 'builtin'],
  ];
  test.each(cases)('%s decides', (_name, facts, expected) =>
    expect(pickDefaultModel({ ...nothing, ...facts })).toBe(expected),
  );
});

describe('costs', () => {
  test('cached tokens inside of the prompt count at their own price', () => {
    const cost = costOfUsage(
      usage({ inputTokens: 262_960, cachedInputTokens: 257_955, outputTokens: 1_744 }),
      price(1.25, 0.625, 1.25, 10),
    );
    // 5,005 × 1.25 + 257,955 × 0.625 + 1,744 × 10 millionths
    expect(nanoToUsd(cost)).toBe(0.184918125);
  });

  test('tokens written to the cache count at their own price', () => {
    const cost = costOfUsage(
      usage({ inputTokens: 3 + 12_304, cacheWriteTokens: 12_304, outputTokens: 550 }),
      price(3, 0.3, 3.75, 15),
    );
    expect(nanoToUsd(cost)).toBe(0.054399);
  });

  test('a long prompt is charged by its tier as a whole', () => {
    const tiered: ModelPrice = {
      ...price(3, 0.3, 3.75, 15),
      tiers: [{ ...price(6, 0.6, 7.5, 22.5), aboveInputTokens: 200_000 }],
    };
    expect(nanoToUsd(costOfUsage(usage({ inputTokens: 200_000 }), tiered))).toBe(0.6);
    expect(nanoToUsd(costOfUsage(usage({ inputTokens: 200_001 }), tiered))).toBe(1.200006);
  });

  const anyPrice = fc
    .tuple(fc.nat(100), fc.nat(100), fc.nat(100), fc.nat(100), fc.nat(300), fc.boolean())
    .map(([a, b, c, d, above, tiered]) => ({
      ...price(a, b, c, d),
      tiers: tiered ? [{ ...price(b, c, d, a), aboveInputTokens: above }] : [],
    }));

  test('no call within its bounds costs more than its worst case', () => {
    fc.assert(
      fc.property(
        anyPrice,
        fc.nat(500),
        fc.nat(500),
        fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })),
        fc.tuple(fc.nat(500), fc.nat(500)),
        (prices, bound, cap, [inputShare, outputShare], [cached, written]) => {
          const actual = usage({
            inputTokens: Math.floor(bound * inputShare),
            outputTokens: Math.floor(cap * outputShare),
            cachedInputTokens: cached,
            cacheWriteTokens: written,
          });
          expect(costOfUsage(actual, prices)).toBeLessThanOrEqual(worstCaseCost(prices, bound, cap));
        },
      ),
    );
  });

  test('the affordable cap is the largest whose worst case fits', () => {
    fc.assert(
      fc.property(anyPrice, fc.nat(500), fc.nat(100_000_000), (prices, bound, budget) => {
        const cap = affordableOutputTokens(prices, bound, budget);
        if (cap === Number.POSITIVE_INFINITY) {
          expect(worstCaseCost(prices, bound, 1_000_000)).toBeLessThanOrEqual(budget);
          return;
        }
        if (cap >= 0) expect(worstCaseCost(prices, bound, cap)).toBeLessThanOrEqual(budget);
        expect(worstCaseCost(prices, bound, cap + 1)).toBeGreaterThan(budget);
      }),
    );
  });
});

describe('a price file', () => {
  test('is read with its optional prices', () => {
    const table = parsePriceTable({
      'openai/x': { input: 1.25, output: 10 },
      y: { input: 0, cached_input: 0, output: 0 },
    });
    expect(table.get('openai/x')).toEqual({ input: 1.25, output: 10 });
    expect(table.get('y')).toEqual({ input: 0, cached_input: 0, output: 0 });
  });

  test('names each bad field', () => {
    const bad = {
      a: { input: -1 },
      b: null,
      c: { input: '1', output: 1 },
      d: { input: 1, output: 1, cache_write: Number.NaN },
    };
    let error: unknown;
    try {
      parsePriceTable(bad);
    } catch (thrown) {
      error = thrown;
    }
    if (!(error instanceof AppError)) throw new Error('not refused');
    const fields = (error.details.fields as { field: string }[]).map((fault) => fault.field);
    expect(fields).toEqual(['/a/input', '/a/output', '/b/input', '/b/output', '/c/input', '/d/cache_write']);
    expect(() => parsePriceTable([])).toThrow(AppError);
  });
});

describe('retries', () => {
  const down = { kind: 'unavailable' as const, hadText: false };

  test('back-off doubles up to its limit, spread by chance over the upper half', () => {
    const policy = { ...DEFAULT_RETRY, maxAttempts: 99 };
    const delays = [1, 2, 3, 9].map((attempt) => decideRetry(down, attempt, 1, policy));
    expect(delays.map((decision) => decision.what === 'retry' && decision.delayMs)).toEqual([
      250, 500, 1000, 8000,
    ]);
    expect(decideRetry(down, 2, 0, policy)).toEqual({ what: 'retry', delayMs: 250 });
  });

  test('a wait that the provider asks for is kept; too long a one means the next model', () => {
    expect(decideRetry({ ...down, retryAfterMs: 3000 }, 1, 0)).toEqual({ what: 'retry', delayMs: 3000 });
    expect(decideRetry({ ...down, retryAfterMs: 60_000 }, 1, 0)).toEqual({ what: 'next' });
  });

  test('what is shown, refused or aborted is never tried again; a timeout and the last try go on to the next', () => {
    expect(decideRetry({ ...down, hadText: true }, 1, 0)).toEqual({ what: 'stop' });
    expect(decideRetry({ kind: 'refused', hadText: false }, 1, 0)).toEqual({ what: 'stop' });
    expect(decideRetry({ kind: 'refused', status: 400, hadText: false }, 1, 0)).toEqual({ what: 'stop' });
    expect(decideRetry({ kind: 'aborted', hadText: false }, 1, 0)).toEqual({ what: 'stop' });
    expect(decideRetry({ kind: 'timeout', hadText: false }, 1, 0)).toEqual({ what: 'next' });
    expect(decideRetry(down, DEFAULT_RETRY.maxAttempts, 0)).toEqual({ what: 'next' });
  });

  test('a key that is refused, credit that is used up and a model that is gone go on to the next', () => {
    for (const status of [401, 402, 403, 404])
      expect(decideRetry({ kind: 'refused', status, hadText: false }, 1, 0)).toEqual({ what: 'next' });
    expect(decideRetry({ kind: 'refused', status: 404, hadText: true }, 1, 0)).toEqual({ what: 'stop' });
  });
});

test('a circuit opens after five failures in a row, and one success closes it', () => {
  let circuit = CLOSED_CIRCUIT;
  for (let n = 0; n < 4; n++) circuit = nextCircuit(circuit, 'unavailable', 1000);
  expect(circuitState(circuit, 1000)).toBe('closed');
  circuit = nextCircuit(circuit, 'timeout', 1000);
  expect(circuitState(circuit, 1000)).toBe('open');
  expect(nextCircuit(circuit, 'aborted', 1000)).toBe(circuit);
  expect(circuitState(circuit, 16_000)).toBe('half_open');
  expect(circuitState(nextCircuit(circuit, 'unavailable', 16_000), 16_000)).toBe('open');
  expect(circuitState(nextCircuit(circuit, 'refused', 16_000), 16_000)).toBe('closed');
});
