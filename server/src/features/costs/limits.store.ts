import { sql } from 'kysely';
import type { DialectName, Queryable } from '../../db/db.ts';
import type { CostLimitRow } from '../../db/tables/costs.ts';
import { newId } from '../../kernel/ids.ts';
import type { NanoUsd } from '../../kernel/money.ts';
import { ANY_RUN, type LimitPeriod, type LimitScope, thresholdOf } from './rules.ts';

export interface LimitKey {
  scope: LimitScope;
  subject: string;
  period: LimitPeriod;
}

export interface LimitDefaults {
  tenantDayNano: NanoUsd | null;
  tenantMonthNano: NanoUsd | null;
  runNano: NanoUsd | null;
}

export const keyOf = (limit: { scope: string; subject: string; period: string }): string =>
  `${limit.scope}|${limit.subject}|${limit.period}`;

const defaultLimits = (
  tenantId: string,
  defaults: LimitDefaults,
): (LimitKey & { limit: NanoUsd | null })[] => [
  { scope: 'tenant', subject: tenantId, period: 'day', limit: defaults.tenantDayNano },
  { scope: 'tenant', subject: tenantId, period: 'month', limit: defaults.tenantMonthNano },
  { scope: 'run', subject: ANY_RUN, period: 'run', limit: defaults.runNano },
];

/**
 * PostgreSQL: waits for every transaction that holds money of the tenant, before its limits change. The locks are taken
 * in the order in which holds take theirs.
 */
export const lockTenant = async (
  tx: Queryable,
  dialect: DialectName,
  tenantId: string,
  now: number,
): Promise<void> => {
  if (dialect !== 'postgres') return;
  await tx
    .selectFrom('cost_counters')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('ends_at', '>', now)
    .orderBy('id')
    .forUpdate()
    .execute();
};

/**
 * Counters of running periods whose limit is not the one that is set: on PostgreSQL a counter made in the same instant
 * as a change can carry the old one.
 */
export const staleLimits = (db: Queryable, now: number) =>
  db
    .selectFrom('cost_counters as c')
    .leftJoin('cost_limits as l', (join) =>
      join
        .onRef('l.tenant_id', '=', 'c.tenant_id')
        .onRef('l.scope', '=', 'c.scope')
        .onRef('l.subject', '=', 'c.subject')
        .onRef('l.period', '=', 'c.period'),
    )
    .select(['c.id', 'c.tenant_id', 'l.limit_nano'])
    .where('c.ends_at', '>', now)
    .where(sql<boolean>`c.limit_nano is distinct from l.limit_nano`)
    .execute();

export const correctLimit = async (
  tx: Queryable,
  counterId: string,
  limitNano: NanoUsd | null,
): Promise<void> => {
  await tx.updateTable('cost_counters').set({ limit_nano: limitNano }).where('id', '=', counterId).execute();
};

export const selectLimits = (db: Queryable, tenantId: string): Promise<CostLimitRow[]> =>
  db
    .selectFrom('cost_limits')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

/** All limits of the tenant, removed ones with a null amount; the defaults are written at the first look. */
export const ensureLimits = async (
  tx: Queryable,
  tenantId: string,
  defaults: LimitDefaults,
  now: number,
): Promise<CostLimitRow[]> => {
  const known = await selectLimits(tx, tenantId);
  if (known.length > 0) return known;
  for (const { limit, ...key } of defaultLimits(tenantId, defaults)) {
    await tx
      .insertInto('cost_limits')
      .values({ id: newId(), tenant_id: tenantId, ...key, limit_nano: limit, created_at: now })
      .onConflict((c) => c.columns(['tenant_id', 'scope', 'subject', 'period']).doNothing())
      .execute();
  }
  return selectLimits(tx, tenantId);
};

/** Takes away the counters of a user or an agent in the periods that have not ended. */
export const dropCounters = async (
  tx: Queryable,
  tenantId: string,
  { scope, subject, period }: LimitKey,
  now: number,
): Promise<void> => {
  if (scope !== 'user' && scope !== 'agent') return;
  await tx
    .deleteFrom('cost_counters')
    .where('tenant_id', '=', tenantId)
    .where('ends_at', '>', now)
    .where('scope', '=', scope)
    .where('subject', '=', subject)
    .where('period', '=', period)
    .execute();
};

/**
 * Sets one limit (null removes it) and carries it into the counters of the periods that have not ended, so that it
 * holds from the next reservation on, on every node. Alerts that the new amount no longer justifies may come again.
 */
export const putLimit = async (
  tx: Queryable,
  tenantId: string,
  key: LimitKey,
  limitNano: NanoUsd | null,
  now: number,
): Promise<void> => {
  await tx
    .insertInto('cost_limits')
    .values({ id: newId(), tenant_id: tenantId, ...key, limit_nano: limitNano, created_at: now })
    .onConflict((c) =>
      c.columns(['tenant_id', 'scope', 'subject', 'period']).doUpdateSet({ limit_nano: limitNano }),
    )
    .execute();
  if (key.scope === 'run') {
    await tx
      .updateTable('cost_counters')
      .set({ run_limit_nano: limitNano })
      .where('tenant_id', '=', tenantId)
      .where('ends_at', '>', now)
      .where('scope', '=', 'tenant')
      .where('period', '=', 'day')
      .execute();
    return;
  }
  const counters = await tx
    .updateTable('cost_counters')
    .set({ limit_nano: limitNano })
    .where('tenant_id', '=', tenantId)
    .where('ends_at', '>', now)
    .where('scope', '=', key.scope)
    .where('subject', '=', key.subject)
    .where('period', '=', key.period)
    .returningAll()
    .execute();
  for (const counter of counters) {
    await tx
      .updateTable('cost_counters')
      .set({ alerted: Math.min(counter.alerted, thresholdOf(counter.used_nano, limitNano)), refused: 0 })
      .where('id', '=', counter.id)
      .execute();
  }
};
