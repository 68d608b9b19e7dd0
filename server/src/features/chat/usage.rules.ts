import type { ModelUsage } from '../../kernel/model.ts';

/** Token counts of a run, as the wire names them. */
export interface UsageSum {
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens: number;
  reasoning_tokens: number;
}

export const NO_USAGE: UsageSum = {
  input_tokens: 0,
  output_tokens: 0,
  cached_input_tokens: 0,
  reasoning_tokens: 0,
};

export const addUsage = (sum: UsageSum, usage: ModelUsage): UsageSum => ({
  input_tokens: sum.input_tokens + usage.inputTokens,
  output_tokens: sum.output_tokens + usage.outputTokens,
  cached_input_tokens: sum.cached_input_tokens + usage.cachedInputTokens,
  reasoning_tokens: sum.reasoning_tokens + usage.reasoningTokens,
});
