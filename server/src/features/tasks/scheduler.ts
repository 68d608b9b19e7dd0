import type { Db } from '../../db/db.ts';
import type { Clock } from '../../kernel/clock.ts';
import { AppError } from '../../kernel/errors.ts';
import type { CallerFor } from '../../kernel/stored-credential.ts';
import { parseSchedule } from './cron.ts';
import { NO_CALLER, taskCaller, taskRunEndOf } from './execute.ts';
import type { TaskChat } from './ports.ts';
import { decideOverlap, decideSlot } from './rules.ts';
import type { RunLedger } from './runs.ts';
import { MISSED, OVERLAPS } from './schema.ts';
import {
  activeRuns,
  anyDue,
  dueTasks,
  moveOn,
  type TaskRow,
  type TaskRunRow,
  taskById,
  updateTaskWhile,
  waitingRuns,
} from './store.ts';
import { runStatusOf } from './wire.ts';

/**
 * Turns due slots into runs. Every node does this; whoever moves a task on to its next slot first makes its run, and a
 * slot has one run at most whatever happens.
 */
export interface SchedulerOptions {
  db: Db;
  clock: Clock;
  ledger: RunLedger;
  chat: TaskChat;
  callerOf: CallerFor;
  onError(error: unknown, message: string): void;
}

const BATCH = 100;

export const createScheduler = (options: SchedulerOptions) => {
  const { db, clock, ledger } = options;

  /** The newest slot up to now, and the first one after it. */
  const slotsOf = (task: TaskRow, dueAt: number, now: number): { latest: number; next: number | null } => {
    if (task.cron === null) return { latest: dueAt, next: null };
    const schedule = parseSchedule(task.cron, task.timezone);
    return { latest: Math.max(dueAt, schedule.latest(now) ?? dueAt), next: schedule.next(now) };
  };

  const take = async (task: TaskRow, now: number): Promise<void> => {
    const dueAt = task.next_run_at;
    if (dueAt === null) return;
    const { latest, next } = slotsOf(task, dueAt, now);
    const { run } = decideSlot({
      recurring: task.cron !== null,
      latest,
      now,
      missed: MISSED.find((m) => m === task.missed) ?? 'run_once',
    });
    await db.write(async (tx) => {
      const moved = await moveOn(tx, { id: task.id, nextRunAt: dueAt }, next);
      if (moved === undefined || !run) return;
      const open = await activeRuns(tx, task.id);
      const how = decideOverlap({
        overlap: OVERLAPS.find((o) => o === task.overlap) ?? 'skip',
        active: open.length,
        waiting: open.filter((row) => runStatusOf(row) === 'queued').length,
      });
      await ledger.announce(tx, await ledger.add(tx, moved, latest, how));
    });
  };

  /** A run whose approval has been given or refused goes on in the chat; the task follows it here. */
  const followWaiting = async (row: TaskRunRow): Promise<void> => {
    const task = await taskById(db.read, row.task_id);
    const ids: unknown = JSON.parse(row.run_ids);
    const runId: unknown = Array.isArray(ids) ? ids.at(-1) : undefined;
    if (task === undefined || typeof runId !== 'string') return;
    const caller = await taskCaller(options.callerOf, task);
    if (caller === null) {
      const error = { code: 'FORBIDDEN', message: NO_CALLER };
      return ledger.end({ taskId: task.id, runId: row.id }, { status: 'failed', error, costNano: 0 });
    }
    const found = await options.chat.lookUp(caller, runId);
    if (found.state === 'failed') {
      await ledger.end(
        { taskId: task.id, runId: row.id },
        { status: 'failed', error: found.error, costNano: 0 },
      );
    } else if (found.state === 'ended') {
      // The whole cost of the run is known at its end; what was counted when it began to wait is part of it.
      const outcome = { ...found.outcome, costNano: Math.max(0, found.outcome.costNano - row.cost_nano) };
      await ledger.end(
        { taskId: task.id, runId: row.id },
        taskRunEndOf(row, runId, row.conversation_id ?? '', outcome),
      );
    } else if (found.state === 'running' && task.status === 'awaiting_approval') {
      await db.write(async (tx) => {
        const changes = { status: 'running' as const, updated_at: clock.now() };
        await ledger.announce(tx, await updateTaskWhile(tx, task.id, 'awaiting_approval', changes));
      });
    }
  };

  const each = async <T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> => {
    for (const item of items) {
      try {
        await work(item);
      } catch (error) {
        // One bad row must not hold up the others; it is looked at again at the next tick.
        options.onError(error, 'a task could not be scheduled');
      }
    }
  };

  return {
    /** Makes runs of what is due; returns how many tasks were looked at. */
    async tick(): Promise<number> {
      const now = clock.now();
      if (!(await anyDue(db.read, now))) return 0;
      const due = await dueTasks(db.read, now, BATCH);
      await each(due, (task) => take(task, now));
      return due.length;
    },
    async tickWaiting(): Promise<void> {
      await each(await waitingRuns(db.read, BATCH), async (row) => {
        try {
          await followWaiting(row);
        } catch (error) {
          if (!(error instanceof AppError && error.code === 'NOT_FOUND')) throw error;
          const task = await taskById(db.read, row.task_id);
          if (task === undefined) return;
          const gone = { code: 'NOT_FOUND', message: 'the run that waited for an approval is gone' };
          await ledger.end(
            { taskId: task.id, runId: row.id },
            { status: 'failed', error: gone, costNano: 0 },
          );
        }
      });
    },
  };
};
