import { sql } from 'kysely';
import type { Queryable } from '../../../db/db.ts';
import { listPage } from '../../../db/page.ts';
import type { OauthClientRow } from '../../../db/tables/identity.ts';
import type { PageRequest } from '../../../kernel/pagination.ts';

export type { OauthClientRow };

export const insertClient = async (tx: Queryable, row: OauthClientRow): Promise<void> => {
  await tx.insertInto('oauth_clients').values(row).execute();
};

export const findClientRow = (db: Queryable, id: string): Promise<OauthClientRow | undefined> =>
  db.selectFrom('oauth_clients').selectAll().where('id', '=', id).executeTakeFirst();

/** Newest first, up to `limit + 1` rows, and the number of all. */
export const listClients = async (
  db: Queryable,
  tenantId: string,
  page: PageRequest,
): Promise<{ rows: OauthClientRow[]; total: number }> => {
  const mine = db.selectFrom('oauth_clients').where('tenant_id', '=', tenantId);
  return listPage(mine.selectAll(), page);
};

export const deleteClient = (
  tx: Queryable,
  tenantId: string,
  id: string,
): Promise<OauthClientRow | undefined> =>
  tx
    .deleteFrom('oauth_clients')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();

/** Open sign-ins that go through a client. */
export const openSessionsOfClient = async (db: Queryable, clientId: string): Promise<string[]> =>
  (
    await db
      .selectFrom('sessions')
      .select('id')
      .where('client_id', '=', clientId)
      .where('revoked_at', 'is', null)
      .execute()
  ).map((row) => row.id);

/** Whether anybody has a sign-in, open or ended, by a client whose id is an address; its condition is that of the index. */
export const hasSignedIn = async (db: Queryable, clientId: string): Promise<boolean> =>
  (await db
    .selectFrom('sessions')
    .select('id')
    .where('client_id', '=', clientId)
    .where('client_id', 'like', sql.lit('https:%'))
    .limit(1)
    .executeTakeFirst()) !== undefined;
