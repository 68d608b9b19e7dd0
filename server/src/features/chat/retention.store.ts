import type { Queryable } from '../../db/db.ts';

/** The smallest UUIDv7 of a time: ids of runs are in the order of their creation. */
const firstIdAt = (epochMs: number): string => {
  const digits = Math.max(0, Math.floor(epochMs)).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`;
};

/**
 * Drops the events of runs that were begun and have ended before `before`, going on behind the run `after`. Looks at
 * `limit` runs, whether they had events or not. `next`: where to go on, never behind a run that has not ended; `more`:
 * whether there may be more to do now.
 */
export const dropRunEventsBefore = async (
  tx: Queryable,
  before: number,
  limit: number,
  after: string | null,
): Promise<{ rows: number; next: string | null; more: boolean }> => {
  const runs = await tx
    .selectFrom('runs')
    .select(['id', 'finished_at'])
    .where('id', '<', firstIdAt(before))
    .where('id', '>', after ?? '')
    .orderBy('id')
    .limit(limit)
    .execute();
  const hasEnded = (run: { finished_at: number | null }): boolean =>
    run.finished_at !== null && run.finished_at < before;
  const ended = runs.filter(hasEnded).map((run) => run.id);
  const open = runs.findIndex((run) => !hasEnded(run));
  const passed = open < 0 ? runs.at(-1) : runs[open - 1];
  let rows = 0;
  if (ended.length > 0) {
    const emptied = await tx
      .updateTable('runs')
      .set({ journal: null })
      .where('id', 'in', ended)
      .where('journal', 'is not', null)
      .executeTakeFirst();
    rows = Number(emptied.numUpdatedRows);
    await tx.deleteFrom('run_steps').where('run_id', 'in', ended).execute();
  }
  return { rows, next: passed?.id ?? after, more: open < 0 && runs.length === limit };
};
