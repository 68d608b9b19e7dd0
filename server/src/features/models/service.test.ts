import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTestProvider, type TestProvider } from '../../../test/support/provider.ts';
import { createChatCompletions } from '../../adapters/models/chat-completions/index.ts';
import { AppError } from '../../kernel/errors.ts';
import type { ModelProvider } from '../../kernel/model.ts';
import {
  createModels,
  createPrices,
  ModelCallError,
  type ModelPrice,
  type Models,
  type ModelsOptions,
  modelErrorOf,
  parsePriceTable,
} from './index.ts';

let main: TestProvider;
let other: TestProvider;
let providers: ModelProvider[];
let nowMs = 0;
let slept: number[] = [];
const clock = { now: () => nowMs };

beforeEach(async () => {
  nowMs = Date.UTC(2026, 0, 1);
  slept = [];
  main = await startTestProvider();
  other = await startTestProvider();
  providers = [
    createChatCompletions({ name: 'openai', baseUrl: main.url }),
    createChatCompletions({ name: 'compatible', baseUrl: other.url }),
  ];
});
afterEach(async () => {
  await Promise.all(providers.map((provider) => provider.close()));
  await Promise.all([main.close(), other.close()]);
});

const overrides = parsePriceTable({ big: { input: 1, output: 10 }, small: { input: 2, output: 1 } });
const build = (more: Partial<ModelsOptions> = {}): Models =>
  createModels({
    providers,
    defaultModel: 'openai/big',
    fallbacks: ['compatible/small'],
    prices: createPrices({ clock, overrides, localProviders: new Set() }),
    clock,
    random: () => 1,
    sleep: async (delayMs) => {
      slept.push(delayMs);
      nowMs += delayMs;
    },
    ...more,
  });
const call = (signal: AbortSignal = new AbortController().signal) => ({
  messages: [{ role: 'user' as const, content: 'hi' }],
  signal,
});
const failure = async (promise: Promise<unknown>): Promise<ModelCallError> => {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ModelCallError)) throw new Error(`not a ModelCallError: ${String(error)}`);
  return error;
};

test('names resolve to models of providers that are there', () => {
  const models = build();
  expect(models.resolve(null)).toEqual({ id: 'openai/big', provider: 'openai', name: 'big' });
  expect(models.resolve('compatible/a/b')).toMatchObject({ name: 'a/b' });
  for (const bad of ['big', 'anthropic/x', '']) {
    try {
      models.resolve(bad);
      throw new Error('resolved');
    } catch (error) {
      expect(error).toBeInstanceOf(AppError);
      expect(error).toMatchObject({ status: 422, details: { fields: [{ field: '/context/model' }] } });
    }
  }
  expect(() => build({ defaultModel: 'anthropic/x' })).toThrow('/MODEL');
});

test('an answer carries its model, its cost and the number of tries', async () => {
  const models = build();
  const result = await models.generate(models.resolve(null), call());
  expect(result).toMatchObject({
    ref: { id: 'openai/big' },
    costNanoUsd: 520_000,
    estimated: false,
    attempts: 1,
  });
  expect(main.requests[0]?.body.model).toBe('big');
});

test('a provider that is down for a moment is tried again after its own wait or the back-off', async () => {
  main.script({ error: { status: 503 } }, { error: { status: 429, headers: { 'retry-after': '2' } } });
  const models = build();
  const texts: string[] = [];
  const result = await models.stream(models.resolve(null), call(), (text) => texts.push(text));
  expect(result).toMatchObject({ ref: { id: 'openai/big' }, attempts: 3 });
  expect(slept).toEqual([250, 2000]);
  expect(texts.join('')).toBe(result.content);
});

test('after the last try the fallback answers, at its own price', async () => {
  main.always({ error: { status: 500 } });
  const models = build();
  const result = await models.generate(models.resolve(null), call());
  expect(result).toMatchObject({ ref: { id: 'compatible/small' }, attempts: 4, costNanoUsd: 90_000 });
  expect(other.requests[0]?.body.model).toBe('small');
});

test('after the first text nothing is tried again; what came is kept with its cost', async () => {
  main.script({ chunks: ['one ', 'two'], resetAfter: 1, chunkDelayMs: 5 });
  const models = build();
  const error = await failure(models.stream(models.resolve(null), call(), () => {}));
  expect(error.partial?.content).toBe('one ');
  expect(error.ref.id).toBe('openai/big');
  const usage = error.partial?.usage;
  expect(error.costNanoUsd).toBe((usage?.inputTokens ?? 0) * 1000 + (usage?.outputTokens ?? 0) * 10_000);
  expect(error.costNanoUsd).toBeGreaterThan(0);
  expect(main.requests).toHaveLength(1);
  expect(other.requests).toHaveLength(0);
});

test.each([401, 402, 403, 404])(
  'the fallback answers where the provider does not take the key or the model: %d',
  async (status) => {
    main.script({ error: { status } });
    const models = build();
    const result = await models.generate(models.resolve(null), call());
    expect([result.ref.id, result.attempts, main.requests.length]).toEqual(['compatible/small', 2, 1]);
  },
);

test('a refusal of the request itself goes to the caller at once', async () => {
  main.script({ error: { status: 422 } });
  const models = build();
  const error = await failure(models.generate(models.resolve(null), call()));
  expect([error.kind, error.costNanoUsd, main.requests.length, other.requests.length]).toEqual([
    'refused',
    0,
    1,
    0,
  ]);
  expect(modelErrorOf(error)).toMatchObject({
    code: 'UPSTREAM_ERROR',
    details: { provider: 'openai', status: 422 },
  });
});

test('an abort during the wait ends the call', async () => {
  main.always({ error: { status: 500 } });
  const leave = new AbortController();
  const models = build({
    sleep: async () => leave.abort(),
  });
  const error = await failure(models.generate(models.resolve(null), call(leave.signal)));
  expect([error.kind, main.requests.length, other.requests.length]).toEqual(['aborted', 1, 0]);
  expect(modelErrorOf(error)).toBe(error);
});

test('a provider that keeps failing is passed over until its time is up, and told to /ready', async () => {
  main.always({ error: { status: 500 } });
  const models = build();
  await models.generate(models.resolve(null), call());
  await models.generate(models.resolve(null), call());
  expect(models.states()).toEqual([
    { provider: 'openai', state: 'open', failuresInARow: 6 },
    { provider: 'compatible', state: 'closed', failuresInARow: 0 },
  ]);
  const before = main.requests.length;
  expect((await models.generate(models.resolve(null), call())).attempts).toBe(1);
  expect(main.requests).toHaveLength(before);
  nowMs += 15_000;
  main.always(undefined);
  expect((await models.generate(models.resolve(null), call())).ref.id).toBe('openai/big');
  expect(models.states()[0]).toMatchObject({ state: 'closed', failuresInARow: 0 });
});

test('with no other model an open circuit still lets one try through', async () => {
  main.always({ error: { status: 500 } });
  const models = build({ fallbacks: [] });
  await failure(models.generate(models.resolve(null), call()));
  await failure(models.generate(models.resolve(null), call()));
  expect(models.states()[0]?.state).toBe('open');
  const before = main.requests.length;
  await failure(models.generate(models.resolve(null), call()));
  expect(main.requests).toHaveLength(before + 1);
});

test('timeouts become UPSTREAM_TIMEOUT', async () => {
  const hasty = createChatCompletions({ name: 'hasty', baseUrl: main.url, firstByteTimeoutMs: 40 });
  providers.push(hasty);
  main.always({ hangAfter: 0 });
  const models = build({ fallbacks: [] });
  const error = await failure(models.generate(models.resolve('hasty/x'), call()));
  expect(modelErrorOf(error)).toMatchObject({ code: 'UPSTREAM_TIMEOUT', details: { provider: 'hasty' } });
});

test('the worst case covers the fallback too, and the affordable cap fits both', () => {
  const flat = (input: number, output: number): ModelPrice => ({
    inputPico: input,
    cachedInputPico: input,
    cacheWritePico: input,
    outputPico: output,
    estimated: false,
    tiers: [],
  });
  const byName = new Map([
    ['big', flat(0, 10_000_000)],
    ['small', flat(0, 30_000_000)],
  ]);
  const models = build({ prices: { of: (ref) => byName.get(ref.name) ?? flat(0, 0) } });
  const ref = models.resolve(null);
  expect(models.worstCase(ref, models.promptBound(call()), 100)).toBe(3_000_000);
  expect(models.affordableOutput(ref, models.promptBound(call()), 3_000_000)).toBe(100);
});

test('a call that is stopped before its first text is booked with its prompt; one that was never made is not', async () => {
  const models = build();
  main.always({ hangAfter: 0 });
  const stop = new AbortController();
  const stopped = failure(models.stream(models.resolve(null), call(stop.signal), () => {}));
  await expect.poll(() => main.requests.length).toBe(1);
  stop.abort();
  const error = await stopped;
  expect(error).toMatchObject({ kind: 'aborted', partial: { content: '', usage: { outputTokens: 0 } } });
  expect(error.partial?.usage).toMatchObject({ estimated: true });
  expect(error.costNanoUsd).toBe((error.partial?.usage.inputTokens ?? 0) * 1_000);
  expect(error.costNanoUsd).toBeGreaterThan(0);

  const late = await failure(models.generate(models.resolve(null), call(stop.signal)));
  expect(late).toMatchObject({ kind: 'aborted', costNanoUsd: 0 });
  expect(late.partial).toBeUndefined();
  expect(main.requests).toHaveLength(1);
});
