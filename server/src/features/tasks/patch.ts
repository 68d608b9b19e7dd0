import type { Db } from '../../db/db.ts';
import { type Caller, readScope } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { conflict, notFound } from '../../kernel/errors.ts';
import type { TaskChecks } from './checks.ts';
import { taskFor } from './lookup.ts';
import { changedBy, isFinalTask } from './rules.ts';
import type { RunLedger } from './runs.ts';
import type { PatchTask, Task } from './schema.ts';
import { lockTask, type TaskChanges, type TaskRow, updateTask } from './store.ts';
import { firstSlot, parseTime, type Timing } from './timing.ts';
import { taskStatusOf } from './wire.ts';

/** What a request changes of a task as it stands. Throws CONFLICT. */
const patchOf = (row: TaskRow, caller: Caller, body: PatchTask, now: number): TaskChanges => {
  if (isFinalTask(taskStatusOf(row))) throw conflict('this task has ended');
  const does = body.description !== undefined || body.agent_id !== undefined || body.context !== undefined;
  const changes: TaskChanges = {
    ...(does ? changedBy(row, caller) : {}),
    ...(body.description === undefined ? {} : { description: body.description }),
    ...(body.agent_id === undefined ? {} : { agent_id: body.agent_id }),
    ...(body.context === undefined
      ? {}
      : { context: body.context === null ? null : JSON.stringify(body.context) }),
    ...(body.priority === undefined ? {} : { priority: body.priority }),
    ...(body.overlap === undefined ? {} : { overlap: body.overlap }),
    ...(body.missed === undefined ? {} : { missed: body.missed }),
  };
  const timed = body.cron !== undefined || body.timezone !== undefined || body.scheduled_at !== undefined;
  const resumes = body.paused === false && row.paused === 1;
  if (body.paused === true && row.next_run_at === null)
    throw conflict('this task has no time to come that could be paused');
  if (body.paused !== undefined) changes.paused = body.paused ? 1 : 0;
  if (!timed && !resumes) return changes;
  if (row.next_run_at === null) throw conflict('this task has no time to come that could be changed');
  const timing: Timing = {
    cron: body.cron ?? row.cron,
    timezone: body.timezone ?? row.timezone,
    scheduledAt: parseTime(body.scheduled_at) ?? row.scheduled_at,
  };
  return {
    ...changes,
    cron: timing.cron,
    timezone: timing.timezone,
    scheduled_at: timing.scheduledAt,
    next_run_at: firstSlot(timing, now) ?? now,
  };
};

export interface PatchOptions {
  db: Db;
  clock: Clock;
  ledger: RunLedger;
  checks: TaskChecks;
}

/** Changes what future runs do, and when. Throws CONFLICT for a task that has ended. */
export const createTaskPatch =
  ({ db, clock, ledger, checks }: PatchOptions) =>
  async (caller: Caller, id: string, body: PatchTask): Promise<Task> => {
    await taskFor(db, caller, id);
    await checks.context(caller, body.context);
    await checks.agent(caller, body.agent_id);
    const changed = await db.write(async (tx) => {
      // What it may do and when it runs next follow from the row, which others change meanwhile.
      const row = await lockTask(tx, db.dialect, readScope(caller), id);
      if (row === undefined) return undefined;
      const now = clock.now();
      const changes = { ...patchOf(row, caller, body, now), updated_at: now };
      return ledger.announce(tx, await updateTask(tx, row.id, changes));
    });
    if (changed === undefined) throw notFound('task');
    return ledger.view(changed);
  };
