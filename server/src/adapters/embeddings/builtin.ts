import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Embedder, EmbedOptions } from '../../kernel/embedder.ts';
import { createEmbeddingThread, type EmbeddingThread } from './builtin-thread.ts';
import type { SentenceModelFiles } from './messages.ts';

export interface BuiltinEmbedder extends Embedder {
  embed(
    texts: readonly string[],
    signal?: AbortSignal,
    options?: EmbedOptions,
  ): Promise<{ vectors: Float32Array[]; tokens: number }>;
  /** Starts the thread and loads the model; else the first request does. Rejects when the model cannot be read. */
  warm(): Promise<void>;
}

/** all-MiniLM-L6-v2, in this package both from sources (src/adapters/embeddings) and built (dist/adapters/embeddings). */
const miniLm = (folder: string): SentenceModelFiles => ({
  folder,
  file: 'model_int8.onnx',
  // The trained length; longer inputs only cost time.
  maxTokens: 256,
  pooling: 'mean',
  dimensions: 384,
});

export const builtinModelDir = (): string =>
  fileURLToPath(new URL('../../../models/minilm', import.meta.url));

/** Put in front of a text for models that were trained so. */
export interface Prefixes {
  query: string;
  document: string;
}

const NO_PREFIXES: Prefixes = { query: '', document: '' };

/** Texts that wait before a second thread is worth its start, and how long it stays without work. */
const HELP_FROM = 64;
const HELPER_IDLE_MS = 60_000;
/** A chat that asked this recently will ask again: what nobody waits for then leaves the first thread to it. */
const CHATTING_MS = 5_000;
/** For two threads: each has its next texts when it is done with those at hand. */
const CALLS_AT_ONCE = 4;

/** Which thread takes a request. `first` and `helper` are the texts that wait there; `helper` is null while that thread does not run. */
export function chooseThread(state: {
  urgent: boolean;
  chatting: boolean;
  first: number;
  helper: number | null;
}): 'first' | 'helper' {
  if (state.urgent) return 'first';
  if (state.helper === null) return state.first < HELP_FROM ? 'first' : 'helper';
  return state.chatting || state.helper < state.first ? 'helper' : 'first';
}

export const createBuiltinEmbedder = (options: { modelDir?: string; cores?: number } = {}): BuiltinEmbedder =>
  createThreadedEmbedder({
    id: 'builtin',
    model: miniLm(options.modelDir ?? builtinModelDir()),
    prefixes: NO_PREFIXES,
    ...(options.cores === undefined ? {} : { cores: options.cores }),
  });

export interface ThreadedEmbedderOptions {
  /** Stored with each vector. */
  id: string;
  model: SentenceModelFiles;
  prefixes: Prefixes;
  cores?: number;
}

/**
 * A model in worker threads: one for everything, and a second one that gives way to the rest of the process while many
 * texts wait that nobody waits for, where there is a core for it. While people ask, the second one does that work alone, so that a
 * question never waits behind a passage.
 */
export function createThreadedEmbedder(options: ThreadedEmbedderOptions): BuiltinEmbedder {
  const { id, model, prefixes } = options;
  const mayHelp = (options.cores ?? availableParallelism()) > 1;
  const first = createEmbeddingThread({ model, background: false });
  let helper: EmbeddingThread | null = null;
  let idleTimer: NodeJS.Timeout | null = null;
  const ending = new Set<Promise<void>>();
  let closed = false;
  let urgentAtMs = Number.NEGATIVE_INFINITY;

  function dismiss(): void {
    if (helper === null || helper.backlog() > 0) return;
    const ended = helper.close();
    helper = null;
    ending.add(ended);
    void ended.finally(() => ending.delete(ended));
  }

  function threadFor(urgent: boolean): EmbeddingThread {
    const nowMs = performance.now();
    if (urgent) urgentAtMs = nowMs;
    if (!mayHelp || closed) return first;
    const choice = chooseThread({
      urgent,
      chatting: nowMs - urgentAtMs < CHATTING_MS,
      first: first.backlog(),
      helper: helper?.backlog() ?? null,
    });
    if (choice === 'first') return first;
    helper ??= createEmbeddingThread({ model, background: true });
    return helper;
  }

  return {
    id,
    dimensions: model.dimensions,
    local: true,
    atOnce: mayHelp ? CALLS_AT_ONCE : 2,
    warm: () => first.warm(),
    async embed(texts, signal, { urgent = false, owner = '', purpose = 'query' } = {}) {
      signal?.throwIfAborted();
      if (texts.length === 0) return { vectors: [], tokens: 0 };
      const thread = threadFor(urgent);
      const prefix = prefixes[purpose];
      const prefixed = prefix === '' ? texts : texts.map((text) => `${prefix}${text}`);
      if (idleTimer !== null) clearTimeout(idleTimer);
      try {
        return await thread.embed(prefixed, { urgent, owner, signal });
      } finally {
        if (helper !== null) idleTimer = setTimeout(dismiss, HELPER_IDLE_MS).unref();
      }
    },
    async close() {
      closed = true;
      if (idleTimer !== null) clearTimeout(idleTimer);
      await Promise.all([first.close(), helper?.close(), ...ending]);
    },
  };
}
