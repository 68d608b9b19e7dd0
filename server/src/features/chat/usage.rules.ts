import type { ModelUsage } from '../../kernel/model.ts';
import type { TokenSum } from '../../kernel/tools.ts';

export const NO_USAGE: TokenSum = {
  input_tokens: 0,
  output_tokens: 0,
  cached_input_tokens: 0,
  reasoning_tokens: 0,
};

export const addUsage = (sum: TokenSum, usage: ModelUsage): TokenSum => ({
  input_tokens: sum.input_tokens + usage.inputTokens,
  output_tokens: sum.output_tokens + usage.outputTokens,
  cached_input_tokens: sum.cached_input_tokens + usage.cachedInputTokens,
  reasoning_tokens: sum.reasoning_tokens + usage.reasoningTokens,
});

/** `sum` and what others have used, or with `sign` -1 without it. */
export const addSums = (sum: TokenSum, others: readonly TokenSum[], sign: 1 | -1 = 1): TokenSum =>
  others.reduce(
    (total, other) => ({
      input_tokens: total.input_tokens + sign * other.input_tokens,
      output_tokens: total.output_tokens + sign * other.output_tokens,
      cached_input_tokens: total.cached_input_tokens + sign * other.cached_input_tokens,
      reasoning_tokens: total.reasoning_tokens + sign * other.reasoning_tokens,
    }),
    sum,
  );
