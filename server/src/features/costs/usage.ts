import type { Db } from '../../db/db.ts';
import type { Caller } from '../../kernel/caller.ts';
import { type Clock, iso } from '../../kernel/clock.ts';
import { forbidden } from '../../kernel/errors.ts';
import { nanoToUsd } from '../../kernel/money.ts';
import type { Calendars } from './calendar.ts';
import { csvHeader, csvLines } from './csv.ts';
import { type LimitState, type LimitsService, limitWire } from './limits.ts';
import { forecastNano } from './rules.ts';
import { DEFAULT_USERS, type UsageQuery } from './schema.ts';
import { daysOf } from './span-pieces.ts';
import { hasSums } from './sums.store.ts';
import {
  addUsageSums,
  byDate,
  noSums,
  type Sums,
  sumsWire,
  type UsagePeriod,
  usagePeriod,
} from './usage.rules.ts';
import { ledgerPages, sumRows, sumSums, type UsageFilter, type UsageSum } from './usage.store.ts';

/** Analyst, operator and admin read the costs of the tenant; everybody else their own. */
export const readsTenantCosts = (caller: Caller): boolean =>
  caller.permissions.has('analytics:read') || caller.permissions.has('costs:manage');

const sumsOf = (row: UsageSum): Sums => ({
  costNano: Number(row.cost_nano),
  requests: Number(row.requests),
  inputTokens: Number(row.input_tokens),
  outputTokens: Number(row.output_tokens),
  cachedInputTokens: Number(row.cached_input_tokens),
  beyondEstimate: Number(row.beyond_estimate),
});

/** Rows of one dimension, the dearest first. */
const part = <K extends string>(rows: readonly UsageSum[], name: UsageSum['part'], field: K) =>
  rows
    .filter((row) => row.part === name)
    .map((row) => ({ key: row.key, sums: sumsOf(row) }))
    .sort((a, b) => b.sums.costNano - a.sums.costNano || String(a.key).localeCompare(String(b.key)))
    .map(({ key, sums }) => ({ [field]: key, ...sumsWire(sums) }));

export const createUsage = (options: {
  db: Db;
  clock: Clock;
  calendars: Calendars;
  limits: LimitsService;
}) => {
  const { db, clock, calendars, limits } = options;

  /** Of a tenant from its sums, of one person (and where the sums are not whole yet) from rows; and one page of the users. */
  const sums = async (filter: UsageFilter, query: UsageQuery, zone: string) => {
    const limit = query.users_limit ?? DEFAULT_USERS;
    const offset = ((query.users_page ?? 1) - 1) * limit;
    if (filter.userId === null && (await hasSums(db.read, filter.tenantId))) {
      const rows = await sumSums(db.read, { ...filter, days: daysOf(zone, filter.span) }, { limit, offset });
      const { requests: total } = rows.find((row) => row.part === 'users') ?? { requests: 0 };
      return { rows, users: part(rows, 'user', 'user_id'), total: Number(total) };
    }
    const rows = await sumRows(db.read, filter);
    const users = part(rows, 'user', 'user_id');
    return { rows, users: users.slice(offset, offset + limit), total: users.length };
  };

  const question = async (caller: Caller, query: UsageQuery) => {
    const scope = query.scope ?? 'me';
    if (scope === 'tenant' && !readsTenantCosts(caller)) throw forbidden('analytics:read');
    const now = clock.now();
    const { zone } = await calendars.at(db.read, caller.tenantId, now);
    const period = usagePeriod(query, zone, now);
    const filter: UsageFilter = {
      tenantId: caller.tenantId,
      userId: scope === 'me' ? caller.userId : null,
      span: period.span,
    };
    return { scope, now, zone, period, filter };
  };

  /** The caller's own limit of the asked period where there is one, else the tenant's. */
  const budgetOf = async (
    caller: Caller,
    scope: 'me' | 'tenant',
    period: UsagePeriod,
    now: number,
  ): Promise<Record<string, unknown> | null> => {
    const wanted = period.name === 'day' ? 'day' : 'month';
    const all = (await limits.list(caller.tenantId)).filter((limit) => limit.period === wanted);
    const own = all.find((limit) => limit.scope === 'user' && limit.subject === caller.userId);
    const tenants = all.find((limit) => limit.scope === 'tenant');
    const limit: LimitState | undefined = scope === 'me' ? (own ?? tenants) : tenants;
    if (limit === undefined) return null;
    const { id: _, ...wire } = limitWire(limit);
    const { [wanted]: span } = await calendars.at(db.read, caller.tenantId, now);
    const forecast = forecastNano(limit.usedNano, span, now);
    return { ...wire, forecast_usd: forecast === null ? null : nanoToUsd(forecast) };
  };

  return {
    async usage(caller: Caller, query: UsageQuery) {
      const { scope, now, zone, period, filter } = await question(caller, query);
      const { rows, users, total: usersTotal } = await sums(filter, query, zone);
      const slots = rows
        .filter((row) => row.part === 'slot')
        .map((row) => ({ start: Number(row.key), sums: sumsOf(row) }));
      const total = slots.reduce((sum, slot) => addUsageSums(sum, slot.sums), noSums());
      const forecast = forecastNano(total.costNano, period.span, now);
      const { cost_usd: totalUsd, ...totals } = sumsWire(total);
      return {
        period: { name: period.name, start: iso(period.span.start), end: iso(period.span.end) },
        scope,
        currency: 'USD' as const,
        total_usd: totalUsd,
        forecast_usd: forecast === null ? null : nanoToUsd(forecast),
        ...totals,
        by_agent: part(rows, 'agent', 'agent_id'),
        by_model: part(rows, 'model', 'model'),
        by_tool: part(rows, 'tool', 'tool'),
        by_day: [...byDate(slots, zone)].map(([date, sums]) => ({ date, ...sumsWire(sums) })),
        ...(scope === 'tenant' ? { by_user: users, users_total: usersTotal } : {}),
        budget: await budgetOf(caller, scope, period, now),
      };
    },

    /** The ledger rows behind `usage`, as text in pieces. Refusals come before the first piece. */
    async csv(caller: Caller, query: UsageQuery): Promise<{ name: string; text: AsyncGenerator<string> }> {
      const { period, filter } = await question(caller, query);
      async function* text(): AsyncGenerator<string> {
        yield csvHeader();
        for await (const rows of ledgerPages(db.read, filter)) yield csvLines(rows);
      }
      const day = iso(period.span.start).slice(0, 10);
      return { name: `costs-${period.name}-${day}.csv`, text: text() };
    },
  };
};

export type UsageService = ReturnType<typeof createUsage>;
