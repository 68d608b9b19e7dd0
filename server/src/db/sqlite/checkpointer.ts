import { Worker } from 'node:worker_threads';
import { threadProgram } from '../../kernel/thread-program.ts';

/**
 * Brings the write-ahead log into the database file. SQLite would do that inside a commit, on the thread of the event
 * loop, and wait for the disk twice; a thread of its own does it here. Since writers go on meanwhile, the log is never
 * empty when the thread is done: the few frames that were added are brought over between two commits, and then the log
 * starts over. States: idle → running (in the thread) → rest (left for the writer) → idle.
 */
export interface CheckpointerOptions {
  /** Path of the database file. */
  file: string;
  /** The connection of the writer. */
  first(sql: string): Record<string, unknown> | undefined;
  onError(error: unknown): void;
}

/** Frames (pages) in the log from which on it is brought over: a page that is written often is copied once. */
export const LOG_FRAMES = 4_000;
/** From this length on the writer does not wait for the thread any longer. */
const TOO_LONG_FRAMES = 4 * LOG_FRAMES;
/** The length of the log is looked at after so many commits. */
const LOOK_EVERY = 8;

export type CheckpointAnswer = { error?: string };

const number = (value: unknown): number => (typeof value === 'number' ? value : 0);

export const createCheckpointer = (options: CheckpointerOptions) => {
  let state: 'idle' | 'running' | 'rest' = 'idle';
  let threshold = LOG_FRAMES;
  let commits = 0;
  let worker: Worker | null = null;
  let closed = false;
  /** Wait for the thread to be done. */
  let waiting: (() => void)[] = [];
  const tellDone = (): void => {
    for (const done of waiting) done();
    waiting = [];
  };

  const finish = (): void => {
    state = 'idle';
    const row = options.first('pragma wal_checkpoint(passive)');
    const log = number(row?.log);
    // A reader on an older state keeps the log from starting over.
    threshold = number(row?.checkpointed) >= log ? LOG_FRAMES : log + LOG_FRAMES;
  };

  const start = (): Worker => {
    // The same file from sources and from the build.
    const suffix = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
    const started = new Worker(threadProgram(new URL(`./checkpoint.worker${suffix}`, import.meta.url)), {
      eval: true,
      workerData: { file: options.file },
      name: 'store-checkpoint',
    });
    started.on('error', options.onError);
    started.on('exit', () => {
      if (worker === started) worker = null;
      // Whatever it has not done, the writer does.
      if (state === 'running') state = 'rest';
      tellDone();
    });
    started.on('message', (answer: CheckpointAnswer) => {
      if (answer.error !== undefined) options.onError(new Error(answer.error));
      state = 'rest';
      tellDone();
    });
    started.unref();
    return started;
  };

  const look = (): void => {
    commits += 1;
    if (closed || (state !== 'rest' && commits % LOOK_EVERY !== 0)) return;
    if (state === 'rest') return finish();
    const row = options.first('pragma wal_checkpoint(noop)');
    const log = number(row?.log);
    if (log >= TOO_LONG_FRAMES && log >= threshold) return finish();
    if (state === 'running' || log < threshold || number(row?.checkpointed) >= log) return;
    state = 'running';
    worker ??= start();
    worker.postMessage('checkpoint');
  };

  return {
    /** To be called after a commit, with no transaction open. Never throws: a disk that refuses the log must not end the writes behind. */
    committed(): void {
      try {
        look();
      } catch (error) {
        options.onError(error);
      }
    },
    /** Resolves when the thread has brought the log over; what has been added meanwhile is left for the writer. */
    bringOver(): Promise<void> {
      if (closed || state === 'rest') return Promise.resolve();
      return new Promise((resolve) => {
        waiting.push(resolve);
        if (state === 'running') return;
        state = 'running';
        worker ??= start();
        worker.postMessage('checkpoint');
      });
    },
    /** Lets the thread finish: ended in the middle of a call of SQLite it would take the process with it. */
    async close(): Promise<void> {
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
