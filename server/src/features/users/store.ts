import { compiled } from '../../db/compiled.ts';
import type { Queryable } from '../../db/db.ts';
import type { UserRow } from '../../db/tables/accounts.ts';

export type { UserRow };

/** E-mail addresses are one account whatever their case and composition. */
export const foldEmail = (email: string): string => email.normalize('NFKC').trim().toLowerCase();

export const insertUser = async (tx: Queryable, row: UserRow): Promise<void> => {
  await tx.insertInto('users').values(row).execute();
};

const byId = compiled<{ id: string }, UserRow>((db, p) =>
  db.selectFrom('users').selectAll().where('id', '=', p('id')),
);
const byEmail = compiled<{ folded: string }, UserRow>((db, p) =>
  db.selectFrom('users').selectAll().where('email_folded', '=', p('folded')),
);
const byExternalId = compiled<{ externalId: string }, UserRow>((db, p) =>
  db.selectFrom('users').selectAll().where('external_id', '=', p('externalId')),
);

/** Any tenant's: for the identity feature, which has no scope yet when it looks. */
export const findUser = async (db: Queryable, id: string): Promise<UserRow | undefined> =>
  (await byId(db, { id }))[0];
export const findUserByEmail = async (db: Queryable, email: string): Promise<UserRow | undefined> =>
  (await byEmail(db, { folded: foldEmail(email) }))[0];
export const findUserByExternalId = async (db: Queryable, externalId: string): Promise<UserRow | undefined> =>
  (await byExternalId(db, { externalId }))[0];

export const touchUser = async (tx: Queryable, id: string, at: number): Promise<void> => {
  await tx.updateTable('users').set({ last_seen_at: at }).where('id', '=', id).execute();
};
