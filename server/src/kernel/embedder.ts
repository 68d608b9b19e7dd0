import type { PayingRun } from './spending.ts';

/** The embedding port. Vectors are L2-normalised float32 of `dimensions` numbers. */
export interface Embedder {
  /** `builtin` or `provider/name`; stored with each vector, since vectors of two models cannot be compared. */
  readonly id: string;
  readonly dimensions: number;
  readonly local: boolean;
  /** `texts` → one vector each, in order, and the tokens that were read. */
  embed(
    texts: readonly string[],
    signal?: AbortSignal,
    /** Urgent work (the query of a search, which somebody waits for) overtakes the rest where the embedder can. */
    options?: { urgent?: boolean },
  ): Promise<{ vectors: Float32Array[]; tokens: number }>;
  close(): Promise<void>;
}

/** Who pays for an embedding. */
export interface EmbeddingPayer {
  tenantId: string;
  userId: string;
  requestId?: string | undefined;
  /** The conversation that it is for, outside of a run. */
  conversationId?: string | undefined;
  run?: PayingRun | undefined;
}

/**
 * The embedder as features get it: no call of a provider without its place on the ledger. What it can cost at most is
 * reserved first; each call of the provider is then one row of the payer. Throws COST_EXCEEDED before the provider is
 * called, `ModelError` where the provider fails.
 */
export interface MeteredEmbedder extends Pick<Embedder, 'id' | 'dimensions' | 'local'> {
  embed(
    payer: EmbeddingPayer,
    texts: readonly string[],
    options?: {
      urgent?: boolean;
      /** A row also for a local model, which costs nothing and is left out otherwise. */
      always?: boolean;
    },
  ): Promise<{ vectors: Float32Array[]; tokens: number }>;
}
