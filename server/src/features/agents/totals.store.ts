import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../db/db.ts';
import { nanoToUsd } from '../../kernel/money.ts';
import { addTotals, NO_TOTALS, type RunTotals } from './rules.ts';

interface Span {
  tenantId: string;
  agentId: string;
  /** Epoch ms: from `since` to before `until`. */
  since: number;
  until: number;
}

/** On SQLite a statement holds the event loop: no one reads more than a day's runs. */
const SLICE_MS = 86_400_000;

const slicesOf = (db: Db, span: Span): Span[] => {
  if (db.dialect === 'postgres') return [span];
  const slices: Span[] = [];
  for (let since = span.since; since < span.until; since += SLICE_MS)
    slices.push({ ...span, since, until: Math.min(since + SLICE_MS, span.until) });
  return slices;
};

const tokens = (db: Db, name: string): RawBuilder<number> =>
  db.dialect === 'postgres'
    ? sql`coalesce(sum((usage::json->>${sql.lit(name)})::bigint), 0)`
    : sql`coalesce(sum(json_extract(usage, ${sql.lit(`$.${name}`)})), 0)`;

/** Of runs that the agent did alone: what others did in a run is told by its journal, not by its row. */
const alone = (db: Db, { tenantId, agentId, since, until }: Span) =>
  db.read
    .selectFrom('runs')
    .where('tenant_id', '=', tenantId)
    .where('agent_id', '=', agentId)
    .where('created_at', '>=', since)
    .where('created_at', '<', until)
    .where('delegated', 'is', null);

/** How often each duration was measured: of all of them percentiles are exact. */
const durations = async (
  db: Db,
  span: Span,
  column: RawBuilder<number | null>,
): Promise<Map<number, number>> => {
  const rows = await alone(db, span)
    .select(column.as('ms'))
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where(column, 'is not', null)
    .groupBy(column)
    .execute();
  return new Map(rows.map(({ ms, n }) => [Number(ms), Number(n)]));
};

const LATENCY = sql<
  number | null
>`case when finished_at < created_at then 0 else finished_at - created_at end`;
const FIRST_TOKEN = sql<number | null>`first_token_ms`;

const sliceTotals = async (db: Db, span: Span): Promise<RunTotals> => {
  const row = await alone(db, span)
    .select((eb) => [
      eb.fn.countAll<number>().as('requests'),
      sql<number>`coalesce(sum(case when finished_at is not null and status = 'completed' then 1 else 0 end), 0)`.as(
        'successes',
      ),
      sql<number>`coalesce(sum(case when finished_at is not null and status = 'failed' then 1 else 0 end), 0)`.as(
        'failures',
      ),
      sql<number>`coalesce(sum(case when finished_at is null then 1 else 0 end), 0)`.as('active'),
      sql<number>`coalesce(sum(cost_nano), 0)`.as('cost_nano'),
      sql<number>`coalesce(sum(tool_call_count), 0)`.as('tool_calls'),
      tokens(db, 'input_tokens').as('input_tokens'),
      tokens(db, 'output_tokens').as('output_tokens'),
      sql<number>`coalesce(max(created_at), 0)`.as('last_at'),
    ])
    .executeTakeFirst();
  if (row === undefined || Number(row.requests) === 0) return NO_TOTALS;
  const [latencies, firstTokens] = await Promise.all([
    durations(db, span, LATENCY),
    durations(db, span, FIRST_TOKEN),
  ]);
  return {
    requests: Number(row.requests),
    successes: Number(row.successes),
    failures: Number(row.failures),
    active: Number(row.active),
    latencies,
    firstTokens,
    inputTokens: Number(row.input_tokens),
    outputTokens: Number(row.output_tokens),
    costUsd: nanoToUsd(Number(row.cost_nano)),
    toolCalls: Number(row.tool_calls),
    lastAt: Number(row.last_at),
  };
};

const turnOfTheLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Figures of the runs that an agent did alone, added up by the store. */
export const createRunTotals =
  (db: Db) =>
  async (span: Span): Promise<RunTotals> => {
    let totals = NO_TOTALS;
    for (const slice of slicesOf(db, span)) {
      totals = addTotals(totals, await sliceTotals(db, slice));
      if (db.dialect === 'sqlite') await turnOfTheLoop();
    }
    return totals;
  };
