import { compiled } from '../../db/compiled.ts';
import type { Queryable } from '../../db/db.ts';
import { listPage } from '../../db/page.ts';
import type { TenantRow } from '../../db/tables/accounts.ts';
import type { PageRequest } from '../../kernel/pagination.ts';

export type { TenantRow };

export const insertTenant = async (tx: Queryable, row: TenantRow): Promise<void> => {
  await tx.insertInto('tenants').values(row).execute();
};

const byId = compiled<{ id: string }, TenantRow>((db, p) =>
  db.selectFrom('tenants').selectAll().where('id', '=', p('id')),
);
const bySlug = compiled<{ slug: string }, TenantRow>((db, p) =>
  db.selectFrom('tenants').selectAll().where('slug', '=', p('slug')),
);
const byExternalId = compiled<{ externalId: string }, TenantRow>((db, p) =>
  db.selectFrom('tenants').selectAll().where('external_id', '=', p('externalId')),
);

export const findTenant = async (db: Queryable, id: string): Promise<TenantRow | undefined> =>
  (await byId(db, { id }))[0];
export const findTenantBySlug = async (db: Queryable, slug: string): Promise<TenantRow | undefined> =>
  (await bySlug(db, { slug }))[0];
export const findTenantByExternalId = async (
  db: Queryable,
  externalId: string,
): Promise<TenantRow | undefined> => (await byExternalId(db, { externalId }))[0];

/** Whether an external provider has brought an organisation here. */
export const hasExternalTenant = async (db: Queryable): Promise<boolean> =>
  (await db
    .selectFrom('tenants')
    .select('id')
    .where('external_id', 'is not', null)
    .limit(1)
    .executeTakeFirst()) !== undefined;

/** All tenants, for a platform administrator. Newest first, up to `limit + 1` rows, and the number of all. */
export const listTenants = async (
  db: Queryable,
  page: PageRequest,
): Promise<{ rows: TenantRow[]; total: number }> => {
  return listPage(db.selectFrom('tenants').selectAll(), page);
};

export type TenantChanges = Partial<Pick<TenantRow, 'name' | 'slug' | 'tier' | 'status' | 'settings'>>;

export const updateTenant = (
  tx: Queryable,
  id: string,
  changes: TenantChanges,
  at: number,
): Promise<TenantRow | undefined> =>
  tx
    .updateTable('tenants')
    .set({ ...changes, updated_at: at })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
