import type { Along, Db } from '../../db/db.ts';
import { type Caller, readScope } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { conflict, notFound } from '../../kernel/errors.ts';
import type { CallerFor } from '../../kernel/stored-credential.ts';
import type { Executor } from './execute.ts';
import type { TaskChat } from './ports.ts';
import { isFinalTask } from './rules.ts';
import type { RunLedger } from './runs.ts';
import type { Task } from './schema.ts';
import {
  activeRuns,
  deleteTask,
  lockTask,
  type TaskRow,
  type TaskRunRow,
  updateRun,
  updateTask,
} from './store.ts';
import { runStatusOf, taskStatusOf } from './wire.ts';

export interface StopOptions {
  chat: Pick<TaskChat, 'cancel'>;
  callerOf: CallerFor;
  ledger: RunLedger;
  executor: Pick<Executor, 'stop'>;
}

/** Stops what runs of a task. `runs`: those that had not ended when the task was cancelled or deleted. */
export type StopRuns = (row: TaskRow, runs: readonly TaskRunRow[]) => Promise<void>;

export const createStopRuns =
  ({ chat, callerOf, ledger, executor }: StopOptions): StopRuns =>
  async (row, runs) => {
    for (const run of runs) {
      if (runStatusOf(run) === 'queued' || runStatusOf(run) === 'awaiting_approval') {
        await ledger.end({ taskId: row.id, runId: run.id }, { status: 'cancelled', costNano: 0 });
      } else executor.stop(run.id);
      const ids: unknown = JSON.parse(run.run_ids);
      const last: unknown = Array.isArray(ids) ? ids.at(-1) : undefined;
      if (runStatusOf(run) !== 'awaiting_approval' || typeof last !== 'string') continue;
      // To stop it, whatever has become of the key that made the task.
      const owner = await callerOf(row.tenant_id, row.user_id, null);
      // The run that waited in the chat must not go on when its approval comes after all.
      if (owner !== null) await chat.cancel(owner, last).catch(() => false);
    }
  };

export interface CancelOptions {
  db: Db;
  clock: Clock;
  ledger: RunLedger;
  stopRuns: StopRuns;
}

/** Ends tasks before they have ended by themselves. */
export const createTaskEnd = ({ db, clock, ledger, stopRuns }: CancelOptions) => ({
  /** Ends a task with all that runs of it, and its schedule. Throws CONFLICT when it has ended. */
  async cancel(caller: Caller, id: string): Promise<Task> {
    const changed = await db.write(async (tx) => {
      const row = await lockTask(tx, db.dialect, readScope(caller), id);
      if (row === undefined) return undefined;
      if (isFinalTask(taskStatusOf(row))) throw conflict('this task has ended');
      const now = clock.now();
      for (const run of await activeRuns(tx, row.id)) await updateRun(tx, run.id, { cancel_requested: 1 });
      const cancelled = await updateTask(tx, row.id, {
        status: 'cancelled',
        next_run_at: null,
        paused: 0,
        updated_at: now,
        finished_at: now,
      });
      return ledger.announce(tx, cancelled);
    });
    if (changed === undefined) throw notFound('task');
    await stopRuns(changed, await activeRuns(db.read, changed.id));
    return ledger.view(changed);
  },

  /** Cancels and forgets a task with its history. `note` is written together with the deletion. */
  async remove(caller: Caller, id: string, note: Along): Promise<void> {
    const gone = await db.write(async (tx) => {
      const row = await lockTask(tx, db.dialect, readScope(caller), id);
      if (row === undefined) return undefined;
      const open = await activeRuns(tx, row.id);
      await deleteTask(tx, row.id);
      await note(tx);
      return { row, open };
    });
    if (gone === undefined) throw notFound('task');
    await stopRuns(gone.row, gone.open);
  },
});
