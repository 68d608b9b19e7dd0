import { sql } from 'kysely';
import type { DialectName, Queryable } from '../../db/db.ts';
import { listPage } from '../../db/page.ts';
import type { TaskRow, TaskRunRow } from '../../db/tables/tasks.ts';
import type { Scope } from '../../kernel/caller.ts';
import type { PageRequest } from '../../kernel/pagination.ts';
import { ACTIVE_RUN_STATUSES } from './rules.ts';

export type { TaskRow, TaskRunRow };

export const insertTask = async (tx: Queryable, row: TaskRow): Promise<void> => {
  await tx.insertInto('tasks').values(row).execute();
};

export const findTask = (db: Queryable, scope: Scope, id: string): Promise<TaskRow | undefined> => {
  const query = db
    .selectFrom('tasks')
    .selectAll()
    .where('id', '=', id)
    .where('tenant_id', '=', scope.tenantId);
  return (scope.reach === 'tenant' ? query : query.where('user_id', '=', scope.userId)).executeTakeFirst();
};

/** Until the transaction ends nobody else changes the row. Who changes a task and its runs holds the task first. */
export const holdTask = async (tx: Queryable, dialect: DialectName, id: string): Promise<void> => {
  if (dialect === 'postgres') await sql`select 1 from tasks where id = ${id} for update`.execute(tx);
};

/** As `findTask`, and nobody else changes the row until the transaction ends. */
export const lockTask = async (
  tx: Queryable,
  dialect: DialectName,
  scope: Scope,
  id: string,
): Promise<TaskRow | undefined> => {
  await holdTask(tx, dialect, id);
  return findTask(tx, scope, id);
};

/** For the platform's own work on a task, which has no caller. */
export const taskById = (db: Queryable, id: string): Promise<TaskRow | undefined> =>
  db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirst();

export const countOpenTasks = async (db: Queryable, tenantId: string, userId: string): Promise<number> => {
  const row = await db
    .selectFrom('tasks')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('status', 'not in', ['completed', 'failed', 'cancelled'])
    .executeTakeFirstOrThrow();
  return Number(row.n);
};

/** Tasks that are made for one person at the same instant are counted one after another (SQLite has one writer). */
export const lockMaking = async (tx: Queryable, dialect: DialectName, userId: string): Promise<void> => {
  if (dialect === 'postgres')
    await sql`select pg_advisory_xact_lock(hashtext('task'), hashtext(${userId}))`.execute(tx);
};

/** How many tasks agents have made for the person since then. */
export const countMadeByAgents = async (
  db: Queryable,
  tenantId: string,
  userId: string,
  since: number,
): Promise<number> => {
  const row = await db
    .selectFrom('tasks')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('created_at', '>', since)
    .where('created_by_run', 'is not', null)
    .executeTakeFirstOrThrow();
  return Number(row.n);
};

/** The task in whose run a chat run goes on; undefined where it is none's. Ids have no character that LIKE knows. */
export const taskOfRun = (
  db: Queryable,
  tenantId: string,
  userId: string,
  chatRunId: string,
): Promise<Pick<TaskRow, 'id' | 'depth' | 'tainted'> | undefined> =>
  db
    .selectFrom('task_runs')
    .innerJoin('tasks', 'tasks.id', 'task_runs.task_id')
    .select(['tasks.id', 'tasks.depth', 'tasks.tainted'])
    .where('task_runs.tenant_id', '=', tenantId)
    .where('task_runs.user_id', '=', userId)
    .where('task_runs.run_ids', 'like', `%${chatRunId}%`)
    .executeTakeFirst();

export const listTasks = async (
  db: Queryable,
  scope: Scope,
  filter: { status?: string | undefined; agentId?: string | undefined },
  page: PageRequest,
): Promise<{ rows: TaskRow[]; total: number }> => {
  let matching = db.selectFrom('tasks').where('tenant_id', '=', scope.tenantId);
  if (scope.reach === 'own') matching = matching.where('user_id', '=', scope.userId);
  if (filter.status !== undefined) matching = matching.where('status', '=', filter.status);
  if (filter.agentId !== undefined) matching = matching.where('agent_id', '=', filter.agentId);
  return listPage(matching.selectAll(), page);
};

export type TaskChanges = Partial<Omit<TaskRow, 'id' | 'tenant_id' | 'user_id' | 'created_at'>>;

export const updateTask = (tx: Queryable, id: string, changes: TaskChanges): Promise<TaskRow | undefined> =>
  tx.updateTable('tasks').set(changes).where('id', '=', id).returningAll().executeTakeFirst();

/** Only where it stands so still: others have changed it otherwise. */
export const updateTaskWhile = (
  tx: Queryable,
  id: string,
  status: TaskRow['status'],
  changes: TaskChanges,
): Promise<TaskRow | undefined> =>
  tx
    .updateTable('tasks')
    .set(changes)
    .where('id', '=', id)
    .where('status', '=', status)
    .returningAll()
    .executeTakeFirst();

export const deleteTask = async (tx: Queryable, id: string): Promise<void> => {
  await tx.deleteFrom('tasks').where('id', '=', id).execute();
};

export const anyDue = async (db: Queryable, now: number): Promise<boolean> => {
  const row = await db
    .selectFrom('tasks')
    .select('id')
    .where('next_run_at', '<=', now)
    .where('paused', '=', 0)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
};

export const dueTasks = (db: Queryable, now: number, limit: number): Promise<TaskRow[]> =>
  db
    .selectFrom('tasks')
    .selectAll()
    .where('next_run_at', '<=', now)
    .where('paused', '=', 0)
    .orderBy('next_run_at')
    .orderBy('id')
    .limit(limit)
    .execute();

/** Moves a task to its next slot; undefined when another node was faster, or the task has changed. */
export const moveOn = (
  tx: Queryable,
  task: { id: string; nextRunAt: number },
  nextRunAt: number | null,
): Promise<TaskRow | undefined> =>
  tx
    .updateTable('tasks')
    .set({ next_run_at: nextRunAt })
    .where('id', '=', task.id)
    .where('next_run_at', '=', task.nextRunAt)
    .where('paused', '=', 0)
    .returningAll()
    .executeTakeFirst();

/** False when this slot has its run already. */
export const insertTaskRun = async (tx: Queryable, row: TaskRunRow): Promise<boolean> => {
  const inserted = await tx
    .insertInto('task_runs')
    .values(row)
    .onConflict((conflict) => conflict.columns(['task_id', 'slot_at']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
};

export const runById = (db: Queryable, id: string): Promise<TaskRunRow | undefined> =>
  db.selectFrom('task_runs').selectAll().where('id', '=', id).executeTakeFirst();

export type RunChanges = Partial<Omit<TaskRunRow, 'id' | 'task_id' | 'tenant_id' | 'user_id' | 'created_at'>>;

export const updateRun = (tx: Queryable, id: string, changes: RunChanges): Promise<TaskRunRow | undefined> =>
  tx.updateTable('task_runs').set(changes).where('id', '=', id).returningAll().executeTakeFirst();

/** Runs of a task that have not ended, oldest slot first. */
export const activeRuns = (db: Queryable, taskId: string): Promise<TaskRunRow[]> =>
  db
    .selectFrom('task_runs')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('status', 'in', [...ACTIVE_RUN_STATUSES])
    .orderBy('slot_at')
    .orderBy('id')
    .execute();

export const waitingRuns = (db: Queryable, limit: number): Promise<TaskRunRow[]> =>
  db
    .selectFrom('task_runs')
    .selectAll()
    .where('status', '=', 'awaiting_approval')
    .orderBy('created_at')
    .limit(limit)
    .execute();

/** Chat runs of a task, newest last. */
export const newestRunIds = async (
  db: Queryable,
  taskIds: readonly string[],
  limit: number,
): Promise<Map<string, string[]>> => {
  const found = new Map<string, string[]>();
  if (taskIds.length === 0) return found;
  const rows = await db
    .selectFrom('task_runs')
    .select(['task_id', 'run_ids'])
    .where('task_id', 'in', taskIds)
    .where('status', '!=', 'skipped')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit * taskIds.length)
    .execute();
  for (const row of rows.reverse()) {
    const ids: unknown = JSON.parse(row.run_ids);
    const list = found.get(row.task_id) ?? [];
    if (Array.isArray(ids)) list.push(...ids.filter((id) => typeof id === 'string'));
    found.set(row.task_id, list.slice(-limit));
  }
  return found;
};

export const listRuns = async (
  db: Queryable,
  taskId: string,
  page: PageRequest,
): Promise<{ rows: TaskRunRow[]; total: number }> => {
  const matching = db.selectFrom('task_runs').where('task_id', '=', taskId);
  return listPage(matching.selectAll(), page);
};

export const taskIdsOf = async (
  db: Queryable,
  owner: { tenantId: string; userId: string },
): Promise<string[]> => {
  const rows = await db
    .selectFrom('tasks')
    .select('id')
    .where('tenant_id', '=', owner.tenantId)
    .where('user_id', '=', owner.userId)
    .execute();
  return rows.map((row) => row.id);
};

/** Everything of a person, for erasure. */
export const deleteTasksOf = async (tx: Queryable, tenantId: string, userId: string): Promise<number> => {
  const result = await tx
    .deleteFrom('tasks')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
};
