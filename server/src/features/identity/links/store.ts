import type { Queryable } from '../../../db/db.ts';
import type { OneTimeLinkRow } from '../../../db/tables/identity.ts';

export type { OneTimeLinkRow };

/** A person has one open link of a purpose: a new one makes the older ones void. */
export const replaceLink = async (tx: Queryable, row: OneTimeLinkRow): Promise<void> => {
  await deleteLinksOfUser(tx, row.user_id, row.purpose);
  await tx.insertInto('one_time_links').values(row).execute();
};

export const findLink = (db: Queryable, secretHash: string): Promise<OneTimeLinkRow | undefined> =>
  db.selectFrom('one_time_links').selectAll().where('secret_hash', '=', secretHash).executeTakeFirst();

export const findLinkOfUser = (
  db: Queryable,
  userId: string,
  purpose: string,
): Promise<OneTimeLinkRow | undefined> =>
  db
    .selectFrom('one_time_links')
    .selectAll()
    .where('user_id', '=', userId)
    .where('purpose', '=', purpose)
    .executeTakeFirst();

/** The link for exactly one of any number of callers. */
export const takeLink = (tx: Queryable, secretHash: string): Promise<OneTimeLinkRow | undefined> =>
  tx.deleteFrom('one_time_links').where('secret_hash', '=', secretHash).returningAll().executeTakeFirst();

/** How many went. */
export const deleteLinksOfUser = async (tx: Queryable, userId: string, purpose?: string): Promise<number> => {
  let query = tx.deleteFrom('one_time_links').where('user_id', '=', userId);
  if (purpose !== undefined) query = query.where('purpose', '=', purpose);
  return Number((await query.executeTakeFirst()).numDeletedRows);
};

export const deleteLinksExpiredBefore = async (tx: Queryable, before: number): Promise<void> => {
  await tx.deleteFrom('one_time_links').where('expires_at', '<', before).execute();
};
