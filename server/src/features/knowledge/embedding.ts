import type { Embedder } from '../../kernel/embedder.ts';
import type { Reranker } from '../../kernel/reranker.ts';
import { estimateTokens } from '../../kernel/text.ts';
import type { ChargeEmbedding } from './ports.ts';

/** Texts in one call: small enough that the query of a search soon gets its turn. */
const BATCH = 32;

/** The embedder behind the ledger. */
export interface ChargedEmbedder {
  readonly id: string;
  readonly dimensions: number;
  embed(
    owner: { tenantId: string; userId: string },
    texts: readonly string[],
    options?: { urgent?: boolean },
  ): Promise<Float32Array[]>;
}

/** How well each text answers the query, 0–1. */
export type ChargedRerank = (
  owner: { tenantId: string; userId: string },
  query: string,
  texts: readonly string[],
) => Promise<number[]>;

/** The reranker behind the ledger. */
export const chargedRerank =
  (reranker: Reranker, charge: ChargeEmbedding): ChargedRerank =>
  ({ tenantId, userId }, query, texts) => {
    // The query is read with each text.
    const estimatedTokens =
      estimateTokens(query) * texts.length + texts.reduce((sum, text) => sum + estimateTokens(text), 0);
    return charge({ tenantId, userId, model: reranker.id, estimatedTokens }, async () => {
      const { scores, tokens } = await reranker.rerank(query, texts);
      return { result: scores, tokens: tokens ?? estimatedTokens };
    });
  };

export const chargedEmbedder = (embedder: Embedder, charge: ChargeEmbedding): ChargedEmbedder => {
  const call = async (
    owner: { tenantId: string; userId: string },
    texts: readonly string[],
    options: { urgent?: boolean },
  ): Promise<Float32Array[]> => {
    const work = async () => {
      const { vectors, tokens } = await embedder.embed(texts, undefined, options);
      const wrong = vectors.find((vector) => vector.length !== embedder.dimensions);
      if (wrong !== undefined || vectors.length !== texts.length) {
        throw new Error(
          `embedding model ${embedder.id} gave ${vectors.length} vectors of ${wrong?.length ?? embedder.dimensions} numbers for ${texts.length} texts of ${embedder.dimensions}`,
        );
      }
      return { result: vectors, tokens };
    };
    if (embedder.local) return (await work()).result;
    const estimatedTokens = texts.reduce((sum, text) => sum + estimateTokens(text), 0);
    return charge(
      { tenantId: owner.tenantId, userId: owner.userId, model: embedder.id, estimatedTokens },
      work,
    );
  };

  return {
    id: embedder.id,
    dimensions: embedder.dimensions,
    async embed(owner, texts, options = {}) {
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += BATCH) {
        vectors.push(...(await call(owner, texts.slice(at, at + BATCH), options)));
      }
      return vectors;
    },
  };
};
