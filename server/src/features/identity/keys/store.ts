import type { Queryable } from '../../../db/db.ts';
import type { ApiKeyRow } from '../../../db/tables/identity.ts';
import type { PageRequest } from '../../../kernel/pagination.ts';

export type { ApiKeyRow };

/** Keys belong to one person and nobody else sees them. */
export interface KeyOwner {
  userId: string;
  kind: 'api_key' | 'personal_token';
}

export const insertKey = async (tx: Queryable, row: ApiKeyRow): Promise<void> => {
  await tx.insertInto('api_keys').values(row).execute();
};

/** Newest first, up to `limit + 1` rows, and the number of all. */
export const listKeys = async (
  db: Queryable,
  owner: KeyOwner,
  page: PageRequest,
): Promise<{ rows: ApiKeyRow[]; total: number }> => {
  const mine = db.selectFrom('api_keys').where('user_id', '=', owner.userId).where('kind', '=', owner.kind);
  const { after } = page;
  let query = mine
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit + 1);
  query =
    after === null
      ? query.offset((page.page - 1) * page.limit)
      : query.where((eb) =>
          eb.or([
            eb('created_at', '<', after.createdAt),
            eb.and([eb('created_at', '=', after.createdAt), eb('id', '<', after.id)]),
          ]),
        );
  const [rows, count] = await Promise.all([
    query.execute(),
    mine.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { rows, total: Number(count.total) };
};

export const findKey = (db: Queryable, owner: KeyOwner, id: string): Promise<ApiKeyRow | undefined> =>
  db
    .selectFrom('api_keys')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', owner.userId)
    .where('kind', '=', owner.kind)
    .executeTakeFirst();

export const setKeyExpiry = async (tx: Queryable, id: string, expiresAt: number): Promise<void> => {
  await tx.updateTable('api_keys').set({ expires_at: expiresAt }).where('id', '=', id).execute();
};

export const deleteKey = async (tx: Queryable, owner: KeyOwner, id: string): Promise<boolean> => {
  const rows = await tx
    .deleteFrom('api_keys')
    .where('id', '=', id)
    .where('user_id', '=', owner.userId)
    .where('kind', '=', owner.kind)
    .returning('id')
    .execute();
  return rows.length > 0;
};

export const deleteKeysOfUser = async (tx: Queryable, userId: string): Promise<void> => {
  await tx.deleteFrom('api_keys').where('user_id', '=', userId).execute();
};

/** Of both kinds, newest first. */
export const listAllKeys = (db: Queryable, userId: string): Promise<ApiKeyRow[]> =>
  db
    .selectFrom('api_keys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
