import { type Kysely, sql } from 'kysely';

/**
 * The second wall around tenants on PostgreSQL: what a session sees is settled by its setting `app.tenant`, which
 * `db/postgres/pool.ts` gives each connection that it hands out. `*` sees all tenants, no setting or an empty one nothing.
 * FORCE: also for the owner of the table, which the platform's own role is.
 *
 * A step that makes a table with a column `tenant_id` raises the wall `ofTenant`; server/test/all/row-security.test.ts finds one
 * that does not.
 */
const POLICY = 'tenant_wall';

/** Names and conditions come from the steps of the schema alone. */
const raise = (table: string, condition: string): string =>
  [
    `alter table "${table}" enable row level security`,
    `alter table "${table}" force row level security`,
    `drop policy if exists ${POLICY} on "${table}"`,
    // Without a condition of its own for new rows, the same one holds for them.
    `create policy ${POLICY} on "${table}" using (${condition})`,
  ].join(';\n');

const SETTING = `current_setting('app.tenant', true)`;

/**
 * As CASE and not as OR, since the planner takes every second row to pass a CASE. Of an equation it believes that it thins the
 * rows out once more, beside the application's own filter that says the same: it then sorts where it could walk an index.
 */
const seenWhere = (condition: string): string => `case when ${SETTING} = '*' then true else ${condition} end`;

/** `column`: the one with the tenant's id. `shared`: rows of tenant `*` belong to everybody. */
export const ofTenant = (table: string, how: { column?: string; shared?: boolean } = {}): string => {
  const column = how.column ?? 'tenant_id';
  return raise(table, seenWhere(`${column} = ${SETTING}${how.shared === true ? ` or ${column} = '*'` : ''}`));
};

/** Rows that belong to a row of another walled table: visible where that is. */
export const ofParent = (table: string, parent: { table: string; column: string }): string =>
  raise(
    table,
    seenWhere(`exists (select 1 from ${parent.table} as parent where parent.id = ${table}.${parent.column})`),
  );

/** All in one message: a fresh database is there that much sooner. */
export const raiseWalls = async <T>(db: Kysely<T>, walls: readonly string[]): Promise<void> => {
  if (walls.length > 0) await sql.raw(walls.join(';\n')).execute(db);
};
