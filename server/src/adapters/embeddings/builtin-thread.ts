import process from 'node:process';
import { Worker } from 'node:worker_threads';
import { threadProgram } from '../../kernel/thread-program.ts';
import type { EmbeddingThreadData, FromEmbeddingThread, ToEmbeddingThread } from './messages.ts';

/** One thread with the model. It starts with its first request, and again where it has died. */
export interface EmbeddingThread {
  /** Texts that wait or are under way. */
  backlog(): number;
  warm(): Promise<void>;
  embed(
    texts: readonly string[],
    how: { urgent: boolean; owner: string; signal: AbortSignal | undefined },
  ): Promise<{ vectors: Float32Array[]; tokens: number }>;
  /** For good. */
  close(): Promise<void>;
}

interface Waiting {
  texts: number;
  resolve(answer: { vectors: Float32Array[]; tokens: number }): void;
  reject(error: unknown): void;
}

interface Thread {
  worker: Worker;
  ready: Promise<void>;
}

/**
 * ONNX Runtime (from 1.29) tells its maker about each process and model, and keeps an id of the machine under the home folder,
 * unless this stands in the environment of the whole process when it is loaded (a thread's own copy is not seen).
 */
const keepRuntimeSilent = (): void => {
  process.env.ORT_DISABLE_TELEMETRY = '1';
};

/**
 * Nothing here blocks the event loop. A thread that dies rejects what it held, and the next request starts another. Close it
 * before `process.exit`, which would cut the thread off inside the native call and end the process with SIGABRT.
 */
export function createEmbeddingThread(workerData: EmbeddingThreadData): EmbeddingThread {
  const waiting = new Map<number, Waiting>();
  let thread: Thread | null = null;
  let closed = false;
  let lastId = 0;

  function start(): Thread {
    keepRuntimeSilent();
    const file = import.meta.url.endsWith('.ts') ? './builtin.worker.ts' : './builtin.worker.js';
    const worker = new Worker(threadProgram(new URL(file, import.meta.url)), {
      eval: true,
      workerData,
      name: 'embeddings',
      // Reading the vocabulary leaves much behind, which would make V8 give the thread room that it never needs again.
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    });
    const ready = Promise.withResolvers<void>();
    // Whoever waits for it sees the failure; nobody waiting is no crash.
    ready.promise.catch(() => undefined);
    const started: Thread = { worker, ready: ready.promise };
    let failure: unknown = new Error('the embedding thread ended: the embedder is closed');
    worker.on('error', (error) => {
      failure = error;
    });
    worker.on('exit', () => {
      if (thread === started) thread = null;
      ready.reject(failure);
      for (const { reject } of waiting.values()) reject(failure);
      waiting.clear();
      keepAlive();
    });
    worker.on('message', (message: FromEmbeddingThread) => {
      if (message.type === 'ready') return ready.resolve();
      const request = waiting.get(message.id);
      if (!request) return;
      waiting.delete(message.id);
      keepAlive();
      if (message.type === 'failed') return request.reject(new Error(message.message));
      request.resolve({
        vectors: split(message.vectors, workerData.model.dimensions),
        tokens: message.tokens,
      });
    });
    worker.unref();
    return started;
  }

  function running(): Thread {
    if (closed) throw new Error('the embedder is closed');
    thread ??= start();
    return thread;
  }

  /** An idle thread keeps no process alive; a busy one does, and one that is being closed, until it has ended. */
  function keepAlive(): void {
    if (waiting.size > 0 || closed) thread?.worker.ref();
    else thread?.worker.unref();
  }

  return {
    backlog() {
      let texts = 0;
      for (const request of waiting.values()) texts += request.texts;
      return texts;
    },
    async warm() {
      const { worker, ready } = running();
      worker.ref();
      await ready.finally(keepAlive);
    },
    async embed(texts, { urgent, owner, signal }) {
      const { worker } = running();
      const id = ++lastId;
      const send = (message: ToEmbeddingThread) => worker.postMessage(message);
      const answer = Promise.withResolvers<{ vectors: Float32Array[]; tokens: number }>();
      const cancel = () => {
        if (!waiting.delete(id)) return;
        send({ type: 'cancel', id });
        keepAlive();
        answer.reject(signal?.reason);
      };
      waiting.set(id, { ...answer, texts: texts.length });
      keepAlive();
      send({ type: 'embed', id, texts, urgent, owner });
      signal?.addEventListener('abort', cancel, { once: true });
      return answer.promise.finally(() => signal?.removeEventListener('abort', cancel));
    },
    async close() {
      closed = true;
      if (!thread) return;
      const { worker } = thread;
      const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
      worker.ref();
      // Never `terminate()`: cut off inside the native call, the thread takes the whole process with it.
      const message: ToEmbeddingThread = { type: 'close' };
      worker.postMessage(message);
      await ended;
    },
  };
}

function split(all: Float32Array, dimensions: number): Float32Array[] {
  const vectors: Float32Array[] = [];
  for (let at = 0; at < all.length; at += dimensions) vectors.push(all.slice(at, at + dimensions));
  return vectors;
}
