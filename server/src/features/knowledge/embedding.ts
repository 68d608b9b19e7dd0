import type { EmbeddingPayer, EmbedOptions, MeteredEmbedder } from '../../kernel/embedder.ts';
import type { Reranker } from '../../kernel/reranker.ts';
import { estimateTokens, textTokensBound } from '../../kernel/tokens.ts';
import type { ChargeEmbedding } from './ports.ts';

/** Texts in one call: small enough that the query of a search soon gets its turn. */
const BATCH = 32;

/** The embedder of documents and queries: in batches, and no wrong vector gets into the index. */
export interface ChargedEmbedder {
  readonly id: string;
  readonly dimensions: number;
  /** Calls that keep it busy. */
  readonly atOnce: number;
  embed(owner: EmbeddingPayer, texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]>;
}

/** Of a scope or another record that says more than who pays. */
const payerOf = ({ tenantId, userId, requestId, run }: EmbeddingPayer): EmbeddingPayer => ({
  tenantId,
  userId,
  requestId,
  run,
});

/** How well each text answers the query, 0–1. */
export type ChargedRerank = (
  owner: EmbeddingPayer,
  query: string,
  texts: readonly string[],
) => Promise<number[]>;

/** The reranker behind the ledger. */
export const chargedRerank =
  (reranker: Reranker, charge: ChargeEmbedding): ChargedRerank =>
  (owner, query, texts) => {
    // The query is read with each text.
    const read = [...texts, ...texts.map(() => query)];
    const boundTokens = textTokensBound(read);
    return charge({ ...payerOf(owner), model: reranker.id, boundTokens }, async () => {
      const { scores, tokens } = await reranker.rerank(query, texts);
      const estimate = read.reduce((sum, text) => sum + estimateTokens(text), 0);
      return { result: scores, tokens: tokens ?? estimate, estimated: tokens === null };
    });
  };

export const chargedEmbedder = (embedder: MeteredEmbedder): ChargedEmbedder => {
  const call = async (
    owner: EmbeddingPayer,
    texts: readonly string[],
    options: EmbedOptions,
  ): Promise<Float32Array[]> => {
    const { vectors } = await embedder.embed(payerOf(owner), texts, options);
    const wrong = vectors.find((vector) => vector.length !== embedder.dimensions);
    if (wrong !== undefined || vectors.length !== texts.length) {
      throw new Error(
        `embedding model ${embedder.id} gave ${vectors.length} vectors of ${wrong?.length ?? embedder.dimensions} numbers for ${texts.length} texts of ${embedder.dimensions}`,
      );
    }
    return vectors;
  };

  return {
    id: embedder.id,
    dimensions: embedder.dimensions,
    atOnce: embedder.atOnce ?? 1,
    async embed(owner, texts, options = {}) {
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += BATCH) {
        vectors.push(...(await call(owner, texts.slice(at, at + BATCH), options)));
      }
      return vectors;
    },
  };
};
