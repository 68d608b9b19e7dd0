import { setImmediate as nextTurn } from 'node:timers/promises';
import pg from 'pg';

/**
 * Notices a store that takes what it is sent and never answers: a machine that is gone, a network that swallows packets, a
 * server that stands still. TCP alone finds that out after a quarter of an hour. One connection asks for a sign of life
 * every second. A slow statement is no silence, since others are answered beside it.
 */
export interface Watch {
  isSilent(): boolean;
  close(): Promise<void>;
}

export interface WatchOptions {
  url: string;
  /** At each question that was not answered. */
  onSilent(): void;
}

const EVERY_MS = 1_000;
const PATIENCE_MS = 5_000;

export const createWatch = (options: WatchOptions): Watch => {
  let client: pg.Client | null = null;
  let silent = false;
  let closed = false;
  let timer: NodeJS.Timeout | null = null;
  let going: Promise<void> = Promise.resolve();

  const drop = (): void => {
    const dropped = client;
    client = null;
    // A connection that hangs says no good-bye: nobody waits for that.
    dropped?.end().catch(() => {});
  };

  const question = async (): Promise<void> => {
    if (client === null) {
      const next = new pg.Client({ connectionString: options.url, connectionTimeoutMillis: PATIENCE_MS });
      next.on('error', () => {});
      client = next;
      await next.connect();
    }
    await client.query('select 1');
  };

  /** Whether an answer came, a refusal included: then the connections themselves tell what is wrong. */
  const isAnswered = async (): Promise<boolean> => {
    const answer = question().then(
      () => 'fine' as const,
      (error: unknown) => (/timeout/i.test(String(error)) ? ('silence' as const) : ('refused' as const)),
    );
    let late: NodeJS.Timeout | undefined;
    const silence = new Promise<'silence'>((resolve) => {
      late = setTimeout(() => resolve('silence'), PATIENCE_MS);
      late.unref();
    });
    let first = await Promise.race([answer, silence]);
    clearTimeout(late);
    if (first === 'silence') {
      // Where this process itself stood still, the answer lies there unread: it gets two turns to be read.
      await nextTurn();
      await nextTurn();
      first = await Promise.race([answer, Promise.resolve('silence' as const)]);
    }
    if (first !== 'fine') drop();
    return first !== 'silence';
  };

  const look = async (): Promise<void> => {
    silent = !(await isAnswered());
    if (silent && !closed) options.onSilent();
  };

  const schedule = (): void => {
    timer = setTimeout(() => {
      going = look().finally(() => {
        if (!closed) schedule();
      });
    }, EVERY_MS);
    timer.unref();
  };
  schedule();

  return {
    isSilent: () => silent,
    async close() {
      closed = true;
      if (timer !== null) clearTimeout(timer);
      drop();
      await going;
    },
  };
};
