import { type RawBuilder, sql } from 'kysely';
import type { DialectName, Queryable } from '../../db/db.ts';
import { nanoToUsd } from '../../kernel/money.ts';
import { type RunSample, type RunTotals, sumTotals, totalsOf } from './rules.ts';
import type { Stretch } from './run-periods.ts';

/** Figures of runs that have ended, added up by the store from their rows. */

export interface TotalsSpan extends Stretch {
  tenantId: string;
  agentIds: readonly string[];
}

/** Runs that are read one by one (features/chat): those that go on, and those in which several agents have worked. */
export interface RunSamples {
  open(db: Queryable, of: { tenantId: string; since: number }): Promise<RunSample[]>;
  shared(db: Queryable, of: Stretch & { tenantId: string }): Promise<RunSample[]>;
}
export interface TotalsSource {
  dialect: DialectName;
  samples: RunSamples;
}

export type TotalsByAgent = ReadonlyMap<string, RunTotals>;

/** On SQLite a statement holds the event loop: no one reads more than a day's runs. */
const SLICE_MS = 86_400_000;

const slicesOf = (dialect: DialectName, span: TotalsSpan): TotalsSpan[] => {
  if (dialect === 'postgres') return [span];
  const slices: TotalsSpan[] = [];
  for (let since = span.since; since < span.until; since += SLICE_MS)
    slices.push({ ...span, since, until: Math.min(since + SLICE_MS, span.until) });
  return slices;
};

const tokens = (dialect: DialectName, name: string): RawBuilder<number> =>
  dialect === 'postgres'
    ? sql`coalesce(sum((usage::json->>${sql.lit(name)})::bigint), 0)`
    : sql`coalesce(sum(json_extract(usage, ${sql.lit(`$.${name}`)})), 0)`;

/** Of runs that one agent did alone: what others did in a run is told by its journal, not by its row. */
const alone = (db: Queryable, { tenantId, agentIds, since, until }: TotalsSpan) =>
  db
    .selectFrom('runs')
    .where('tenant_id', '=', tenantId)
    .where('agent_id', 'in', agentIds)
    .where('created_at', '>=', since)
    .where('created_at', '<', until)
    .where('finished_at', 'is not', null)
    .where('delegated', 'is', null);

const LATENCY = sql<
  number | null
>`case when finished_at < created_at then 0 else finished_at - created_at end`;
const FIRST_TOKEN = sql<number | null>`first_token_ms`;

type Durations = Map<string, Map<number, number>>;

/** How often each duration was measured, by agent: of all of them percentiles are exact. */
const durations = async (
  db: Queryable,
  span: TotalsSpan,
): Promise<{ latencies: Durations; firstTokens: Durations }> => {
  const of = (kind: 'latency' | 'first', column: RawBuilder<number | null>) =>
    alone(db, span)
      .select(['agent_id', sql<string>`cast(${sql.lit(kind)} as text)`.as('kind'), column.as('ms')])
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .where(column, 'is not', null)
      .groupBy(['agent_id', column]);
  const rows = await of('latency', LATENCY).unionAll(of('first', FIRST_TOKEN)).execute();
  const found: { latencies: Durations; firstTokens: Durations } = {
    latencies: new Map(),
    firstTokens: new Map(),
  };
  for (const { agent_id: agent, kind, ms, n } of rows) {
    const byAgent = kind === 'latency' ? found.latencies : found.firstTokens;
    const own = byAgent.get(agent ?? '') ?? new Map<number, number>();
    own.set(Number(ms), Number(n));
    byAgent.set(agent ?? '', own);
  }
  return found;
};

const sumOfMs = (counts: ReadonlyMap<number, number>): number =>
  [...counts].reduce((sum, [ms, n]) => sum + ms * n, 0);

const aloneTotals = async (
  db: Queryable,
  dialect: DialectName,
  span: TotalsSpan,
): Promise<Map<string, RunTotals>> => {
  const rows = await alone(db, span)
    .select((eb) => [
      'agent_id',
      eb.fn.countAll<number>().as('requests'),
      sql<number>`sum(case when status = 'completed' then 1 else 0 end)`.as('successes'),
      sql<number>`sum(case when status = 'failed' then 1 else 0 end)`.as('failures'),
      sql<number>`sum(cost_nano)`.as('cost_nano'),
      sql<number>`sum(tool_call_count)`.as('tool_calls'),
      tokens(dialect, 'input_tokens').as('input_tokens'),
      tokens(dialect, 'output_tokens').as('output_tokens'),
      sql<number>`max(created_at)`.as('last_at'),
    ])
    .groupBy('agent_id')
    .execute();
  if (rows.length === 0) return new Map();
  const { latencies, firstTokens } = await durations(db, span);
  return new Map(
    rows.map((row) => {
      const agent = row.agent_id ?? '';
      const ownLatencies = latencies.get(agent) ?? new Map<number, number>();
      return [
        agent,
        {
          requests: Number(row.requests),
          successes: Number(row.successes),
          failures: Number(row.failures),
          active: 0,
          latencies: ownLatencies,
          firstTokens: firstTokens.get(agent) ?? new Map<number, number>(),
          inputTokens: Number(row.input_tokens),
          outputTokens: Number(row.output_tokens),
          costUsd: nanoToUsd(Number(row.cost_nano)),
          toolCalls: Number(row.tool_calls),
          latencyMs: sumOfMs(ownLatencies),
          lastAt: Number(row.last_at),
        },
      ];
    }),
  );
};

export const samplesByAgent = (
  samples: readonly RunSample[],
  agentIds: readonly string[],
): Map<string, RunTotals> =>
  new Map(
    Object.entries(Object.groupBy(samples, (sample) => sample.agentId))
      .filter(([agent]) => agentIds.includes(agent))
      .map(([agent, own = []]) => [agent, totalsOf(own)]),
  );

export const sumByAgent = (
  list: readonly TotalsByAgent[],
  agentIds: readonly string[],
): Map<string, RunTotals> => {
  const summed = new Map<string, RunTotals>();
  for (const agent of agentIds) {
    const own = list.flatMap((one) => one.get(agent) ?? []);
    if (own.length > 0) summed.set(agent, sumTotals(own));
  }
  return summed;
};

/** One statement after the other, each of a short time on SQLite. */
export const rowTotals = async (
  db: Queryable,
  { dialect, samples }: TotalsSource,
  span: TotalsSpan,
): Promise<TotalsByAgent> => {
  const found: TotalsByAgent[] = [];
  for (const slice of slicesOf(dialect, span)) {
    found.push(await aloneTotals(db, dialect, slice));
    found.push(samplesByAgent(await samples.shared(db, slice), span.agentIds));
    if (dialect === 'sqlite' && slice.until < span.until) await turnOfTheLoop();
  }
  return sumByAgent(found, span.agentIds);
};

const turnOfTheLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export const totalRequests = (totals: TotalsByAgent): number =>
  [...totals.values()].reduce((sum, one) => sum + one.requests, 0);
