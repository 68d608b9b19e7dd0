import type { Embedder } from '../../kernel/embedder.ts';
import { ModelError } from '../../kernel/model.ts';
import { toModelError } from '../models/ai-sdk/result.ts';
import { unitVector } from './vectors.ts';

const TASKS = { query: 'RETRIEVAL_QUERY', document: 'RETRIEVAL_DOCUMENT' } as const;

/** Google takes at most this many texts in one call. */
const BATCH = 100;

/** Gemini's embeddings through the AI SDK's package. It says no tokens: they are estimated on the ledger. Throws `ModelError`. */
export const createGoogleEmbedder = (options: {
  id: string;
  model: string;
  apiKey: string;
  /** Another address than Google's own. */
  baseUrl: string | null;
  dimensions: number;
  timeoutMs?: number;
}): Embedder => {
  const { id, dimensions, timeoutMs = 30_000 } = options;
  const provider = 'google';
  /** The package is large: it is loaded with the first text. */
  const load = async () => {
    const { createGoogle } = await import('@ai-sdk/google');
    return createGoogle({
      apiKey: options.apiKey,
      ...(options.baseUrl === null ? {} : { baseURL: options.baseUrl }),
    }).embeddingModel(options.model);
  };
  let loaded: ReturnType<typeof load> | undefined;

  return {
    id,
    dimensions,
    local: false,
    async embed(texts, signal, { purpose } = {}) {
      loaded ??= load();
      const model = await loaded;
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += BATCH) {
        const values = texts.slice(at, at + BATCH);
        const timeout = AbortSignal.timeout(timeoutMs);
        const { embeddings } = await Promise.resolve(
          model.doEmbed({
            values,
            abortSignal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
            providerOptions: {
              google: {
                outputDimensionality: dimensions,
                ...(purpose === undefined ? {} : { taskType: TASKS[purpose] }),
              },
            },
          }),
        ).catch((error: unknown) => {
          if (signal?.aborted) throw new ModelError('aborted', provider, 'the embedding call was aborted');
          if (timeout.aborted)
            throw new ModelError('timeout', provider, 'the embedding provider took too long');
          throw toModelError(provider, error, undefined, Date.now());
        });
        if (embeddings.length !== values.length)
          throw new ModelError('unavailable', provider, `embedding answer: not ${values.length} vectors`);
        vectors.push(...embeddings.map((values) => unitVector(provider, values, dimensions)));
      }
      return { vectors, tokens: 0 };
    },
    close: () => Promise.resolve(),
  };
};
