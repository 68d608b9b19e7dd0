import type { Queryable } from '../../../db/db.ts';
import type { A2aPushConfigRow } from '../../../db/tables/a2a.ts';

export type { A2aPushConfigRow };

/** Whose configurations of which task. */
export interface OfTask {
  tenantId: string;
  userId: string;
  runId: string;
}

export const configsOf = (db: Queryable, { tenantId, userId, runId }: OfTask): Promise<A2aPushConfigRow[]> =>
  db
    .selectFrom('a2a_push_configs')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('run_id', '=', runId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

export const findConfig = (db: Queryable, id: string): Promise<A2aPushConfigRow | undefined> =>
  db.selectFrom('a2a_push_configs').selectAll().where('id', '=', id).executeTakeFirst();

/** Those that have not ended: of the person, and of the whole tenant. */
export const openCounts = async (
  db: Queryable,
  { tenantId, userId }: { tenantId: string; userId: string },
): Promise<{ own: number; all: number }> => {
  const row = await db
    .selectFrom('a2a_push_configs')
    .select((eb) => [
      eb.fn.countAll<number>().as('n'),
      eb.fn.sum<number | null>(eb.case().when('user_id', '=', userId).then(1).else(0).end()).as('own'),
    ])
    .where('tenant_id', '=', tenantId)
    .where('finished_at', 'is', null)
    .executeTakeFirstOrThrow();
  return { own: Number(row.own ?? 0), all: Number(row.n) };
};

export const insertConfig = async (tx: Queryable, row: A2aPushConfigRow): Promise<void> => {
  await tx.insertInto('a2a_push_configs').values(row).execute();
};

export const deleteConfig = async (tx: Queryable, id: string): Promise<boolean> => {
  const gone = await tx.deleteFrom('a2a_push_configs').where('id', '=', id).executeTakeFirst();
  return gone.numDeletedRows > 0n;
};

type Untold = Pick<A2aPushConfigRow, 'id' | 'tenant_id' | 'user_id' | 'due'>;

/**
 * Configurations of tasks that have moved on from what their clients know, and those whose attempt has been due since `lostAt`:
 * its job is not there any more.
 */
export const untoldConfigs = (
  db: Queryable,
  { runId, lostAt, limit }: { runId: string | null; lostAt: number; limit: number },
): Promise<Untold[]> => {
  let open = db
    .selectFrom('a2a_push_configs as c')
    .innerJoin('runs as r', 'r.id', 'c.run_id')
    .select(['c.id', 'c.tenant_id', 'c.user_id', 'c.due'])
    .where('c.finished_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb.and([eb('c.due', 'is', null), eb('r.status', 'is distinct from', eb.ref('c.told'))]),
        eb('c.due', '<', lostAt),
      ]),
    );
  if (runId !== null) open = open.where('c.run_id', '=', runId);
  return open.limit(limit).execute();
};

export type PushChanges = Partial<
  Pick<A2aPushConfigRow, 'told' | 'told_count' | 'attempts' | 'due' | 'end_reason' | 'finished_at'>
>;

/** False where it has ended, or another has it: `due` is what the caller knows. */
export const changeConfig = async (
  tx: Queryable,
  { id, due }: Pick<A2aPushConfigRow, 'id' | 'due'>,
  changes: PushChanges,
): Promise<boolean> => {
  const done = await tx
    .updateTable('a2a_push_configs')
    .set(changes)
    .where('id', '=', id)
    .where('due', 'is not distinct from', due)
    .where('finished_at', 'is', null)
    .executeTakeFirst();
  return done.numUpdatedRows > 0n;
};
