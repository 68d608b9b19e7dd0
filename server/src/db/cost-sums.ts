import type { DialectName } from './db.ts';

/** What the sums of the ledger are made of: the same text fills them row by row (step 150) and day by day (features/costs). */

/** First number of the advisory locks, one a tenant, under which its sums change on PostgreSQL. */
export const COST_SUMS_LOCK = 7_310_004;

/** Every time zone's midnight falls on a quarter of an hour: sums of such slots fold into days of any zone. */
export const SLOT_MS = 900_000;
export const DAY_MS = 86_400_000;

/** In UTC, like the days. */
export const monthStart = (at: number): number => {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
};
export const nextMonth = (at: number): number => {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
};

/**
 * - `slot`: a quarter of an hour of the tenant
 * - `day`: a day (UTC) by agent, model and tool
 * - `user_day`, `user_month`: of one user
 *
 * What a part does not divide by, and what a row of the ledger leaves empty, is ''.
 */
export type CostSumPart = 'slot' | 'day' | 'user_day' | 'user_month';

export const SUM_COLUMNS =
  'tenant_id, part, starts_at, user_id, agent_id, model, tool, requests, cost_nano, input_tokens, output_tokens, cached_input_tokens, beyond_estimate';
const COUNTED = [
  'requests',
  'cost_nano',
  'input_tokens',
  'output_tokens',
  'cached_input_tokens',
  'beyond_estimate',
];

const floorTo = (unit: number): string => `(new.created_at / ${unit}) * ${unit}`;

/** One upsert of the four sums that a row belongs to; for a trigger, where the row is `new`. */
export const addRow = (dialect: DialectName): string => {
  const month =
    dialect === 'sqlite'
      ? `cast(strftime('%s', new.created_at / 1000, 'unixepoch', 'start of month') as integer) * 1000`
      : `cast(extract(epoch from date_trunc('month', to_timestamp(new.created_at / 1000) at time zone 'UTC') at time zone 'UTC') as bigint) * 1000`;
  const amounts =
    '1, new.cost_nano, new.input_tokens, new.output_tokens, new.cached_input_tokens, new.beyond_estimate';
  const row = (part: CostSumPart, start: string, by: string): string =>
    `(new.tenant_id, '${part}', ${start}, ${by}, ${amounts})`;
  const kind = "coalesce(new.agent_id, ''), coalesce(new.model, ''), coalesce(new.tool, '')";
  return `insert into cost_sums (${SUM_COLUMNS}) values
    ${row('slot', floorTo(SLOT_MS), "'', '', '', ''")},
    ${row('day', floorTo(DAY_MS), `'', ${kind}`)},
    ${row('user_day', floorTo(DAY_MS), "new.user_id, '', '', ''")},
    ${row('user_month', month, "new.user_id, '', '', ''")}
    on conflict (tenant_id, part, starts_at, user_id, agent_id, model, tool) do update set
    ${COUNTED.map((name) => `${name} = cost_sums.${name} + excluded.${name}`).join(', ')}`;
};

/** The sums of the ledger's rows between two times, as rows of `cost_sums`; months are whole only where the span is. */
export const summedRows = (part: CostSumPart, start: string): string => {
  const by =
    part === 'slot'
      ? "'' as user_id, '' as agent_id, '' as model, '' as tool"
      : part === 'day'
        ? "'' as user_id, coalesce(agent_id, '') as agent_id, coalesce(model, '') as model, coalesce(tool, '') as tool"
        : "user_id, '' as agent_id, '' as model, '' as tool";
  return `select tenant_id, cast('${part}' as text) as part, ${start} as starts_at, ${by}, count(*) as requests,
    ${COUNTED.slice(1)
      .map((name) => `cast(sum(${name}) as bigint) as ${name}`)
      .join(', ')}`;
};
