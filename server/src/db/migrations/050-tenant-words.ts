import { sql } from 'kysely';
import type { SchemaStep } from '../migrate.ts';

/**
 * SQLite: each tenant's words in a full-text table of its own (`chunk_terms_<n>`, made by the feature). The one table of
 * all tenants stays beside them until the words of the tenants listed here have been moved, which happens while the server
 * runs.
 */
export const tenantWords: SchemaStep = {
  name: '050-tenant-words',
  async up(db, t) {
    if (t.dialect !== 'sqlite') return;
    await sql`create table chunk_terms_tables (
      tenant_id text primary key not null, n integer not null unique, moved integer not null
    )`.execute(db);
    await sql`insert into chunk_terms_tables (tenant_id, n, moved)
      select tenant_id, row_number() over (order by tenant_id), 0 from (select distinct tenant_id from chunks)`.execute(
      db,
    );
    const { rows } = await sql`select 1 from chunk_terms_tables limit 1`.execute(db);
    if (rows.length === 0) await sql`drop table chunk_terms`.execute(db);
  },
};
