import type { Queryable } from '../../db/db.ts';
import { listPage } from '../../db/page.ts';
import type { NotificationPreferencesRow, NotificationRow } from '../../db/tables/notifications.ts';
import type { PageRequest } from '../../kernel/pagination.ts';

export type { NotificationRow };

/** A person in their tenant: notifications are theirs alone, whatever the role of who asks. */
export interface InboxOwner {
  tenantId: string;
  userId: string;
}

/** False when the person has been told of this event already. */
export const insertNotification = async (tx: Queryable, row: NotificationRow): Promise<boolean> => {
  const inserted = await tx
    .insertInto('notifications')
    .values(row)
    .onConflict((conflict) => conflict.columns(['user_id', 'event_id']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
};

export const notificationById = (db: Queryable, id: string): Promise<NotificationRow | undefined> =>
  db.selectFrom('notifications').selectAll().where('id', '=', id).executeTakeFirst();

export const listNotifications = async (
  db: Queryable,
  owner: InboxOwner,
  filter: { unread: boolean; category?: string | undefined },
  page: PageRequest,
): Promise<{ rows: NotificationRow[]; total: number }> => {
  let matching = db
    .selectFrom('notifications')
    .where('tenant_id', '=', owner.tenantId)
    .where('user_id', '=', owner.userId);
  if (filter.unread) matching = matching.where('read_at', 'is', null);
  if (filter.category !== undefined) matching = matching.where('category', '=', filter.category);
  return listPage(matching.selectAll(), page);
};

export const countUnread = async (db: Queryable, owner: InboxOwner): Promise<number> => {
  const row = await db
    .selectFrom('notifications')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('tenant_id', '=', owner.tenantId)
    .where('user_id', '=', owner.userId)
    .where('read_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(row.n);
};

/** Keeps the time of the first reading. */
export const markRead = async (
  tx: Queryable,
  owner: InboxOwner,
  id: string,
  at: number,
): Promise<NotificationRow | undefined> => {
  await tx
    .updateTable('notifications')
    .set({ read_at: at })
    .where('id', '=', id)
    .where('tenant_id', '=', owner.tenantId)
    .where('user_id', '=', owner.userId)
    .where('read_at', 'is', null)
    .execute();
  return tx
    .selectFrom('notifications')
    .selectAll()
    .where('id', '=', id)
    .where('tenant_id', '=', owner.tenantId)
    .where('user_id', '=', owner.userId)
    .executeTakeFirst();
};

/** What is over counts as read, whoever was told of it; gives what was unread until now. */
export const closeNotices = (
  tx: Queryable,
  tenantId: string,
  keys: readonly string[],
  at: number,
): Promise<NotificationRow[]> =>
  tx
    .updateTable('notifications')
    .set({ read_at: at })
    .where('tenant_id', '=', tenantId)
    .where('event_id', 'in', keys)
    .where('read_at', 'is', null)
    .returningAll()
    .execute();

export const markAllRead = async (tx: Queryable, owner: InboxOwner, at: number): Promise<void> => {
  await tx
    .updateTable('notifications')
    .set({ read_at: at })
    .where('tenant_id', '=', owner.tenantId)
    .where('user_id', '=', owner.userId)
    .where('read_at', 'is', null)
    .execute();
};

export const preferencesOf = async (db: Queryable, userId: string): Promise<string | null> => {
  const row = await db
    .selectFrom('notification_preferences')
    .select('preferences')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row?.preferences ?? null;
};

export const savePreferences = async (tx: Queryable, row: NotificationPreferencesRow): Promise<void> => {
  await tx
    .insertInto('notification_preferences')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet({ preferences: row.preferences, updated_at: row.updated_at }),
    )
    .execute();
};

/** Notifications made before `before`, read or not; at most `limit`, how many there were. */
export const dropNotificationsBefore = async (
  tx: Queryable,
  before: number,
  limit: number,
): Promise<number> => {
  const old = tx.selectFrom('notifications').select('id').where('created_at', '<', before).limit(limit);
  const gone = await tx.deleteFrom('notifications').where('id', 'in', old).executeTakeFirst();
  return Number(gone.numDeletedRows);
};

/** Everything of a person, for erasure. */
export const deleteNotificationsOf = async (tx: Queryable, owner: InboxOwner): Promise<number> => {
  const result = await tx
    .deleteFrom('notifications')
    .where('tenant_id', '=', owner.tenantId)
    .where('user_id', '=', owner.userId)
    .executeTakeFirst();
  await tx.deleteFrom('notification_preferences').where('user_id', '=', owner.userId).execute();
  return Number(result.numDeletedRows);
};

/** Notices of a tenant to other people, by id after `after`. */
export const noticesToOthers = (
  db: Queryable,
  owner: InboxOwner,
  after: string,
  limit: number,
): Promise<Pick<NotificationRow, 'id' | 'data'>[]> =>
  db
    .selectFrom('notifications')
    .select(['id', 'data'])
    .where('tenant_id', '=', owner.tenantId)
    .where('user_id', '!=', owner.userId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();

export const dropNotices = async (tx: Queryable, ids: readonly string[]): Promise<number> => {
  const gone = await tx.deleteFrom('notifications').where('id', 'in', ids).executeTakeFirst();
  return Number(gone.numDeletedRows);
};
