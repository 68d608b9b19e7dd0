import { sql } from 'kysely';
import { compiled } from '../../db/compiled.ts';
import type { Queryable } from '../../db/db.ts';
import { listPage } from '../../db/page.ts';
import type { UserRow } from '../../db/tables/accounts.ts';
import type { PageRequest } from '../../kernel/pagination.ts';

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

/** Accounts of one tenant; a query without it does not exist here. */
export interface UserFilter {
  tenantId: string;
  q?: string | undefined;
  status?: string | undefined;
  type?: string | undefined;
}

const escapeLike = (text: string): string => text.replaceAll(/[\\%_]/g, '\\$&');

/** Newest first, up to `limit + 1` rows, and the number of all. */
export const listUsers = async (
  db: Queryable,
  filter: UserFilter,
  page: PageRequest,
): Promise<{ rows: UserRow[]; total: number }> => {
  let matching = db.selectFrom('users').where('tenant_id', '=', filter.tenantId);
  const { status, type, q } = filter;
  if (status !== undefined) matching = matching.where('status', '=', status);
  if (type !== undefined) matching = matching.where('type', '=', type);
  if (q !== undefined) {
    const like = `%${escapeLike(q.toLowerCase())}%`;
    matching = matching.where(
      sql<boolean>`(lower(name) like ${like} escape '\\' or email_folded like ${like} escape '\\')`,
    );
  }
  return listPage(matching.selectAll(), page);
};

export const findUserOfTenant = (db: Queryable, tenantId: string, id: string): Promise<UserRow | undefined> =>
  db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', id)
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst();

export type UserChanges = Partial<
  Pick<
    UserRow,
    | 'name'
    | 'roles'
    | 'permissions'
    | 'tier'
    | 'status'
    | 'email'
    | 'email_folded'
    | 'password_hash'
    | 'password_permissions'
    | 'external_id'
    | 'claims_at'
  >
>;

export const updateUser = async (
  tx: Queryable,
  user: { id: string; tenantId: string },
  changes: UserChanges,
  at: number,
): Promise<UserRow | undefined> =>
  tx
    .updateTable('users')
    .set({ ...changes, updated_at: at })
    .where('id', '=', user.id)
    .where('tenant_id', '=', user.tenantId)
    .returningAll()
    .executeTakeFirst();

/** The row as it stands, held until the transaction ends. An update that changes nothing holds it on both engines. */
export const holdUser = (tx: Queryable, id: string, tenantId: string): Promise<UserRow | undefined> =>
  tx
    .updateTable('users')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('id', '=', id)
    .where('tenant_id', '=', tenantId)
    .returningAll()
    .executeTakeFirst();

/**
 * Admins of a tenant who can sign in, to keep the last one. The tenant's row is held until the transaction ends: of two who
 * take an admin away at the same time, the second counts what the first has left.
 */
export const countActiveAdmins = async (tx: Queryable, tenantId: string): Promise<number> => {
  await tx
    .updateTable('tenants')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('id', '=', tenantId)
    .execute();
  const row = await tx
    .selectFrom('users')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('tenant_id', '=', tenantId)
    .where('status', '=', 'active')
    .where('roles', 'like', '%"admin"%')
    // Whom a directory has made at an external provider is active before they have ever come.
    .where((eb) =>
      eb.or([
        eb('type', '=', 'service'),
        eb('password_hash', 'is not', null),
        eb('external_id', 'is not', null),
      ]),
    )
    .executeTakeFirstOrThrow();
  return Number(row.total);
};

/** People who may sign in, oldest first, with what gives them their permissions. */
export const listActivePeople = (
  db: Queryable,
  tenantId: string,
  limit: number,
): Promise<Pick<UserRow, 'id' | 'roles' | 'permissions'>[]> =>
  db
    .selectFrom('users')
    .select(['id', 'roles', 'permissions'])
    .where('tenant_id', '=', tenantId)
    .where('type', '=', 'person')
    .where('status', '=', 'active')
    .orderBy('created_at')
    .limit(limit)
    .execute();
