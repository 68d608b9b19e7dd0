/** The port of models that judge how well passages answer a query. */
export interface Reranker {
  /** `provider/name`. */
  readonly id: string;
  /**
   * How well each text answers, 0–1, in the order of `texts`, and the tokens that were read; null when the server does not
   * say. Throws `ModelError`.
   */
  rerank(query: string, texts: readonly string[]): Promise<{ scores: number[]; tokens: number | null }>;
  close(): Promise<void>;
}
