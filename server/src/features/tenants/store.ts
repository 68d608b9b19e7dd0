import { compiled } from '../../db/compiled.ts';
import type { Queryable } from '../../db/db.ts';
import type { TenantRow } from '../../db/tables/accounts.ts';

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
