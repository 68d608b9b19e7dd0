import type { Queryable } from '../../db/db.ts';

/** True for the one caller, of all nodes, that finds `name` due; it is due again at `next`. */
export const claimDue = async (tx: Queryable, name: string, now: number, next: number): Promise<boolean> => {
  const result = await tx
    .insertInto('maintenance')
    .values({ name, due_at: next, position: null })
    .onConflict((c) => c.column('name').doUpdateSet({ due_at: next }).where('maintenance.due_at', '<=', now))
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
};

export const readPosition = async (db: Queryable, name: string): Promise<string | null> =>
  (await db.selectFrom('maintenance').select('position').where('name', '=', name).executeTakeFirst())
    ?.position ?? null;

export const savePosition = async (tx: Queryable, name: string, position: string | null): Promise<void> => {
  await tx
    .insertInto('maintenance')
    .values({ name, due_at: 0, position })
    .onConflict((c) => c.column('name').doUpdateSet({ position }))
    .execute();
};
