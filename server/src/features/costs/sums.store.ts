import { sql } from 'kysely';
import {
  COST_SUMS_LOCK,
  type CostSumPart,
  DAY_MS,
  monthStart,
  nextMonth,
  SLOT_MS,
  SUM_COLUMNS,
  summedRows,
} from '../../db/cost-sums.ts';
import type { Db, Queryable } from '../../db/db.ts';

/** The sums of the ledger made from its rows, and compared with them; day by day they are kept by the database (step 150). */

const floorTo = (unit: number): string => `(created_at / ${unit}) * ${unit}`;

/** Rows of `cost_sums` as the ledger of a tenant between two times has them. */
const ofSpan = (tenantId: string, from: number, to: number) => {
  const part = (name: CostSumPart, start: string, by: string) => sql`
    ${sql.raw(summedRows(name, start))} from ledger
    where tenant_id = ${tenantId} and created_at >= ${from} and created_at < ${to}
    group by ${sql.raw(`tenant_id, ${start}${by}`)}`;
  return {
    slot: part('slot', floorTo(SLOT_MS), ''),
    day: part('day', floorTo(DAY_MS), ", coalesce(agent_id, ''), coalesce(model, ''), coalesce(tool, '')"),
    user_day: part('user_day', floorTo(DAY_MS), ', user_id'),
  };
};

const MONTH_OF_DAYS = `select tenant_id, cast('user_month' as text) as part, %START% as starts_at, user_id, agent_id, model, tool,
  cast(sum(requests) as bigint) as requests, cast(sum(cost_nano) as bigint) as cost_nano,
  cast(sum(input_tokens) as bigint) as input_tokens, cast(sum(output_tokens) as bigint) as output_tokens,
  cast(sum(cached_input_tokens) as bigint) as cached_input_tokens, cast(sum(beyond_estimate) as bigint) as beyond_estimate`;

const ofMonth = (tenantId: string, month: number) => sql`
  ${sql.raw(MONTH_OF_DAYS.replace('%START%', String(month)))} from cost_sums
  where tenant_id = ${tenantId} and part = 'user_day' and starts_at >= ${month} and starts_at < ${nextMonth(month)}
  group by tenant_id, user_id, agent_id, model, tool`;

const drop = (tx: Queryable, tenantId: string, parts: readonly CostSumPart[], from: number, to: number) =>
  tx
    .deleteFrom('cost_sums')
    .where('tenant_id', '=', tenantId)
    .where('part', 'in', [...parts])
    .where('starts_at', '>=', from)
    .where('starts_at', '<', to)
    .execute();

/** First row of the ledger from a time on, or null. */
const nextRow = async (db: Queryable, tenantId: string, from: number): Promise<number | null> => {
  const row = await db
    .selectFrom('ledger')
    .select('created_at')
    .where('tenant_id', '=', tenantId)
    .where('created_at', '>=', from)
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : row.created_at;
};

/** False where the sums of the tenant are not whole: its costs are counted from rows then. */
export const hasSums = async (db: Queryable, tenantId: string): Promise<boolean> =>
  (await db
    .selectFrom('cost_sums_pending')
    .select('tenant_id')
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst()) === undefined;

export const pendingTenants = async (db: Queryable): Promise<string[]> =>
  (await db.selectFrom('cost_sums_pending').select('tenant_id').orderBy('tenant_id').execute()).map(
    (row) => row.tenant_id,
  );

/** The sums of all tenants are made anew by `sumNextDay`. */
export const markAll = async (tx: Queryable): Promise<void> => {
  await sql`insert into cost_sums_pending (tenant_id, next_at)
    select id, 0 from tenants where exists (select 1 from ledger where tenant_id = tenants.id)
      or exists (select 1 from cost_sums where tenant_id = tenants.id)
    on conflict (tenant_id) do update set next_at = 0`.execute(tx);
};

/**
 * Sums up the next day of a tenant that waits for it; false when there is none left. What comes in meanwhile waits, or is in the
 * sums by the trigger; so it is exact at any time, and may be done again. Several nodes share the days.
 */
export const sumNextDay = (db: Db, tenantId: string): Promise<boolean> =>
  db.write(async (tx) => {
    if (db.dialect === 'postgres')
      await sql`select pg_advisory_xact_lock(${COST_SUMS_LOCK}, hashtext(${tenantId}))`.execute(tx);
    const pending = await tx
      .selectFrom('cost_sums_pending')
      .select('next_at')
      .where('tenant_id', '=', tenantId)
      .executeTakeFirst();
    if (pending === undefined) return false;
    const { next_at: from } = pending;
    const at = await nextRow(tx, tenantId, from);
    const day = at === null ? null : Math.floor(at / DAY_MS) * DAY_MS;
    // What stands between two days with rows is of no row.
    await drop(tx, tenantId, ['slot', 'day', 'user_day'], from, day === null ? Number.MAX_SAFE_INTEGER : day);
    const end = day === null ? null : day + DAY_MS;
    if (day !== null && end !== null) {
      await drop(tx, tenantId, ['slot', 'day', 'user_day'], day, end);
      for (const rows of Object.values(ofSpan(tenantId, day, end)))
        await sql`insert into cost_sums (${sql.raw(SUM_COLUMNS)}) ${rows}`.execute(tx);
    }
    // A month is summed up when all of its days are.
    if (from > 0 && (day === null || monthStart(day) !== monthStart(from - 1))) {
      const month = monthStart(from - 1);
      await drop(
        tx,
        tenantId,
        ['user_month'],
        month,
        day === null ? Number.MAX_SAFE_INTEGER : monthStart(day),
      );
      await sql`insert into cost_sums (${sql.raw(SUM_COLUMNS)}) ${ofMonth(tenantId, month)}`.execute(tx);
    } else if (from === 0) {
      await drop(tx, tenantId, ['user_month'], 0, day === null ? Number.MAX_SAFE_INTEGER : monthStart(day));
    }
    if (end === null) await tx.deleteFrom('cost_sums_pending').where('tenant_id', '=', tenantId).execute();
    else
      await tx
        .updateTable('cost_sums_pending')
        .set({ next_at: end })
        .where('tenant_id', '=', tenantId)
        .execute();
    return end !== null;
  });

export interface WrongSum {
  part: string;
  starts_at: number;
}

/**
 * Sums of a month (UTC) that are not those of the rows, one statement, so that both are of one moment: what the rows have and the
 * sums lack, and the other way round.
 */
export const wrongSums = async (db: Queryable, tenantId: string, month: number): Promise<WrongSum[]> => {
  const end = nextMonth(month);
  const { slot, day, user_day } = ofSpan(tenantId, month, end);
  const wanted = sql`select * from (${slot}) as s union all select * from (${day}) as d
    union all select * from (${user_day}) as u
    union all select * from (${sql.raw(summedRows('user_month', String(month)))} from ledger
      where tenant_id = ${tenantId} and created_at >= ${month} and created_at < ${end} group by tenant_id, user_id) as m`;
  const kept = sql`select ${sql.raw(SUM_COLUMNS)} from cost_sums
    where tenant_id = ${tenantId} and starts_at >= ${month} and starts_at < ${end}`;
  const { rows } = await sql<WrongSum>`
    with wanted as (${wanted}), kept as (${kept})
    select distinct part, starts_at from (
      select * from (select * from wanted except select * from kept) as lacking
      union all select * from (select * from kept except select * from wanted) as extra
    ) as wrong order by part, starts_at`.execute(db);
  return rows.map((row) => ({ part: row.part, starts_at: Number(row.starts_at) }));
};

/** Beginnings of the months (UTC) in which a tenant has rows or sums. */
export const monthsOf = async (db: Queryable, tenantId: string): Promise<number[]> => {
  const { rows } = await sql<{ first: number | null; last: number | null }>`
    select min(first) as first, max(last) as last from (
      select min(created_at) as first, max(created_at) as last from ledger where tenant_id = ${tenantId}
      union all
      select min(starts_at) as first, max(starts_at) as last from cost_sums where tenant_id = ${tenantId}
    ) as span`.execute(db);
  const [span] = rows;
  if (span === undefined || span.first === null || span.last === null) return [];
  const months: number[] = [];
  for (let month = monthStart(Number(span.first)); month <= Number(span.last); month = nextMonth(month))
    months.push(month);
  return months;
};

/** Tenants with rows in the ledger or sums of it. */
export const tenantsWithCosts = async (db: Queryable): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`select id from tenants
    where exists (select 1 from ledger where tenant_id = tenants.id)
      or exists (select 1 from cost_sums where tenant_id = tenants.id) order by id`.execute(db);
  return rows.map((row) => row.id);
};
