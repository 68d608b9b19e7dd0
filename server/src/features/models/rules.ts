/** Decisions about models: names, the default, retries, prices to costs. Pure: clock, randomness and prices come in. */
import { type FieldFault, invalid } from '../../kernel/errors.ts';
import type { ModelErrorKind, ModelRef, ModelUsage } from '../../kernel/model.ts';
import { costOfTokens, MAX_NANO_USD, type NanoUsd } from '../../kernel/money.ts';

export const BUILTIN: ModelRef = { id: 'builtin', provider: 'builtin', name: 'builtin' };

/** `provider/name`, where the name may hold more slashes; `builtin` stands alone. Undefined: not of that form. */
export const parseModelId = (id: string): ModelRef | undefined => {
  if (id === 'builtin' || id === 'builtin/builtin') return BUILTIN;
  const slash = id.indexOf('/');
  if (slash < 1 || slash === id.length - 1 || id.length > 200 || /\s/.test(id)) return undefined;
  return { id, provider: id.slice(0, slash), name: id.slice(slash + 1) };
};

/** What the settings and two probes say about the providers that may be used. */
export interface DefaultModelFacts {
  /** The setting MODEL. */
  model: string | undefined;
  openaiKey: boolean;
  anthropicKey: boolean;
  googleKey: boolean;
  /** Models that COMPATIBLE_BASE_URL lists; null where it is not set or does not answer. */
  compatibleModels: readonly string[] | null;
  /** Models of an Ollama server; null where none answers. */
  ollamaModels: readonly string[] | null;
}

/** The small, current model of each provider: cheap enough to be a default. */
export const DEFAULT_MODELS = {
  openai: 'openai/gpt-5-mini',
  anthropic: 'anthropic/claude-haiku-4-5',
  google: 'google/gemini-2.5-flash',
} as const;

const answersChat = (name: string): boolean => !/embed|bge-|minilm|rerank|whisper|tts/i.test(name);

/** MODEL, else what the keys allow, else an Ollama server's first model that chats, else the built-in one. */
export const pickDefaultModel = (facts: DefaultModelFacts): string => {
  if (facts.model !== undefined && facts.model !== '') return facts.model;
  if (facts.openaiKey) return DEFAULT_MODELS.openai;
  if (facts.anthropicKey) return DEFAULT_MODELS.anthropic;
  if (facts.googleKey) return DEFAULT_MODELS.google;
  const compatible = facts.compatibleModels?.find(answersChat);
  if (compatible !== undefined) return `compatible/${compatible}`;
  const local = facts.ollamaModels?.find(answersChat);
  return local === undefined ? BUILTIN.id : `ollama/${local}`;
};

/** The most tokens that a call can have used, as far as is known before it. */
export interface UsageBound {
  inputTokens: number;
  outputTokens: number;
  /**
   * The model's context window, where there is one: a prompt may hold more than was sent (pictures, a provider's own
   * instructions, results of its tools), and nothing holds more than that with the output cap.
   */
  windowTokens?: number;
}

/** What is no number at all counts as what was reserved for it. */
const counted = (tokens: number, most: number, reserved = most): number =>
  Number.isFinite(tokens) && tokens >= 0 ? Math.min(Math.trunc(tokens), most) : Math.min(reserved, most);

/** What stands for a count that a provider has left out: never nothing where something was read or written. */
export const filledUsage = (
  usage: ModelUsage,
  estimate: { inputTokens(): number; outputTokens(): number },
): ModelUsage => {
  const { inputTokens, outputTokens } = usage;
  if (inputTokens !== 0 && outputTokens !== 0) return usage;
  const input = inputTokens === 0 ? estimate.inputTokens() : inputTokens;
  const output = outputTokens === 0 ? estimate.outputTokens() : outputTokens;
  return input === inputTokens && output === outputTokens
    ? usage
    : { ...usage, inputTokens: input, outputTokens: output, estimated: true };
};

/**
 * Counts are what the provider bills, so they are booked as reported, up to what can be: the model's window with the output
 * cap, or what was reserved where there is no window. What is cut is marked as estimated.
 */
export const boundUsage = (usage: ModelUsage, bound: UsageBound): ModelUsage => {
  const mostInput = Math.max(bound.inputTokens, bound.windowTokens ?? 0);
  const inputTokens = counted(usage.inputTokens, mostInput, bound.inputTokens);
  // The two together: an output beyond its cap (hidden reasoning) is billed as well.
  const mostOutput =
    bound.windowTokens === undefined
      ? bound.outputTokens
      : Math.max(bound.outputTokens, bound.windowTokens + bound.outputTokens - inputTokens);
  const outputTokens = counted(usage.outputTokens, mostOutput, bound.outputTokens);
  const cachedInputTokens = counted(usage.cachedInputTokens, inputTokens);
  const cacheWriteTokens = counted(usage.cacheWriteTokens, inputTokens - cachedInputTokens);
  const reasoningTokens = counted(usage.reasoningTokens, outputTokens);
  const same =
    inputTokens === usage.inputTokens &&
    outputTokens === usage.outputTokens &&
    cachedInputTokens === usage.cachedInputTokens &&
    cacheWriteTokens === usage.cacheWriteTokens &&
    reasoningTokens === usage.reasoningTokens;
  return same
    ? usage
    : {
        ...usage,
        inputTokens,
        outputTokens,
        cachedInputTokens,
        cacheWriteTokens,
        reasoningTokens,
        estimated: true,
      };
};

export interface RetryPolicy {
  /** Calls of one model in all. */
  maxAttempts: number;
  baseDelayMs: number;
  maxDelayMs: number;
  /** A provider that asks for more than this is left for the next model. */
  maxRetryAfterMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = {
  maxAttempts: 3,
  baseDelayMs: 250,
  maxDelayMs: 8_000,
  maxRetryAfterMs: 20_000,
};

/** `next`: this model is of no use now, another may be. `stop`: no other model would do either. */
export type RetryDecision = { what: 'retry'; delayMs: number } | { what: 'next' } | { what: 'stop' };

/** Key, credit, rights and the model's name: what another model may do better. Other refusals are the request's own. */
const OF_THE_MODEL: ReadonlySet<number> = new Set([401, 402, 403, 404]);

/**
 * After the failed call number `attempt` (from 1) of a model. Back-off doubles and is spread over its upper half by
 * `random` (0–1), so that many callers do not come back at once. Timeouts are not tried again: the wait was long.
 */
export const decideRetry = (
  failure: {
    kind: ModelErrorKind;
    status?: number | undefined;
    retryAfterMs?: number | undefined;
    hadText: boolean;
  },
  attempt: number,
  random: number,
  policy: RetryPolicy = DEFAULT_RETRY,
): RetryDecision => {
  if (failure.hadText || failure.kind === 'aborted') return { what: 'stop' };
  if (failure.kind === 'refused') return { what: OF_THE_MODEL.has(failure.status ?? 0) ? 'next' : 'stop' };
  if (failure.kind === 'timeout' || attempt >= policy.maxAttempts) return { what: 'next' };
  const asked = failure.retryAfterMs ?? 0;
  if (asked > policy.maxRetryAfterMs) return { what: 'next' };
  const backOff = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (attempt - 1));
  return { what: 'retry', delayMs: Math.max(asked, Math.round(backOff * (0.5 + random / 2))) };
};

/** Prices of one model in pico-dollars per token. */
export interface TokenPrices {
  inputPico: number;
  cachedInputPico: number;
  cacheWritePico: number;
  outputPico: number;
}

export interface ModelPrice extends TokenPrices {
  /** True where the model is not in any table and the configured default is taken. */
  estimated: boolean;
  /** Prices of the whole call once its prompt is longer than this; ascending. */
  tiers: readonly (TokenPrices & { aboveInputTokens: number })[];
}

export const FREE: ModelPrice = {
  inputPico: 0,
  cachedInputPico: 0,
  cacheWritePico: 0,
  outputPico: 0,
  estimated: false,
  tiers: [],
};

const pricesFor = (price: ModelPrice, inputTokens: number): TokenPrices => {
  let found: TokenPrices = price;
  for (const tier of price.tiers) if (inputTokens > tier.aboveInputTokens) found = tier;
  return found;
};

/**
 * Cost of a call: plain, cached and written parts of the prompt at their own prices, output with its reasoning.
 * One rounding for the whole call.
 */
export const costOfUsage = (usage: ModelUsage, price: ModelPrice): NanoUsd => {
  const at = pricesFor(price, usage.inputTokens);
  const cached = Math.min(usage.cachedInputTokens, usage.inputTokens);
  const written = Math.min(usage.cacheWriteTokens, usage.inputTokens - cached);
  return costOfTokens([
    { tokens: usage.inputTokens - cached - written, picoUsd: at.inputPico },
    { tokens: cached, picoUsd: at.cachedInputPico },
    { tokens: written, picoUsd: at.cacheWritePico },
    { tokens: usage.outputTokens, picoUsd: at.outputPico },
  ]);
};

/** Nothing that a prompt of at most so many tokens can cost per token is above this. */
const dearest = (price: ModelPrice, inputTokens: number): { input: number; output: number } => {
  const steps: TokenPrices[] = [price, ...price.tiers.filter((tier) => inputTokens > tier.aboveInputTokens)];
  return {
    input: Math.max(...steps.flatMap((step) => [step.inputPico, step.cachedInputPico, step.cacheWritePico])),
    output: Math.max(...steps.map((step) => step.outputPico)),
  };
};

/** The most that a call can cost: no settled cost of it passes this. `inputTokensBound` must be an upper bound. */
export const worstCaseCost = (
  price: ModelPrice,
  inputTokensBound: number,
  outputTokensCap: number,
): NanoUsd => {
  const { input, output } = dearest(price, inputTokensBound);
  return costOfTokens([
    { tokens: inputTokensBound, picoUsd: input },
    { tokens: outputTokensCap, picoUsd: output },
  ]);
};

/**
 * The largest output cap whose worst case fits into `budgetNanoUsd`; negative where not even the prompt fits.
 * Infinity where output costs nothing.
 */
export const affordableOutputTokens = (
  price: ModelPrice,
  inputTokensBound: number,
  budgetNanoUsd: NanoUsd,
): number => {
  const { input, output } = dearest(price, inputTokensBound);
  const leftPico = BigInt(budgetNanoUsd) * 1000n - BigInt(inputTokensBound) * BigInt(input);
  if (leftPico < 0n) return -1;
  if (output === 0) return Number.POSITIVE_INFINITY;
  return Number(leftPico / BigInt(output));
};

/** Prices of PRICES_FILE in dollars per million tokens. */
export interface PriceRow {
  input: number;
  cached_input?: number;
  cache_write?: number;
  output: number;
}

export type PriceTable = ReadonlyMap<string, PriceRow>;

const PRICE_FIELDS = ['input', 'cached_input', 'cache_write', 'output'] as const;
/** A million dollars a token: above it costs leave the exact range. */
const MAX_PRICE = MAX_NANO_USD / 1e9;

/**
 * Table of a parsed PRICES_FILE: {model: {input, cached_input?, cache_write?, output}}, where model is
 * `provider/name` or a name alone. Throws VALIDATION_ERROR that names each bad field.
 */
export const parsePriceTable = (value: unknown): PriceTable => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid({ field: '/', reason: 'must be an object of models' });
  const faults: FieldFault[] = [];
  const table = new Map<string, PriceRow>();
  for (const [model, row] of Object.entries(value)) {
    const at = (name: string): unknown =>
      typeof row === 'object' && row !== null ? Reflect.get(row, name) : undefined;
    const read = (name: (typeof PRICE_FIELDS)[number], required: boolean): number | undefined => {
      const price = at(name);
      if (price === undefined && !required) return undefined;
      if (typeof price === 'number' && price >= 0 && price <= MAX_PRICE) return price;
      faults.push({ field: `/${model}/${name}`, reason: 'must be dollars per million tokens, 0 or more' });
      return undefined;
    };
    const [input, output] = [read('input', true), read('output', true)];
    const [cached, written] = [read('cached_input', false), read('cache_write', false)];
    if (input === undefined || output === undefined) continue;
    table.set(model, {
      input,
      output,
      ...(cached === undefined ? {} : { cached_input: cached }),
      ...(written === undefined ? {} : { cache_write: written }),
    });
  }
  if (faults.length > 0) throw invalid(...faults);
  return table;
};

/** Circuit of a provider: failures in a row, and until when it is passed over. */
export interface Circuit {
  failures: number;
  openUntilMs: number;
}

export const CLOSED_CIRCUIT: Circuit = { failures: 0, openUntilMs: 0 };

const OPEN_AFTER_FAILURES = 5;
const OPEN_MS = 15_000;

/**
 * A refusal says that the provider is there; an abort says nothing. Five failures in a row open the circuit; the
 * first call after its time decides again.
 */
export const nextCircuit = (circuit: Circuit, outcome: 'ok' | ModelErrorKind, nowMs: number): Circuit => {
  if (outcome === 'aborted') return circuit;
  if (outcome === 'ok' || outcome === 'refused') return CLOSED_CIRCUIT;
  const failures = circuit.failures + 1;
  return { failures, openUntilMs: failures >= OPEN_AFTER_FAILURES ? nowMs + OPEN_MS : 0 };
};

export type CircuitState = 'closed' | 'open' | 'half_open';

export const circuitState = (circuit: Circuit, nowMs: number): CircuitState => {
  if (circuit.openUntilMs === 0) return 'closed';
  return nowMs < circuit.openUntilMs ? 'open' : 'half_open';
};
