import type { Db, Queryable, Tx } from '../../db/db.ts';
import type { Jobs } from '../../jobs/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { NewEvent } from '../../kernel/events.ts';
import { newId } from '../../kernel/ids.ts';
import { joinTaint, type Taint, taintText } from '../../kernel/taint.ts';
import { presentTrace } from '../../kernel/tracing.ts';
import { runKind } from './jobs.ts';
import type { TaskChat } from './ports.ts';
import { isActiveRun, PRIORITY_RANK, taskStatusAfter } from './rules.ts';
import type { TaskRunStatus } from './schema.ts';
import {
  activeRuns,
  holdTask,
  insertTaskRun,
  newestRunIds,
  runById,
  type TaskRow,
  type TaskRunRow,
  taskById,
  updateRun,
  updateTask,
} from './store.ts';
import { priorityOf, runStatusOf, taintOfTask, taskStatusOf, taskView } from './wire.ts';

/** Changes of runs with what follows from them for their task, its events and its next run: one transaction each. */
export interface RunLedgerOptions {
  db: Db;
  clock: Clock;
  jobs: Pick<Jobs, 'enqueue'>;
  chat: Pick<TaskChat, 'taintOf'>;
}

export type TaskRunEnd =
  | { status: 'completed'; result: Record<string, unknown>; costNano: number }
  | { status: 'failed'; error: { code: string; message: string }; costNano: number }
  | { status: 'cancelled'; costNano: number };

/** What the events of a run came to. */
export interface RunCounts {
  tool_calls: number;
  characters: number;
}

const RUN_IDS_SHOWN = 50;

export const createRunLedger = (options: RunLedgerOptions) => {
  const { db, clock } = options;

  const base = (task: TaskRow) => ({
    tenantId: task.tenant_id,
    userId: task.user_id,
    reach: 'own' as const,
    permission: 'tasks:read',
  });

  const view = async (task: TaskRow, from: Queryable = db.read) =>
    taskView(task, (await newestRunIds(from, [task.id], RUN_IDS_SHOWN)).get(task.id) ?? []);

  /** Tells connections how a task stands after this transaction; nothing where there was none to change. */
  const announce = async <T extends TaskRow | undefined>(tx: Tx, task: T): Promise<T> => {
    if (task !== undefined)
      await tx.emit({ ...base(task), type: 'task.updated', data: { ...(await view(task, tx)) } });
    return task;
  };

  const enqueue = (tx: Queryable, task: TaskRow, runId: string): Promise<void> =>
    options.jobs.enqueue(
      tx,
      runKind,
      {
        v: 1,
        task_run_id: runId,
        tenant_id: task.tenant_id,
        // Whoever asks for this run now goes before whoever made the task.
        ...(task.trace_parent === null || presentTrace() !== null ? {} : { traceparent: task.trace_parent }),
      },
      { group: task.tenant_id, priority: PRIORITY_RANK[priorityOf(task)] },
    );

  const newRow = (task: TaskRow, slotAt: number, status: TaskRunStatus): TaskRunRow => ({
    id: newId(),
    task_id: task.id,
    tenant_id: task.tenant_id,
    user_id: task.user_id,
    slot_at: slotAt,
    status,
    attempts: 0,
    run_ids: '[]',
    conversation_id: null,
    result: null,
    error: null,
    cost_nano: 0,
    cancel_requested: 0,
    created_at: clock.now(),
    started_at: null,
    finished_at: status === 'skipped' ? clock.now() : null,
    taint: null,
  });

  /** Adds the run of a slot; `start`: it may begin at once. Undefined when the slot has one already. */
  const add = async (
    tx: Queryable,
    task: TaskRow,
    slotAt: number,
    how: 'start' | 'wait' | 'skip',
  ): Promise<TaskRow | undefined> => {
    const row = newRow(task, slotAt, how === 'skip' ? 'skipped' : 'queued');
    if (!(await insertTaskRun(tx, row))) return undefined;
    if (how !== 'start') return task;
    await enqueue(tx, task, row.id);
    return updateTask(tx, task.id, {
      status: 'queued',
      attempts: 0,
      progress: null,
      error: null,
      finished_at: null,
      updated_at: clock.now(),
    });
  };

  const endEvent = (
    task: TaskRow,
    run: TaskRunRow,
    attempts: number,
    ending: Exclude<TaskRunEnd, { status: 'cancelled' }>,
  ): NewEvent => ({
    ...base(task),
    type: ending.status === 'completed' ? 'task.completed' : 'task.failed',
    data: {
      task_id: task.id,
      description: task.description.slice(0, 500),
      task_run_id: run.id,
      scheduled_for: new Date(run.slot_at).toISOString(),
      attempts,
      ...(ending.status === 'completed' ? { result: ending.result } : { error: ending.error }),
    },
  });

  /** Both as they stand now, and held; null where the run has ended, or the task is gone. */
  const holdOpen = async (
    tx: Queryable,
    of: { taskId: string; runId: string },
  ): Promise<{ task: TaskRow; run: TaskRunRow } | null> => {
    await holdTask(tx, db.dialect, of.taskId);
    const task = await taskById(tx, of.taskId);
    const run = await runById(tx, of.runId);
    if (task === undefined || run === undefined || !isActiveRun(runStatusOf(run))) return null;
    return { task, run };
  };

  /** What the run has read, whose result the task now tells. Where that is not known any more it counts as untrusted. */
  const taintOfEnd = async (tx: Queryable, run: TaskRunRow): Promise<Taint> => {
    if (run.run_ids === '[]') return [];
    const found = run.conversation_id === null ? null : await options.chat.taintOf(tx, run.conversation_id);
    return found ?? ['earlier'];
  };

  /**
   * The run has ended: task, events and the run that waits behind it. `counted`: where all its events were seen. Of any number of
   * ends the first counts.
   */
  const end = async (
    of: { taskId: string; runId: string },
    ending: TaskRunEnd,
    counted: RunCounts | null = null,
  ): Promise<void> => {
    const now = clock.now();
    const error = ending.status === 'failed' ? JSON.stringify(ending.error) : null;
    const result = ending.status === 'completed' ? JSON.stringify(ending.result) : null;
    await db.write(async (tx) => {
      const open = await holdOpen(tx, of);
      if (open === null) return;
      const { task, run } = open;
      const taint = await taintOfEnd(tx, run);
      const ended = await updateRun(tx, run.id, {
        taint: taintText(taint),
        status: ending.status,
        result,
        error,
        cost_nano: run.cost_nano + ending.costNano,
        finished_at: now,
      });
      if (ended === undefined) return;
      const next = (await activeRuns(tx, task.id)).find((other) => runStatusOf(other) === 'queued');
      const cancelledForGood = taskStatusOf(task) === 'cancelled';
      const status = cancelledForGood
        ? 'cancelled'
        : next !== undefined
          ? 'queued'
          : taskStatusAfter(ending.status, task.next_run_at);
      const changed = await updateTask(tx, task.id, {
        status,
        attempts: ended.attempts,
        taint: taintText(joinTaint(taintOfTask(task), taint)),
        ...(result === null ? {} : { result }),
        error,
        progress:
          ending.status === 'completed'
            ? JSON.stringify({
                ...(task.progress === null ? { tool_calls: 0, characters: 0 } : JSON.parse(task.progress)),
                ...(counted === null
                  ? {}
                  : { tool_calls: counted.tool_calls, characters: counted.characters }),
                percent: 100,
                step: null,
                updated_at: new Date(now).toISOString(),
              })
            : task.progress,
        updated_at: now,
        finished_at: status === 'scheduled' || status === 'queued' ? null : now,
      });
      if (changed === undefined) return;
      if (next !== undefined && !cancelledForGood) await enqueue(tx, changed, next.id);
      await announce(tx, changed);
      if (ending.status !== 'cancelled') await tx.emit(endEvent(task, run, ended.attempts, ending));
    });
  };

  /** A state in between: the run and its task change together. False for a run that has ended, or is to be cancelled. */
  const step = async (
    of: { taskId: string; runId: string },
    changes: { run: Parameters<typeof updateRun>[2]; task: Parameters<typeof updateTask>[2] },
  ): Promise<boolean> =>
    db.write(async (tx) => {
      const open = await holdOpen(tx, of);
      if (open === null || open.run.cancel_requested === 1) return false;
      await updateRun(tx, of.runId, changes.run);
      const changed = await updateTask(tx, of.taskId, { ...changes.task, updated_at: clock.now() });
      return (await announce(tx, changed)) !== undefined;
    });

  return { add, end, step, announce, view };
};

export type RunLedger = ReturnType<typeof createRunLedger>;
