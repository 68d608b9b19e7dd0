import type { PayingRun } from './spending.ts';

export interface EmbedOptions {
  /** Work that somebody waits for (the query of a search) overtakes the rest where the embedder can. */
  urgent?: boolean;
  /** What the texts are for, where that is known: some models embed questions otherwise than what answers them. */
  purpose?: 'query' | 'document';
  /** Whose texts these are: owners take turns where the embedder can. */
  owner?: string;
}

/** The embedding port. Vectors are L2-normalised float32 of `dimensions` numbers. */
export interface Embedder {
  /** `builtin` or `provider/name`; stored with each vector, since vectors of two models cannot be compared. */
  readonly id: string;
  readonly dimensions: number;
  readonly local: boolean;
  /** Calls that keep it busy (default 1). */
  readonly atOnce?: number;
  /** `texts` → one vector each, in order, and the tokens that were read. */
  embed(
    texts: readonly string[],
    signal?: AbortSignal,
    options?: EmbedOptions,
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
export interface MeteredEmbedder extends Pick<Embedder, 'atOnce' | 'id' | 'dimensions' | 'local'> {
  embed(
    payer: EmbeddingPayer,
    texts: readonly string[],
    options?: EmbedOptions & {
      /** A row also for a local model, which costs nothing and is left out otherwise. */
      always?: boolean;
    },
  ): Promise<{ vectors: Float32Array[]; tokens: number }>;
}
