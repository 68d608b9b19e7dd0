import { ModelError, type PartialModelResult } from '../../kernel/model.ts';

const paidFor = (paid: PartialModelResult | undefined) => (paid === undefined ? {} : { partial: paid });

/** What an answer has cost that is of no use; 0 tokens: the provider has not said. */
export const paidTokens = (inputTokens: number): PartialModelResult => ({
  content: '',
  usage: {
    inputTokens,
    outputTokens: 0,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    estimated: inputTokens === 0,
  },
});

/**
 * A provider's vector as the index takes it: of the length of the setting and normalised. Another length would spoil the
 * index, so it is refused for good, with what it was.
 */
export const unitVector = (
  provider: string,
  values: readonly unknown[],
  dimensions: number,
  paid?: PartialModelResult,
): Float32Array => {
  if (values.length !== dimensions) {
    throw new ModelError(
      'refused',
      provider,
      `embedding answer: a vector of length ${values.length}, not of ${dimensions} (EMBEDDING_DIMENSIONS)`,
      paidFor(paid),
    );
  }
  const vector = Float32Array.from(values, Number);
  const length = Math.hypot(...vector);
  if (!Number.isFinite(length) || length === 0)
    throw new ModelError('unavailable', provider, 'embedding answer: a vector without length', paidFor(paid));
  return vector.map((value) => value / length);
};
