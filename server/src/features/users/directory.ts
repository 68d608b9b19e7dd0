import type { Queryable } from '../../db/db.ts';
import type { DirectoryPersonRow } from '../../db/tables/directory.ts';
import { type AppError, conflict } from '../../kernel/errors.ts';
import type { UserRow } from './store.ts';

/** People whom a company's directory looks after (features/scim), as far as accounts and sign-in have to know. */

const LEFT = 'left:';

/** What an account has in place of its folded e-mail whose person the directory has removed: the address is free again. */
export const leftDirectory = (id: string): string => `${LEFT}${id}`;

export const hasLeft = (row: Pick<UserRow, 'email_folded'>): boolean => row.email_folded.startsWith(LEFT);

export const findDirectoryPerson = (db: Queryable, userId: string): Promise<DirectoryPersonRow | undefined> =>
  db.selectFrom('directory_people').selectAll().where('user_id', '=', userId).executeTakeFirst();

/** Whether groups of the tenant's directory give roles: then nobody else gives them to its people. */
export const directoryGivesRoles = async (db: Queryable, tenantId: string): Promise<boolean> =>
  (await db
    .selectFrom('directory_groups')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('roles', '!=', '[]')
    .limit(1)
    .executeTakeFirst()) !== undefined;

export const managedByDirectory = (fields: readonly string[]): AppError =>
  conflict(
    `the company's directory looks after this person: change ${fields.join(', ')} there (SCIM); what is changed here would not hold`,
    { reason: 'MANAGED_BY_DIRECTORY', fields },
  );

/** Throws CONFLICT for what the person's directory would say otherwise. Switching an account off is always possible. */
export const assertDirectoryAgrees = async (
  db: Queryable,
  row: UserRow,
  changed: { name?: unknown; roles?: unknown; status?: unknown },
): Promise<void> => {
  const person = await findDirectoryPerson(db, row.id);
  if (person === undefined) return;
  const fields: string[] = [];
  if (changed.name !== undefined) fields.push('name');
  if (changed.roles !== undefined && (await directoryGivesRoles(db, row.tenant_id))) fields.push('roles');
  if (changed.status !== undefined && changed.status !== 'deactivated' && person.active === 0)
    fields.push('status');
  if (fields.length > 0) throw managedByDirectory(fields);
};

/** Somebody who signs in at the identity provider, as the directory may know them. */
export interface SignedIn {
  tenantId: string;
  /** Ids of the person at the provider: the directory's `externalId` is one of them. */
  subjects: readonly string[];
  /** An address that the provider has proved, folded. */
  email: string | null;
}

export interface Waiting {
  person: DirectoryPersonRow;
  user: UserRow;
  by: 'external_id' | 'email';
}

const waitingIn = (db: Queryable, tenantId: string) =>
  db
    .selectFrom('directory_people as d')
    .innerJoin('users as u', 'u.id', 'd.user_id')
    .select('d.id')
    .where('d.tenant_id', '=', tenantId)
    .where('u.tenant_id', '=', tenantId)
    .where('u.external_id', 'is', null);

const loaded = async (db: Queryable, id: string, by: Waiting['by']): Promise<Waiting | null> => {
  const person = await db.selectFrom('directory_people').selectAll().where('id', '=', id).executeTakeFirst();
  if (person === undefined) return null;
  const user = await db.selectFrom('users').selectAll().where('id', '=', person.user_id).executeTakeFirst();
  return user === undefined ? null : { person, user, by };
};

/**
 * The person of the directory who has not signed in yet and is this one, in the tenant that the token leads to and no other:
 * by the directory's id, else by a proved address, and then only while nobody can have used the account.
 */
export const findWaiting = async (db: Queryable, who: SignedIn): Promise<Waiting | null> => {
  const byId = await waitingIn(db, who.tenantId)
    .where('d.external_id', 'in', [...who.subjects])
    .limit(2)
    .execute();
  if (byId.length > 1) return null;
  if (byId[0] !== undefined) return loaded(db, byId[0].id, 'external_id');
  if (who.email === null) return null;
  const byEmail = await waitingIn(db, who.tenantId)
    .where('u.email_folded', '=', who.email)
    .where('u.password_hash', 'is', null)
    .where('u.last_seen_at', 'is', null)
    .executeTakeFirst();
  return byEmail === undefined ? null : loaded(db, byEmail.id, 'email');
};
