import type { Along, Db, Queryable } from '../../db/db.ts';
import type { Jobs } from '../../jobs/index.ts';
import { type Caller, readScope } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { conflict, forbidden, invalid, notFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { type PageResult, pageRequest, pageResult } from '../../kernel/pagination.ts';
import { type CallerFor, credentialText } from '../../kernel/stored-credential.ts';
import { presentTrace } from '../../kernel/tracing.ts';
import { isTimeZone, parseSchedule } from './cron.ts';
import { createExecutor } from './execute.ts';
import { runKind } from './jobs.ts';
import type { TaskChat } from './ports.ts';
import { changedBy, isFinalTask } from './rules.ts';
import { createRunLedger } from './runs.ts';
import { createScheduler } from './scheduler.ts';
import {
  type CreateTask,
  type ListTasks,
  MAX_CONTEXT_BYTES,
  MAX_DEPTH,
  type PatchTask,
  type Task,
  type TaskRun,
} from './schema.ts';
import {
  activeRuns,
  countMadeByAgents,
  countOpenTasks,
  deleteTask,
  deleteTasksOf,
  findTask,
  insertTask,
  listRuns,
  listTasks,
  lockMaking,
  lockTask,
  newestRunIds,
  type TaskChanges,
  type TaskRow,
  type TaskRunRow,
  taskIdsOf,
  taskOfRun,
  updateRun,
  updateTask,
} from './store.ts';
import { runStatusOf, taskRunView, taskStatusOf, taskView } from './wire.ts';

export interface TasksOptions {
  db: Db;
  clock: Clock;
  jobs: Jobs;
  chat: TaskChat;
  callerOf: CallerFor;
  agentExists(tenantId: string, agentId: string): Promise<boolean>;
  /** Throws VALIDATION_ERROR for a model that no provider has. */
  checkModel(modelId: string, field: string): void;
  onError(error: unknown, message: string): void;
  /** Tasks that agents may make for one person within an hour. */
  agentTasksPerHour: number;
  /** Runs at once in this process. Default 8. */
  concurrency?: number;
  /** Runs at once of one tenant over all processes. Default 4. */
  perTenant?: number;
}

const MAX_OPEN_PER_USER = 200;
const HOUR_MS = 3_600_000;

/** The run in which an agent makes a task, and whether it held untrusted content. */
export interface MadeBy {
  runId: string | null;
  tainted: boolean;
}

const BY_A_PERSON: MadeBy = { runId: null, tainted: false };
const RUN_IDS_SHOWN = 50;

interface Timing {
  cron: string | null;
  timezone: string;
  scheduledAt: number | null;
}

const parseTime = (text: string | undefined): number | null => {
  if (text === undefined) return null;
  const time = Date.parse(text);
  if (!Number.isSafeInteger(time))
    throw invalid({ field: '/scheduled_at', reason: 'must be a valid date-time' });
  return time;
};

/** First slot from now on; null: at once, and only once. Throws VALIDATION_ERROR. */
const firstSlot = (timing: Timing, now: number): number | null => {
  if (!isTimeZone(timing.timezone))
    throw invalid({ field: '/timezone', reason: 'must be an IANA time zone' });
  if (timing.cron === null) {
    return timing.scheduledAt !== null && timing.scheduledAt > now ? timing.scheduledAt : null;
  }
  const from = Math.max(now, (timing.scheduledAt ?? 0) - 1);
  let next: number | null;
  try {
    next = parseSchedule(timing.cron, timing.timezone).next(from);
  } catch (error) {
    throw invalid({ field: '/cron', reason: error instanceof Error ? error.message : 'cannot be read' });
  }
  if (next === null) throw invalid({ field: '/cron', reason: 'never comes due' });
  return next;
};

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

export const createTasks = (options: TasksOptions) => {
  const { db, clock, jobs, chat } = options;
  const ledger = createRunLedger(options);
  const executor = createExecutor({ ...options, ledger });
  const scheduler = createScheduler({ ...options, ledger });
  jobs.work(
    runKind,
    { concurrency: options.concurrency ?? 8, perGroup: options.perTenant ?? 4 },
    executor.handler,
  );

  /** As chat takes it: what it would refuse is refused now, and not when the task is due. */
  const checkContext = async (
    caller: Caller,
    context: Record<string, unknown> | null | undefined,
  ): Promise<void> => {
    if (context === null || context === undefined) return;
    for (const name of ['agent_id', 'model']) {
      const value = context[name];
      if (value === undefined || value === null) continue;
      const field = `/context/${name}`;
      if (typeof value !== 'string') throw invalid({ field, reason: 'must be text' });
      if (name === 'model') options.checkModel(value, field);
      else await checkAgent(caller, value, field);
    }
    if (Buffer.byteLength(JSON.stringify(context)) > MAX_CONTEXT_BYTES) {
      throw invalid({ field: '/context', reason: 'must be at most 32 KiB of JSON' });
    }
  };

  const checkAgent = async (
    caller: Caller,
    agentId: string | null | undefined,
    field = '/agent_id',
  ): Promise<void> => {
    if (agentId === null || agentId === undefined) return;
    if (!(await options.agentExists(caller.tenantId, agentId))) {
      throw invalid({ field, reason: 'is not an agent' });
    }
  };

  const find = async (caller: Caller, id: string): Promise<TaskRow> => {
    const row = await findTask(db.read, readScope(caller), id);
    if (row === undefined) throw notFound('task');
    return row;
  };

  /** Where a task stands that an agent makes. Throws CONFLICT, with what the agent can do instead. */
  const placeOf = async (
    tx: Queryable,
    { tenantId, userId }: Caller,
    runId: string,
    now: number,
  ): Promise<Partial<Pick<TaskRow, 'parent_task_id' | 'depth' | 'tainted'>>> => {
    const made = await countMadeByAgents(tx, tenantId, userId, now - HOUR_MS);
    if (made >= options.agentTasksPerHour) {
      throw conflict(
        `agents have made ${made} tasks for this person within an hour, and no more are taken (AGENT_TASKS_PER_HOUR); do the work in this run, or tell the person`,
      );
    }
    const parent = await taskOfRun(tx, tenantId, userId, runId);
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

  /** `runs`: those that had not ended when the task was cancelled or deleted. */
  const cancelRunning = async (row: TaskRow, runs: readonly TaskRunRow[]): Promise<void> => {
    for (const run of runs) {
      if (runStatusOf(run) === 'queued' || runStatusOf(run) === 'awaiting_approval') {
        await ledger.end({ taskId: row.id, runId: run.id }, { status: 'cancelled', costNano: 0 });
      } else executor.stop(run.id);
      const ids: unknown = JSON.parse(run.run_ids);
      const last: unknown = Array.isArray(ids) ? ids.at(-1) : undefined;
      if (runStatusOf(run) !== 'awaiting_approval' || typeof last !== 'string') continue;
      // To stop it, whatever has become of the key that made the task.
      const owner = await options.callerOf(row.tenant_id, row.user_id, null);
      // The run that waited in the chat must not go on when its approval comes after all.
      if (owner !== null) await chat.cancel(owner, last).catch(() => false);
    }
  };

  return {
    /** `by`: the run of the agent that makes it. Throws CONFLICT for a task too deep or one too many. */
    async create(caller: Caller, body: CreateTask, by: MadeBy = BY_A_PERSON): Promise<Task> {
      if (!caller.permissions.has('chat:write')) throw forbidden('chat:write');
      await checkContext(caller, body.context);
      await checkAgent(caller, body.agent_id);
      const now = clock.now();
      const scheduledAt = parseTime(body.scheduled_at);
      const cron = body.cron ?? null;
      const timezone = body.timezone ?? 'UTC';
      const first = firstSlot({ cron, timezone, scheduledAt }, now);
      const row: TaskRow = {
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
      await db.write(async (tx) => {
        await lockMaking(tx, db.dialect, caller.userId);
        if (by.runId !== null) Object.assign(row, await placeOf(tx, caller, by.runId, now));
        if ((await countOpenTasks(tx, caller.tenantId, caller.userId)) >= MAX_OPEN_PER_USER) {
          throw conflict(`you have ${MAX_OPEN_PER_USER} open tasks; cancel some first`);
        }
        await insertTask(tx, row);
        if (first === null) await ledger.add(tx, row, now, 'start');
        await ledger.announce(tx, row);
      });
      return taskView(row, []);
    },

    async list(caller: Caller, query: ListTasks): Promise<PageResult<Task>> {
      const page = pageRequest(query);
      const { rows, total } = await listTasks(
        db.read,
        readScope(caller),
        { status: query.status, agentId: query.agent_id },
        page,
      );
      const runIds = await newestRunIds(
        db.read,
        rows.map((row) => row.id),
        RUN_IDS_SHOWN,
      );
      return pageResult(
        page,
        rows.map((row) => taskView(row, runIds.get(row.id) ?? [])),
        total,
        (item) => ({ createdAt: Date.parse(item.created_at), id: item.id }),
      );
    },

    get: async (caller: Caller, id: string): Promise<Task> => ledger.view(await find(caller, id)),

    async runs(
      caller: Caller,
      id: string,
      query: { page?: number; limit?: number; cursor?: string },
    ): Promise<PageResult<TaskRun>> {
      const row = await find(caller, id);
      const page = pageRequest(query);
      const { rows, total } = await listRuns(db.read, row.id, page);
      return pageResult(page, rows.map(taskRunView), total, (item) => ({
        createdAt: Date.parse(item.created_at),
        id: item.id,
      }));
    },

    /** Changes what future runs do, and when. Throws CONFLICT for a task that has ended. */
    async patch(caller: Caller, id: string, body: PatchTask): Promise<Task> {
      await find(caller, id);
      await checkContext(caller, body.context);
      await checkAgent(caller, body.agent_id);
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
    },

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
      await cancelRunning(changed, await activeRuns(db.read, changed.id));
      return ledger.view(changed);
    },

    /** Runs a task that failed or was cancelled once more; by cron, its last run failed. Throws CONFLICT otherwise. */
    async retry(caller: Caller, id: string): Promise<Task> {
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
      await cancelRunning(gone.row, gone.open);
    },

    /** For the export and the erasure of a person's data. */
    personalData: (limit: number) => ({
      async exportData(person: { tenantId: string; userId: string }): Promise<Task[]> {
        const page = { page: 1, limit, after: null };
        const { rows } = await listTasks(db.read, { ...person, reach: 'own' }, {}, page);
        return rows.map((row) => taskView(row, []));
      },
      async settle(person: { tenantId: string; userId: string }): Promise<void> {
        for (const id of await taskIdsOf(db.read, person))
          for (const run of await activeRuns(db.read, id)) executor.stop(run.id);
      },
      recordIds: (person: { tenantId: string; userId: string }): Promise<string[]> =>
        taskIdsOf(db.read, person),
      async eraseData(person: { tenantId: string; userId: string }): Promise<number> {
        return db.write((tx) => deleteTasksOf(tx, person.tenantId, person.userId));
      },
    }),

    tick: scheduler.tick,
    tickWaiting: scheduler.tickWaiting,
  };
};

export type Tasks = ReturnType<typeof createTasks>;
