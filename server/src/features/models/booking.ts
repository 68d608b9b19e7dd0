import { ModelError, type ModelRef, type ModelToolCall, type ModelUsage } from '../../kernel/model.ts';
import { storable } from '../../kernel/storable.ts';
import { estimatePromptTokens, estimateTokens } from '../../kernel/tokens.ts';
import { type ModelCall, ModelCallError, type ModelsOptions } from './call.ts';
import { boundUsage, costOfUsage, filledUsage, type UsageBound } from './rules.ts';

/** What calls cost, those that failed included. */
export const createBooking = (prices: ModelsOptions['prices']) => {
  const cost = (ref: ModelRef, usage: ModelUsage) => {
    const price = prices.of(ref);
    return {
      costNanoUsd: costOfUsage(usage, price),
      estimated: price.estimated || usage.estimated,
    };
  };

  const filled = (
    usage: ModelUsage,
    call: ModelCall,
    said: { content: string; toolCalls?: readonly ModelToolCall[] },
  ): ModelUsage =>
    filledUsage(usage, {
      inputTokens: () => estimatePromptTokens(call),
      outputTokens: () =>
        (said.toolCalls ?? []).reduce(
          (sum, one) => sum + estimateTokens(one.name + one.arguments),
          said.content === '' ? 0 : estimateTokens(said.content),
        ),
    });

  const failed = (error: ModelError, ref: ModelRef, call: ModelCall, bound: UsageBound): ModelCallError => {
    if (error.partial === undefined) return new ModelCallError(error, ref, 0);
    const usage = boundUsage(filled(error.partial.usage, call, error.partial), bound);
    const partial = { content: storable(error.partial.content), usage };
    const bounded = new ModelError(error.kind, error.provider, error.message, { ...error, partial });
    return new ModelCallError(bounded, ref, cost(ref, usage).costNanoUsd);
  };

  /**
   * A call that is stopped before its first text has reached the provider with its prompt, which is paid for: else whoever
   * stops early enough would spend what no limit sees.
   */
  const stoppedUnderWay = (error: ModelError, call: ModelCall): ModelError => {
    if (error.kind !== 'aborted' || error.partial !== undefined) return error;
    const usage: ModelUsage = {
      inputTokens: estimatePromptTokens(call),
      outputTokens: 0,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: 0,
      estimated: true,
    };
    const partial = { content: '', usage };
    return new ModelError(error.kind, error.provider, error.message, { ...error, partial });
  };
  const abortedBefore = (ref: ModelRef): ModelCallError =>
    new ModelCallError(
      new ModelError('aborted', ref.provider, `the call to ${ref.provider} was aborted`),
      ref,
      0,
    );

  return { cost, filled, failed, stoppedUnderWay, abortedBefore };
};

export type Booking = ReturnType<typeof createBooking>;
