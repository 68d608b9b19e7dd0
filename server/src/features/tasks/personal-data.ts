import type { Db } from '../../db/db.ts';
import type { Executor } from './execute.ts';
import type { Task } from './schema.ts';
import { activeRuns, deleteTasksOf, listTasks, taskIdsOf } from './store.ts';
import { taskView } from './wire.ts';

export interface TaskOwner {
  tenantId: string;
  userId: string;
}

/** For the export and the erasure of a person's data. */
export const createTaskData = (db: Db, executor: Pick<Executor, 'stop'>) => (limit: number) => ({
  async exportData(person: TaskOwner): Promise<Task[]> {
    const page = { page: 1, limit, after: null };
    const { rows } = await listTasks(db.read, { ...person, reach: 'own' }, {}, page);
    return rows.map((row) => taskView(row, []));
  },
  async settle(person: TaskOwner): Promise<void> {
    for (const id of await taskIdsOf(db.read, person))
      for (const run of await activeRuns(db.read, id)) executor.stop(run.id);
  },
  recordIds: (person: TaskOwner): Promise<string[]> => taskIdsOf(db.read, person),
  async eraseData(person: TaskOwner): Promise<number> {
    return db.write((tx) => deleteTasksOf(tx, person.tenantId, person.userId));
  },
});
