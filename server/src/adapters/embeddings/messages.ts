/** What the embedding thread and its owner say to each other. */
export type ToEmbeddingThread =
  | { type: 'embed'; id: number; texts: readonly string[]; urgent: boolean; owner: string }
  | { type: 'cancel'; id: number }
  /** Drop the queue, finish the text at hand, end. */
  | { type: 'close' };

export type FromEmbeddingThread =
  | { type: 'ready' }
  /** `vectors` holds all vectors one after the other; its buffer is transferred. */
  | { type: 'done'; id: number; vectors: Float32Array; tokens: number }
  | { type: 'failed'; id: number; message: string };

export interface EmbeddingThreadData {
  modelDir: string;
  /** Gives way to the rest of the process. */
  background: boolean;
}

export const MINILM_DIMENSIONS = 384;
