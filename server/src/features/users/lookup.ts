import type { Db } from '../../db/db.ts';
import type { Caller } from '../../kernel/caller.ts';
import { notFound } from '../../kernel/errors.ts';
import type { AccountRights } from '../../kernel/grants.ts';
import { findTenant, type TenantRow } from '../tenants/index.ts';
import { rightsOf } from './rights.ts';
import type { UserBody } from './schema.ts';
import { findUserOfTenant, type UserRow } from './store.ts';
import { userView } from './wire.ts';

/** Accounts as a caller may find them, and what they may do. */
export const createAccountLookup = (db: Db) => {
  const tenantOf = async (id: string): Promise<TenantRow> => {
    const tenant = await findTenant(db.read, id);
    if (tenant === undefined) throw notFound('tenant');
    return tenant;
  };

  const find = async (caller: Caller, id: string): Promise<UserRow> => {
    const row = await findUserOfTenant(db.read, caller.tenantId, id);
    if (row === undefined) throw notFound('user');
    return row;
  };

  const view = async (row: UserRow): Promise<UserBody> => userView(row, await tenantOf(row.tenant_id));

  const rightsOfRow = async (row: UserRow): Promise<AccountRights> =>
    rightsOf(row, (await tenantOf(row.tenant_id)).slug);

  return { tenantOf, find, view, rightsOfRow };
};

export type AccountLookup = ReturnType<typeof createAccountLookup>;
