import { type Kysely, sql } from 'kysely';

/**
 * The second wall around tenants on PostgreSQL: what a session sees is settled by its setting `app.tenant`, which
 * `db/postgres/pool.ts` gives each connection that it hands out. `*` sees all tenants, no setting or an empty one nothing.
 * FORCE: also for the owner of the table, which the platform's own role is.
 *
 * A step that makes a table with a column `tenant_id` calls `wallByTenant`; server/test/all/row-security.test.ts finds one
 * that does not.
 */
const POLICY = 'tenant_wall';

const raise = async <T>(db: Kysely<T>, table: string, condition: string): Promise<void> => {
  const name = sql.table(table);
  await sql`alter table ${name} enable row level security`.execute(db);
  await sql`alter table ${name} force row level security`.execute(db);
  await sql`drop policy if exists ${sql.ref(POLICY)} on ${name}`.execute(db);
  // Without a condition of its own for new rows, the same one holds for them.
  await sql`create policy ${sql.ref(POLICY)} on ${name} using (${sql.raw(condition)})`.execute(db);
};

const SETTING = `current_setting('app.tenant', true)`;

/**
 * As CASE and not as OR, since the planner takes every second row to pass a CASE. Of an equation it believes that it thins the
 * rows out once more, beside the application's own filter that says the same: it then sorts where it could walk an index.
 */
const seenWhere = (condition: string): string => `case when ${SETTING} = '*' then true else ${condition} end`;

/** `column`: the one with the tenant's id. `shared`: rows of tenant `*` belong to everybody. */
export const wallByTenant = <T>(
  db: Kysely<T>,
  table: string,
  how: { column?: string; shared?: boolean } = {},
): Promise<void> => {
  const column = how.column ?? 'tenant_id';
  return raise(
    db,
    table,
    seenWhere(`${column} = ${SETTING}${how.shared === true ? ` or ${column} = '*'` : ''}`),
  );
};

/** Rows that belong to a row of another walled table: visible where that is. */
export const wallByParent = <T>(
  db: Kysely<T>,
  table: string,
  parent: { table: string; column: string },
): Promise<void> =>
  raise(
    db,
    table,
    seenWhere(`exists (select 1 from ${parent.table} as parent where parent.id = ${table}.${parent.column})`),
  );
