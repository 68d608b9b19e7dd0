import { sql } from 'kysely';
import type { Queryable } from '../../db/db.ts';
import type { LedgerRow } from '../../db/tables/costs.ts';
import type { Span } from './periods.rules.ts';

export interface UsageFilter {
  tenantId: string;
  /** Null: all users of the tenant. */
  userId: string | null;
  span: Span;
}

export interface UsageSum {
  part: 'agent' | 'model' | 'tool' | 'slot' | 'user';
  key: string | null;
  requests: number;
  cost_nano: number;
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens: number;
  beyond_estimate: number;
}

/** Every time zone's midnight falls on a quarter of an hour: sums of such slots fold into days of any zone. */
export const SLOT_MS = 900_000;

/** The ledger summed by each dimension in one statement, so that all parts see the same rows and add up exactly. */
export const sumUsage = async (db: Queryable, filter: UsageFilter): Promise<UsageSum[]> => {
  const { tenantId, userId, span } = filter;
  const mine = userId === null ? sql`` : sql` and user_id = ${userId}`;
  const by = (part: UsageSum['part'], key: ReturnType<typeof sql>) => sql`
    select cast(${sql.lit(part)} as text) as part, ${key} as key, count(*) as requests, sum(cost_nano) as cost_nano,
      sum(input_tokens) as input_tokens, sum(output_tokens) as output_tokens,
      sum(cached_input_tokens) as cached_input_tokens, sum(beyond_estimate) as beyond_estimate
    from ledger
    where tenant_id = ${tenantId} and created_at >= ${span.start} and created_at < ${span.end}${mine}
    group by ${key}`;
  const parts = [
    by('agent', sql`agent_id`),
    by('model', sql`model`),
    by('tool', sql`tool`),
    by('slot', sql`cast(created_at / ${sql.lit(SLOT_MS)} as text)`),
    by('user', sql`user_id`),
  ];
  const { rows } = await sql<UsageSum>`${sql.join(parts, sql` union all `)}`.execute(db);
  return rows;
};

/** What models and embeddings of one run have cost by the ledger; `since` is when it began, in epoch ms. */
export const sumOfRun = async (
  db: Queryable,
  run: { tenantId: string; runId: string; since: number },
): Promise<number> => {
  const row = await db
    .selectFrom('ledger')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('cost_nano'), eb.val(0)).as('sum'))
    .where('tenant_id', '=', run.tenantId)
    .where('created_at', '>=', run.since)
    .where('run_id', '=', run.runId)
    .where('kind', '!=', 'tool')
    .executeTakeFirstOrThrow();
  return Number(row.sum);
};

const EXPORT_PAGE = 1_000;

/** The ledger rows of a span, oldest first, in pages: an export of any length needs little memory. */
export async function* ledgerPages(db: Queryable, filter: UsageFilter): AsyncGenerator<LedgerRow[]> {
  const { tenantId, userId, span } = filter;
  let after: { at: number; id: string } | null = null;
  for (;;) {
    let query = db
      .selectFrom('ledger')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('created_at', '>=', after?.at ?? span.start)
      .where('created_at', '<', span.end)
      .orderBy('created_at')
      .orderBy('id')
      .limit(EXPORT_PAGE);
    if (userId !== null) query = query.where('user_id', '=', userId);
    if (after !== null) {
      const { at, id } = after;
      query = query.where((eb) => eb.or([eb('created_at', '>', at), eb('id', '>', id)]));
    }
    const rows: LedgerRow[] = await query.execute();
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < EXPORT_PAGE) return;
    after = { at: last.created_at, id: last.id };
  }
}
