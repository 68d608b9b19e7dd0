import type { Db, Queryable } from '../../db/db.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { conflict, forbidden } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { credentialText } from '../../kernel/stored-credential.ts';
import { presentTrace } from '../../kernel/tracing.ts';
import type { TaskChecks } from './checks.ts';
import type { RunLedger } from './runs.ts';
import { type CreateTask, MAX_DEPTH, type Task } from './schema.ts';
import {
  countMadeByAgents,
  countOpenTasks,
  insertTask,
  lockMaking,
  type TaskRow,
  taskOfRun,
} from './store.ts';
import { firstSlot, parseTime } from './timing.ts';
import { taskView } from './wire.ts';

/** The run in which an agent makes a task, and whether it held untrusted content. */
export interface MadeBy {
  runId: string | null;
  tainted: boolean;
}

const BY_A_PERSON: MadeBy = { runId: null, tainted: false };

const MAX_OPEN_PER_USER = 200;
const HOUR_MS = 3_600_000;

export interface CreationOptions {
  db: Db;
  clock: Clock;
  ledger: RunLedger;
  checks: TaskChecks;
  agentTasksPerHour: number;
}

/** Where a task stands that an agent makes. Throws CONFLICT, with what the agent can do instead. */
const placeOf = async (
  tx: Queryable,
  { tenantId, userId }: Caller,
  made: { runId: string; now: number; perHour: number },
): Promise<Partial<Pick<TaskRow, 'parent_task_id' | 'depth' | 'tainted'>>> => {
  const count = await countMadeByAgents(tx, tenantId, userId, made.now - HOUR_MS);
  if (count >= made.perHour) {
    throw conflict(
      `agents have made ${count} tasks for this person within an hour, and no more are taken (AGENT_TASKS_PER_HOUR); do the work in this run, or tell the person`,
    );
  }
  const parent = await taskOfRun(tx, tenantId, userId, made.runId);
  if (parent === undefined) return {};
  if (parent.depth >= MAX_DEPTH) {
    throw conflict(
      `tasks that tasks make stop at depth ${MAX_DEPTH}, and this run is of a task at that depth; do the work in this run, or tell the person what is left`,
    );
  }
  return {
    parent_task_id: parent.id,
    depth: parent.depth + 1,
    ...(parent.tainted === 1 ? { tainted: 1 } : {}),
  };
};

/** The row of a task as it is asked for; of one that an agent makes, its place among tasks comes later. */
const newTask = (caller: Caller, body: CreateTask, by: MadeBy, now: number): TaskRow => {
  const scheduledAt = parseTime(body.scheduled_at);
  const cron = body.cron ?? null;
  const timezone = body.timezone ?? 'UTC';
  const first = firstSlot({ cron, timezone, scheduledAt }, now);
  return {
    id: newId(),
    tenant_id: caller.tenantId,
    user_id: caller.userId,
    description: body.description,
    agent_id: body.agent_id ?? null,
    context: body.context === undefined ? null : JSON.stringify(body.context),
    priority: body.priority ?? 'normal',
    scheduled_at: scheduledAt,
    cron,
    timezone,
    overlap: body.overlap ?? 'skip',
    missed: body.missed ?? 'run_once',
    permissions: JSON.stringify([...caller.permissions].sort()),
    credential: credentialText(caller),
    status: first === null ? 'queued' : 'scheduled',
    progress: null,
    result: null,
    error: null,
    attempts: 0,
    next_run_at: first,
    paused: 0,
    created_at: now,
    updated_at: now,
    finished_at: null,
    tainted: by.tainted ? 1 : 0,
    parent_task_id: null,
    depth: 1,
    created_by_run: by.runId,
    trace_parent: presentTrace(),
    taint: null,
  };
};

/** `by`: the run of the agent that makes it. Throws CONFLICT for a task too deep or one too many. */
export const createTaskCreation =
  ({ db, clock, ledger, checks, agentTasksPerHour }: CreationOptions) =>
  async (caller: Caller, body: CreateTask, by: MadeBy = BY_A_PERSON): Promise<Task> => {
    if (!caller.permissions.has('chat:write')) throw forbidden('chat:write');
    await checks.context(caller, body.context);
    await checks.agent(caller, body.agent_id);
    const now = clock.now();
    const row = newTask(caller, body, by, now);
    await db.write(async (tx) => {
      await lockMaking(tx, db.dialect, caller.userId);
      if (by.runId !== null) {
        const made = { runId: by.runId, now, perHour: agentTasksPerHour };
        Object.assign(row, await placeOf(tx, caller, made));
      }
      if ((await countOpenTasks(tx, caller.tenantId, caller.userId)) >= MAX_OPEN_PER_USER) {
        throw conflict(`you have ${MAX_OPEN_PER_USER} open tasks; cancel some first`);
      }
      await insertTask(tx, row);
      if (row.next_run_at === null) await ledger.add(tx, row, now, 'start');
      await ledger.announce(tx, row);
    });
    return taskView(row, []);
  };
