import { iso, isoOrNull } from '../../kernel/clock.ts';
import { nanoToUsd } from '../../kernel/money.ts';
import { isTainted, readTaint, type Taint } from '../../kernel/taint.ts';
import {
  MISSED,
  OVERLAPS,
  PRIORITIES,
  type Priority,
  TASK_RUN_STATUSES,
  TASK_STATUSES,
  type Task,
  type TaskRun,
  type TaskRunStatus,
  type TaskStatus,
} from './schema.ts';
import type { TaskRow, TaskRunRow } from './store.ts';

export const taskStatusOf = (row: Pick<TaskRow, 'status'>): TaskStatus =>
  TASK_STATUSES.find((status) => status === row.status) ?? 'failed';

export const runStatusOf = (row: Pick<TaskRunRow, 'status'>): TaskRunStatus =>
  TASK_RUN_STATUSES.find((status) => status === row.status) ?? 'failed';

export const priorityOf = (row: Pick<TaskRow, 'priority'>): Priority =>
  PRIORITIES.find((priority) => priority === row.priority) ?? 'normal';

/** What this feature itself has written as JSON. */
const stored = <T>(json: string | null): T | null => (json === null ? null : (JSON.parse(json) as T));

/** What its runs have brought into what it tells. A result that an earlier release wrote down does not say it. */
export const taintOfTask = (row: Pick<TaskRow, 'taint' | 'result'>): Taint => {
  if (row.taint !== null) return readTaint(row.taint);
  return row.result === null ? [] : ['earlier'];
};

export const taskView = (row: TaskRow, runIds: readonly string[]): Task => ({
  id: row.id,
  description: row.description,
  agent_id: row.agent_id,
  context: stored<Record<string, unknown>>(row.context),
  priority: priorityOf(row),
  scheduled_at: isoOrNull(row.scheduled_at),
  cron: row.cron,
  timezone: row.timezone,
  overlap: OVERLAPS.find((o) => o === row.overlap) ?? 'skip',
  missed: MISSED.find((m) => m === row.missed) ?? 'run_once',
  status: taskStatusOf(row),
  progress: stored<NonNullable<Task['progress']>>(row.progress),
  result: stored<NonNullable<Task['result']>>(row.result),
  error: stored<NonNullable<Task['error']>>(row.error),
  attempts: row.attempts,
  run_ids: [...runIds],
  next_run_at: row.paused === 1 ? null : isoOrNull(row.next_run_at),
  paused: row.paused === 1,
  created_by: row.user_id,
  parent_task_id: row.parent_task_id,
  depth: row.depth,
  tainted: row.tainted === 1 || isTainted(taintOfTask(row)),
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
  finished_at: isoOrNull(row.finished_at),
});

export const taskRunView = (row: TaskRunRow): TaskRun => ({
  id: row.id,
  task_id: row.task_id,
  status: runStatusOf(row),
  scheduled_for: iso(row.slot_at),
  attempts: row.attempts,
  run_ids: stored<string[]>(row.run_ids) ?? [],
  conversation_id: row.conversation_id,
  result: stored<NonNullable<TaskRun['result']>>(row.result),
  error: stored<NonNullable<TaskRun['error']>>(row.error),
  cost_usd: nanoToUsd(row.cost_nano),
  created_at: iso(row.created_at),
  started_at: isoOrNull(row.started_at),
  finished_at: isoOrNull(row.finished_at),
});
