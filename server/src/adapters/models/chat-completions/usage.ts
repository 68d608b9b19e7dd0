/** The `usage` object of the chat-completions wire in the spellings of its providers. Pure. */
import type { ModelUsage } from '../../../kernel/model.ts';
import { MAX_NANO_USD, NANO_PER_USD, type NanoUsd } from '../../../kernel/money.ts';

const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

const firstCount = (...values: unknown[]): number => {
  for (const value of values) {
    const found = count(value);
    if (found !== undefined) return found;
  }
  return 0;
};

/**
 * Usage as the provider gave it, or undefined where it gave none that can be believed (missing, negative,
 * fractions, all zero). Here the prompt count holds the cached tokens, as OpenAI, vLLM, Groq, Ollama, Mistral and
 * DeepSeek count; xAI counts reasoning beside the completion, which its `total_tokens` gives away.
 */
export const parseUsage = (usage: unknown): ModelUsage | undefined => {
  // Some leave out one of the two: it is estimated then (`filledUsage`).
  const prompt = count(member(usage, 'prompt_tokens') ?? 0);
  const completion = count(member(usage, 'completion_tokens') ?? 0);
  if (prompt === undefined || completion === undefined || prompt + completion === 0) return undefined;
  const promptDetails = member(usage, 'prompt_tokens_details');
  const cached = firstCount(
    member(promptDetails, 'cached_tokens'),
    member(usage, 'prompt_cache_hit_tokens'),
    member(usage, 'cached_tokens'),
    member(usage, 'cache_read_input_tokens'),
  );
  const written = firstCount(
    member(promptDetails, 'cache_write_tokens'),
    member(promptDetails, 'cache_creation_tokens'),
    member(usage, 'cache_creation_input_tokens'),
  );
  const reasoning = firstCount(
    member(member(usage, 'completion_tokens_details'), 'reasoning_tokens'),
    member(usage, 'reasoning_tokens'),
  );
  const beside =
    reasoning > 0 &&
    (reasoning > completion || count(member(usage, 'total_tokens')) === prompt + completion + reasoning);
  const cachedInputTokens = Math.min(cached, prompt);
  const cacheWriteTokens = Math.min(written, prompt - cachedInputTokens);
  return {
    inputTokens: prompt,
    outputTokens: beside ? completion + reasoning : completion,
    cachedInputTokens,
    cacheWriteTokens,
    reasoningTokens: reasoning,
    // Parts that are more than the whole were cut: what is booked is no longer what was said.
    estimated: cachedInputTokens < cached || cacheWriteTokens < written,
  };
};

/**
 * Dollars that the provider says the call cost, in nano-dollars: `usage.cost` (OpenRouter), its `total_cost` (Perplexity),
 * or `cost` beside the usage. Undefined for what is no amount.
 */
export const parseCost = (usage: unknown, beside: unknown): NanoUsd | undefined => {
  for (const said of [member(usage, 'cost'), member(member(usage, 'cost'), 'total_cost'), beside]) {
    if (typeof said !== 'number' || !(said >= 0)) continue;
    const nano = Math.round(said * NANO_PER_USD);
    if (nano <= MAX_NANO_USD) return nano;
  }
  return undefined;
};
