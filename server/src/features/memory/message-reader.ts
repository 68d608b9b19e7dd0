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
  /** It was among some of which one took too long or ended the thread. */
  alone?: true;
  done(found: Extracted[]): void;
}

interface Thread {
  worker: Worker;
  /** Its program is loaded. */
  isReady: boolean;
}

const ownProgram = (): URL =>
  new URL(import.meta.url.endsWith('.ts') ? './extract.worker.ts' : './extract.worker.js', import.meta.url);

/** Messages that go to the thread at once: a hand-over costs as much as reading one. */
const MAX_TOGETHER = 32;

/**
 * Reads messages in a thread beside the event loop, those together that wait by then: a text that a pattern takes long over
 * holds nobody else up. After the deadline the thread is ended and each is read alone; one that is late again teaches nothing.
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
  let current: Turn[] = [];
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const finish = (found: readonly Extracted[][]): void => {
    clearTimeout(timer);
    const turns = current;
    current = [];
    for (const [i, turn] of turns.entries()) turn.done(found[i] ?? []);
    next();
  };

  const giveUp = (reason: Unread, error?: unknown): void => {
    const ended = thread;
    thread = null;
    void ended?.worker.terminate();
    if (current.length > 1)
      waiting.unshift(...current.splice(0).map((turn) => ({ ...turn, alone: true as const })));
    else if (current.length === 1) onUnread(reason, error);
    finish([]);
  };

  const post = ({ worker }: Thread): void => {
    timer = setTimeout(() => giveUp('deadline'), deadlineMs).unref();
    worker.postMessage(current.map(({ text }) => text));
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
      ifOurs((message: Extracted[][] | 'ready') => {
        if (message !== 'ready') return finish(message);
        started.isReady = true;
        if (current.length > 0) post(started);
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
    if (current.length > 0 || waiting.length === 0 || closed) return;
    const lone = waiting.findIndex(({ alone }) => alone === true);
    current = waiting.splice(0, lone < 0 ? MAX_TOGETHER : Math.min(Math.max(lone, 1), MAX_TOGETHER));
    thread ??= start();
    if (thread.isReady) post(thread);
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
      for (const turn of current.splice(0)) turn.done([]);
      const last = thread;
      thread = null;
      await last?.worker.terminate();
    },
  };
};
