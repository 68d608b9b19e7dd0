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
