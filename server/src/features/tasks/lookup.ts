import type { Db } from '../../db/db.ts';
import { type Caller, readScope } from '../../kernel/caller.ts';
import { notFound } from '../../kernel/errors.ts';
import { findTask, type TaskRow } from './store.ts';

/** A task that the caller may see. Throws NOT_FOUND. */
export const taskFor = async (db: Db, caller: Caller, id: string): Promise<TaskRow> => {
  const row = await findTask(db.read, readScope(caller), id);
  if (row === undefined) throw notFound('task');
  return row;
};
