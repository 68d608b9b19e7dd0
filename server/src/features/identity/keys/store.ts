import type { Queryable } from '../../../db/db.ts';
import { listPage } from '../../../db/page.ts';
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
  const mine = db
    .selectFrom('api_keys')
    .where('user_id', '=', owner.userId)
    .where('kind', '=', owner.kind)
    .where('deleted_at', 'is', null);
  return listPage(mine.selectAll(), page);
};

/** Deleted ones too. */
export const findKey = (db: Queryable, owner: KeyOwner, id: string): Promise<ApiKeyRow | undefined> =>
  db
    .selectFrom('api_keys')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', owner.userId)
    .where('kind', '=', owner.kind)
    .executeTakeFirst();

const MOST_ROTATIONS = 1_000;

/**
 * The key that stands where this one stood: itself, or what took its place at rotations. Undefined once that was deleted,
 * or the key is none of the person's.
 */
export const findStandingKey = async (
  db: Queryable,
  userId: string,
  id: string,
): Promise<ApiKeyRow | undefined> => {
  let at: string | null = id;
  for (let n = 0; at !== null && n < MOST_ROTATIONS; n++) {
    const row: ApiKeyRow | undefined = await db
      .selectFrom('api_keys')
      .selectAll()
      .where('id', '=', at)
      .where('user_id', '=', userId)
      .executeTakeFirst();
    if (row === undefined || row.replaced_by === null) return row?.deleted_at === null ? row : undefined;
    at = row.replaced_by;
  }
  return undefined;
};

/** Of any number of rotations at the same time one gets true: only a key that still stands by itself is replaced. */
export const replaceKey = async (
  tx: Queryable,
  key: { id: string; replacedBy: string; expiresAt: number },
  now: number,
): Promise<boolean> => {
  const rows = await tx
    .updateTable('api_keys')
    .set({ replaced_by: key.replacedBy, expires_at: key.expiresAt })
    .where('id', '=', key.id)
    .where('replaced_by', 'is', null)
    .where('deleted_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .returning('id')
    .execute();
  return rows.length > 0;
};

/** False where there is none, or none any more. Its name goes at once. */
export const deleteKey = async (
  tx: Queryable,
  owner: KeyOwner,
  id: string,
  now: number,
): Promise<boolean> => {
  const rows = await tx
    .updateTable('api_keys')
    .set({ deleted_at: now, name: '' })
    .where('id', '=', id)
    .where('user_id', '=', owner.userId)
    .where('kind', '=', owner.kind)
    .where('deleted_at', 'is', null)
    .returning('id')
    .execute();
  return rows.length > 0;
};

/** Those that were rotated stay, nameless: work that they began finds its key by them. */
export const dropKeysDeletedBefore = async (tx: Queryable, before: number): Promise<void> => {
  await tx.deleteFrom('api_keys').where('deleted_at', '<', before).where('replaced_by', 'is', null).execute();
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
    .where('deleted_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
