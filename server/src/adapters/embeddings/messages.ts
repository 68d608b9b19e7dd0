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

/** A sentence-embedding model in ONNX form and how it is used. */
export interface SentenceModelFiles {
  folder: string;
  /** The model within the folder; tokenizer.json and tokenizer_config.json stand there as well. */
  file: string;
  /** Longer texts are cut; the special tokens count. */
  maxTokens: number;
  pooling: 'mean' | 'cls';
  dimensions: number;
}

export interface EmbeddingThreadData {
  model: SentenceModelFiles;
  /** Gives way to the rest of the process. */
  background: boolean;
}
