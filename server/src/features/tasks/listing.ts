import type { Db } from '../../db/db.ts';
import { type Caller, readScope } from '../../kernel/caller.ts';
import { type PageResult, pageRequest, pageResult } from '../../kernel/pagination.ts';
import { taskFor } from './lookup.ts';
import type { RunLedger } from './runs.ts';
import type { ListTasks, Task, TaskRun } from './schema.ts';
import { listRuns, listTasks, newestRunIds } from './store.ts';
import { taskRunView, taskView } from './wire.ts';

const RUN_IDS_SHOWN = 50;

/** Tasks and their runs, for whoever may see them. */
export const createTaskListing = ({ db, ledger }: { db: Db; ledger: RunLedger }) => ({
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

  get: async (caller: Caller, id: string): Promise<Task> => ledger.view(await taskFor(db, caller, id)),

  async runs(
    caller: Caller,
    id: string,
    query: { page?: number; limit?: number; cursor?: string },
  ): Promise<PageResult<TaskRun>> {
    const row = await taskFor(db, caller, id);
    const page = pageRequest(query);
    const { rows, total } = await listRuns(db.read, row.id, page);
    return pageResult(page, rows.map(taskRunView), total, (item) => ({
      createdAt: Date.parse(item.created_at),
      id: item.id,
    }));
  },
});
