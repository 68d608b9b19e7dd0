import { Worker } from 'node:worker_threads';
import type { CompiledQuery } from 'kysely';
import { threadProgram } from '../../kernel/thread-program.ts';

/**
 * Read-only statements in a thread with a connection of its own, for reads that take long (vector and full-text
 * search): the event loop goes on meanwhile. Sees committed state only.
 */
export interface ReaderThread {
  /** Runs the queries one after another and gives the rows of each. */
  all(queries: readonly CompiledQuery[]): Promise<Record<string, unknown>[][]>;
  /** Answers what was asked before, then ends: a thread ended in the middle of a call of SQLite takes the process with it. */
  close(): Promise<void>;
}

export interface ReaderRequest {
  id: number;
  queries: { sql: string; parameters: unknown[] }[];
}

export type ReaderAnswer =
  | { id: number; rows: Record<string, unknown>[][] }
  | { id: number; error: string; errcode: number | null };

interface Waiting {
  resolve(rows: Record<string, unknown>[][]): void;
  reject(error: unknown): void;
}

/** Errors lose their fields on the way between threads; the engine's code says what kind it is (`faults.ts`). */
const faultOf = ({ error, errcode }: { error: string; errcode: number | null }): Error =>
  errcode === null ? new Error(error) : Object.assign(new Error(error), { errcode });

/** Starts with the first query. A thread that dies rejects what it held; the next query starts another. */
export const createReaderThread = (file: string): ReaderThread => {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | null = null;
  let closed = false;
  let lastId = 0;

  const start = (): Worker => {
    // The same file from sources and from the build.
    const suffix = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
    const started = new Worker(threadProgram(new URL(`./reader.worker${suffix}`, import.meta.url)), {
      eval: true,
      workerData: { file },
      name: 'store-reader',
    });
    let failure: unknown = new Error('the reader thread ended');
    started.on('error', (error) => {
      failure = error;
    });
    started.on('exit', () => {
      if (worker === started) worker = null;
      for (const { reject } of waiting.values()) reject(failure);
      waiting.clear();
    });
    started.on('message', (answer: ReaderAnswer) => {
      const request = waiting.get(answer.id);
      waiting.delete(answer.id);
      if (waiting.size === 0) started.unref();
      if ('error' in answer) request?.reject(faultOf(answer));
      else request?.resolve(answer.rows);
    });
    started.unref();
    return started;
  };

  return {
    all(queries) {
      if (closed) return Promise.reject(new Error('the reader thread is closed'));
      worker ??= start();
      const running = worker;
      return new Promise((resolve, reject) => {
        const id = ++lastId;
        waiting.set(id, { resolve, reject });
        running.ref();
        const request: ReaderRequest = {
          id,
          queries: queries.map((q) => ({ sql: q.sql, parameters: [...q.parameters] })),
        };
        running.postMessage(request);
      });
    },
    async close() {
      closed = true;
      const running = worker;
      if (running === null) return;
      const exited = new Promise<void>((resolve) => running.once('exit', () => resolve()));
      running.ref();
      running.postMessage('close');
      await exited;
    },
  };
};
