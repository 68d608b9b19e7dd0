import { setTimeout as delay } from 'node:timers/promises';
import type { WriteOptions } from '../db.ts';
import type { Written } from '../emit.ts';

/**
 * Group commit: all writes that become due in one turn of the event loop, or in the turns right after it, run one after
 * another in one transaction, and are answered after the common COMMIT has reached the disk. One synchronisation then
 * pays for all of them; it runs beside the event loop, and what becomes due meanwhile is the next group. A failing write
 * is rolled back alone.
 *
 * A write must not wait for anything but the database: while it waits, every other writer does.
 */

/**
 * A commit writes the last page of each table and index that its rows go to, twenty of them for a chat, whether for one
 * row or for ten: on a busy process it is worth some turns of the loop to have more rows in it. Two turns that bring
 * nothing end the wait, so that a write on its own waits for some microseconds.
 */
const QUIET_TURNS = 2;
const MAX_TURNS = 8;
/** With so many there is little left to share. */
const ENOUGH_WRITES = 64;
/** How long a group waits for another process (a command beside the server) to leave the lock, and how often it looks. */
const LOCK_PATIENCE_MS = 5_000;
const LOCK_LOOK_MS = 20;

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 5;

export interface Steps {
  /** Runs one statement without values. */
  step(sql: string): void;
}

interface Pending {
  options: WriteOptions;
  run(): Promise<void>;
  /** Its rows can be read, and are on the disk where they have to be. */
  answered(): void;
  failed(error: unknown): void;
}

/**
 * `sync` brings all that has been committed to the disk; null where the answers need not wait for that.
 * `afterCommit` is called with no transaction open, and must not throw.
 * A power cut may take what was committed and not yet brought there: nobody has been told of it.
 */
export const createGroupCommit = (
  connection: Steps,
  sync: (() => Promise<void>) | null,
  afterCommit: () => void,
) => {
  let queue: Pending[] = [];
  let draining: Promise<void> | null = null;

  /** Each in a savepoint of its own; those that stand. */
  const runEach = async (batch: readonly Pending[]): Promise<Pending[]> => {
    const done: Pending[] = [];
    for (const pending of batch) {
      connection.step('savepoint w');
      try {
        await pending.run();
        connection.step('release w');
        done.push(pending);
      } catch (error) {
        try {
          connection.step('rollback to w');
          connection.step('release w');
        } catch {
          // A full disk makes the engine undo the whole transaction: the other writes are gone as well, for this reason.
          throw error;
        }
        pending.failed(error);
      }
    }
    return done;
  };

  /**
   * A savepoint keeps a copy of every page that is written behind it, which costs as much as the writes. Those that may
   * be run again go without: where one fails, all of them are taken back and run anew, each with a savepoint.
   */
  const runRepeatable = async (batch: readonly Pending[]): Promise<Pending[]> => {
    try {
      for (const pending of batch) await pending.run();
      return [...batch];
    } catch {
      connection.step('rollback');
      connection.step('begin immediate');
      return runEach(batch);
    }
  };

  const runOnly = async (pending: Pending): Promise<Pending[]> => {
    try {
      await pending.run();
      return [pending];
    } catch (error) {
      pending.failed(error);
      return [];
    }
  };

  const runAll = async (batch: readonly Pending[]): Promise<Pending[]> => {
    const [first] = batch;
    if (first !== undefined && batch.length === 1) return runOnly(first);
    // Those that may be repeated come first: nothing else has run when they have to.
    const repeatable = batch.filter((pending) => pending.options.repeatable);
    const others = batch.filter((pending) => !pending.options.repeatable);
    return [...(await runRepeatable(repeatable)), ...(await runEach(others))];
  };

  /** Waits beside the event loop: SQLite's own wait would hold everybody up. */
  const begin = async (): Promise<void> => {
    const until = performance.now() + LOCK_PATIENCE_MS;
    for (;;) {
      try {
        return connection.step('begin immediate');
      } catch (error) {
        if (!isBusy(error) || performance.now() > until) throw error;
        await delay(LOCK_LOOK_MS);
      }
    }
  };

  /** The writes that stand; the others have been told. */
  const runBatch = async (batch: readonly Pending[]): Promise<Pending[]> => {
    try {
      await begin();
      try {
        const done = await runAll(batch);
        connection.step(done.length === 0 ? 'rollback' : 'commit');
        return done;
      } catch (error) {
        try {
          connection.step('rollback');
        } catch {
          // The engine has rolled back already (disk full does that): nothing is left to undo.
        }
        throw error;
      }
    } catch (error) {
      for (const pending of batch) pending.failed(error);
      return [];
    }
  };

  const acknowledge = async (done: readonly Pending[]): Promise<void> => {
    const waiting: Pending[] = [];
    for (const pending of done) {
      if (sync === null || pending.options.deferred) pending.answered();
      else waiting.push(pending);
    }
    if (sync === null || waiting.length === 0) return;
    try {
      await sync();
    } catch (error) {
      for (const pending of waiting) pending.failed(error);
      return;
    }
    for (const pending of waiting) pending.answered();
  };

  /** Waits while the turns of the loop bring more writes. */
  const gather = async (): Promise<void> => {
    let quiet = 0;
    for (let turn = 0; turn < MAX_TURNS && quiet < QUIET_TURNS && queue.length < ENOUGH_WRITES; turn++) {
      const before = queue.length;
      await new Promise<void>((next) => setImmediate(next));
      quiet = queue.length > before ? 0 : quiet + 1;
    }
  };

  const drain = async (): Promise<void> => {
    while (queue.length > 0) {
      await gather();
      const batch = queue;
      queue = [];
      await acknowledge(await runBatch(batch));
      afterCommit();
    }
    draining = null;
  };

  return {
    /** Of what `work` gives, `committed` is called right before the answer: nobody hears of what a power cut could take. */
    write<T>(work: () => Promise<Written<T>>, options: WriteOptions): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        let done: Written<T>;
        queue.push({
          options,
          run: async () => {
            done = await work();
          },
          answered: () => {
            done.committed();
            resolve(done.result);
          },
          failed: reject,
        });
        draining ??= drain();
      });
    },
    /** Resolves when nothing is waiting any more. */
    async idle(): Promise<void> {
      while (draining) await draining;
    },
  };
};
