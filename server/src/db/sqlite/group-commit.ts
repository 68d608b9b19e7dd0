/**
 * Group commit: all writes that become due in one turn of the event loop run one after another in one transaction,
 * each in a savepoint of its own, and are answered after the common COMMIT. One fsync then pays for all of them; a
 * failing write rolls back to its savepoint alone.
 *
 * A write must not wait for anything but the database: while it waits, every other writer does.
 */
export interface Steps {
  /** Runs one statement without values. */
  step(sql: string): void;
}

interface Pending {
  run(): Promise<void>;
  committed(): void;
  failed(error: unknown): void;
}

export const createGroupCommit = (connection: Steps) => {
  let queue: Pending[] = [];
  let draining: Promise<void> | null = null;

  const runOne = async (pending: Pending, alone: boolean): Promise<boolean> => {
    if (!alone) connection.step('savepoint w');
    try {
      await pending.run();
      if (!alone) connection.step('release w');
      return true;
    } catch (error) {
      if (!alone) {
        try {
          connection.step('rollback to w');
          connection.step('release w');
        } catch {
          // A full disk makes the engine undo the whole transaction: the other writes are gone as well, for this reason.
          throw error;
        }
      }
      pending.failed(error);
      return false;
    }
  };

  const runBatch = async (batch: readonly Pending[]): Promise<void> => {
    const done: Pending[] = [];
    try {
      connection.step('begin immediate');
    } catch (error) {
      for (const pending of batch) pending.failed(error);
      return;
    }
    try {
      for (const pending of batch) {
        if (await runOne(pending, batch.length === 1)) done.push(pending);
      }
      connection.step(done.length === 0 ? 'rollback' : 'commit');
    } catch (error) {
      try {
        connection.step('rollback');
      } catch {
        // The engine has rolled back already (disk full does that): nothing is left to undo.
      }
      for (const pending of batch) pending.failed(error);
      return;
    }
    for (const pending of done) pending.committed();
  };

  const drain = async (): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue;
      queue = [];
      await runBatch(batch);
    }
    draining = null;
  };

  return {
    write<T>(work: () => Promise<T>): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        let result: T;
        queue.push({
          run: async () => {
            result = await work();
          },
          committed: () => resolve(result),
          failed: reject,
        });
        draining ??= new Promise<void>((next) => setImmediate(next)).then(drain);
      });
    },
    /** Resolves when nothing is waiting any more. */
    async idle(): Promise<void> {
      while (draining) await draining;
    },
  };
};
