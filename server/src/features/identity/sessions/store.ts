import type { Queryable } from '../../../db/db.ts';
import type { SessionRow } from '../../../db/tables/identity.ts';

export type { SessionRow };

export const insertSession = async (tx: Queryable, row: SessionRow): Promise<void> => {
  await tx.insertInto('sessions').values(row).execute();
};

export const findSession = (db: Queryable, id: string): Promise<SessionRow | undefined> =>
  db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirst();

export const extendSession = async (
  tx: Queryable,
  id: string,
  times: { usedAt: number; expiresAt: number },
): Promise<void> => {
  await tx
    .updateTable('sessions')
    .set({ last_used_at: times.usedAt, expires_at: times.expiresAt })
    .where('id', '=', id)
    .execute();
};

/** True when it was open until now. */
export const closeSession = async (tx: Queryable, id: string, at: number): Promise<boolean> => {
  const rows = await tx
    .updateTable('sessions')
    .set({ revoked_at: at })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning('id')
    .execute();
  return rows.length > 0;
};

export const closeSessionsOfUser = async (
  tx: Queryable,
  userId: string,
  at: number,
  exceptId: string | null,
): Promise<string[]> => {
  let query = tx
    .updateTable('sessions')
    .set({ revoked_at: at })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null);
  if (exceptId !== null) query = query.where('id', '!=', exceptId);
  return (await query.returning('id').execute()).map((row) => row.id);
};

export const listOpenSessions = (db: Queryable, userId: string, now: number): Promise<SessionRow[]> =>
  db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    // 0 = granted, but no token was fetched yet.
    .where('last_used_at', '>', 0)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();

export const deleteSessionsEndedBefore = async (tx: Queryable, before: number): Promise<void> => {
  await tx.deleteFrom('sessions').where('expires_at', '<', before).execute();
};

/** Ended ones too, newest first. */
export const listSessions = (db: Queryable, userId: string): Promise<SessionRow[]> =>
  db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();

/** Removes where the sessions of a person came from; returns how many had it. */
export const forgetSessionOrigins = async (tx: Queryable, userId: string): Promise<number> => {
  const rows = await tx
    .updateTable('sessions')
    .set({ address: null, user_agent: null })
    .where('user_id', '=', userId)
    .where((eb) => eb.or([eb('address', 'is not', null), eb('user_agent', 'is not', null)]))
    .returning('id')
    .execute();
  return rows.length;
};
