import { ModelError } from '../../kernel/model.ts';

/**
 * A provider's vector as the index takes it: of the length of the setting and normalised. Another length would spoil the
 * index, so it is refused for good, with what it was.
 */
export const unitVector = (
  provider: string,
  values: readonly unknown[],
  dimensions: number,
): Float32Array => {
  if (values.length !== dimensions) {
    throw new ModelError(
      'refused',
      provider,
      `embedding answer: a vector of length ${values.length}, not of ${dimensions} (EMBEDDING_DIMENSIONS)`,
    );
  }
  const vector = Float32Array.from(values, Number);
  const length = Math.hypot(...vector);
  if (!Number.isFinite(length) || length === 0)
    throw new ModelError('unavailable', provider, 'embedding answer: a vector without length');
  return vector.map((value) => value / length);
};
