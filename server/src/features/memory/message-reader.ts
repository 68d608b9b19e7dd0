import { Worker } from 'node:worker_threads';
import type { Extracted } from 'pentarch-memory-patterns';
import { threadProgram } from '../../kernel/thread-program.ts';

/** Why a message was not read: it took too long, too many waited before it, or the thread failed. */
export type Unread = 'deadline' | 'crowded' | 'failed';

export interface MessageReader {
  /** What a message says that lasts; nothing where it cannot be read in time. Never rejects. */
  read(text: string): Promise<Extracted[]>;
  close(): Promise<void>;
}

export interface MessageReaderOptions {
  /** For one message, from when its turn comes (default 5,000). The start of the thread does not count. */
  deadlineMs?: number;
  /** Messages that may wait (default 1,000). */
  maxWaiting?: number;
  /** Told of each message that was not read. */
  onUnread?: (reason: Unread, error?: unknown) => void;
  /** The program of the thread. */
  program?: URL;
}

interface Turn {
  text: string;
  done(found: Extracted[]): void;
}

interface Thread {
  worker: Worker;
  /** Its program is loaded. */
  isReady: boolean;
}

const ownProgram = (): URL =>
  new URL(import.meta.url.endsWith('.ts') ? './extract.worker.ts' : './extract.worker.js', import.meta.url);

/**
 * Reads messages in a thread beside the event loop, one after the other: a text that a pattern takes long over holds nobody
 * else up. After the deadline the thread is ended, that message teaches nothing, and the next one gets a fresh thread.
 */
export const createMessageReader = (options: MessageReaderOptions = {}): MessageReader => {
  const {
    deadlineMs = 5_000,
    maxWaiting = 1_000,
    onUnread = () => undefined,
    program = ownProgram(),
  } = options;
  const waiting: Turn[] = [];
  let thread: Thread | null = null;
  let current: Turn | null = null;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const finish = (found: Extracted[]): void => {
    clearTimeout(timer);
    const turn = current;
    current = null;
    turn?.done(found);
    next();
  };

  const giveUp = (reason: Unread, error?: unknown): void => {
    const ended = thread;
    thread = null;
    void ended?.worker.terminate();
    if (current !== null) onUnread(reason, error);
    finish([]);
  };

  const post = ({ worker }: Thread, text: string): void => {
    timer = setTimeout(() => giveUp('deadline'), deadlineMs).unref();
    worker.postMessage(text);
  };

  const start = (): Thread => {
    const worker = new Worker(threadProgram(program), { eval: true, name: 'messages' });
    const started: Thread = { worker, isReady: false };
    const ifOurs =
      <T>(then: (value: T) => void) =>
      (value: T): void => {
        if (thread === started) then(value);
      };
    worker.on(
      'message',
      ifOurs((message: Extracted[] | 'ready') => {
        if (message !== 'ready') return finish(message);
        started.isReady = true;
        if (current !== null) post(started, current.text);
      }),
    );
    worker.on(
      'error',
      ifOurs((error: unknown) => giveUp('failed', error)),
    );
    worker.on(
      'exit',
      ifOurs(() => giveUp('failed')),
    );
    // It keeps no process alive, busy or not: what it reads may be lost without harm.
    worker.unref();
    return started;
  };

  const next = (): void => {
    if (current !== null || closed) return;
    current = waiting.shift() ?? null;
    if (current === null) return;
    thread ??= start();
    if (thread.isReady) post(thread, current.text);
  };

  return {
    read: (text) =>
      new Promise((resolve) => {
        if (closed || waiting.length >= maxWaiting) {
          if (!closed) onUnread('crowded');
          return resolve([]);
        }
        waiting.push({ text, done: resolve });
        next();
      }),
    async close() {
      closed = true;
      for (const turn of waiting.splice(0)) turn.done([]);
      clearTimeout(timer);
      current?.done([]);
      current = null;
      const last = thread;
      thread = null;
      await last?.worker.terminate();
    },
  };
};
