import type { Queryable } from '../../../db/db.ts';
import type { MachineKeyRow } from '../../../db/tables/identity.ts';

export type { MachineKeyRow };

export const insertMachineKey = async (tx: Queryable, row: MachineKeyRow): Promise<void> => {
  await tx.insertInto('machine_keys').values(row).execute();
};

/** Newest first. */
export const listMachineKeys = (db: Queryable, userId: string, limit: number): Promise<MachineKeyRow[]> =>
  db
    .selectFrom('machine_keys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

export const countMachineKeys = async (db: Queryable, userId: string): Promise<number> => {
  const row = await db
    .selectFrom('machine_keys')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return Number(row.total);
};

export const deleteMachineKey = async (tx: Queryable, userId: string, id: string): Promise<boolean> =>
  (
    await tx
      .deleteFrom('machine_keys')
      .where('user_id', '=', userId)
      .where('id', '=', id)
      .returning('id')
      .execute()
  ).length > 0;

/** Those that a maker fetched whom `isBeyond` tells; how many went. */
export const deleteMachineKeysBeyond = async (
  tx: Queryable,
  userId: string,
  isBeyond: (maker: string | null) => boolean,
): Promise<number> => {
  const keys = await tx
    .selectFrom('machine_keys')
    .select(['id', 'maker_permissions'])
    .where('user_id', '=', userId)
    .execute();
  const beyond = keys.filter((key) => isBeyond(key.maker_permissions));
  for (const { id } of beyond) await deleteMachineKey(tx, userId, id);
  return beyond.length;
};
