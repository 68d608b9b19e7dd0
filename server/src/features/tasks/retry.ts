import type { Db } from '../../db/db.ts';
import { type Caller, readScope } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { conflict, notFound } from '../../kernel/errors.ts';
import { parseSchedule } from './cron.ts';
import type { RunLedger } from './runs.ts';
import type { Task } from './schema.ts';
import { activeRuns, lockTask, updateTask } from './store.ts';
import { taskStatusOf } from './wire.ts';

/** Runs a task that failed or was cancelled once more; by cron, its last run failed. Throws CONFLICT otherwise. */
export const createTaskRetry =
  ({ db, clock, ledger }: { db: Db; clock: Clock; ledger: RunLedger }) =>
  async (caller: Caller, id: string): Promise<Task> => {
    const changed = await db.write(async (tx) => {
      const row = await lockTask(tx, db.dialect, readScope(caller), id);
      if (row === undefined) return undefined;
      const status = taskStatusOf(row);
      const failedSlot = status === 'scheduled' && row.error !== null;
      if (status !== 'failed' && status !== 'cancelled' && !failedSlot) {
        throw conflict('only a failed or cancelled task can be retried');
      }
      const now = clock.now();
      if ((await activeRuns(tx, row.id)).length > 0) throw conflict('a run of this task is still going on');
      // A schedule that was cancelled begins again.
      const next =
        row.cron !== null && row.next_run_at === null
          ? parseSchedule(row.cron, row.timezone).next(now)
          : row.next_run_at;
      const moved = await updateTask(tx, row.id, { next_run_at: next, finished_at: null });
      if (moved === undefined) return undefined;
      // The slot of a retry is the moment that asked for it; one that was taken in the same millisecond comes after.
      for (let slotAt = now; ; slotAt++) {
        const added = await ledger.add(tx, moved, slotAt, 'start');
        if (added !== undefined) return ledger.announce(tx, added);
      }
    });
    if (changed === undefined) throw notFound('task');
    return ledger.view(changed);
  };
