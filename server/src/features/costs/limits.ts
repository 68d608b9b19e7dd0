import type { Db, Queryable } from '../../db/db.ts';
import type { CostLimitRow } from '../../db/tables/costs.ts';
import type { Caller } from '../../kernel/caller.ts';
import { type Clock, iso } from '../../kernel/clock.ts';
import { type FieldFault, invalid } from '../../kernel/errors.ts';
import { isWholeNano, type NanoUsd, nanoToUsd, TOO_FINE, usdToNano } from '../../kernel/money.ts';
import { type Audit, actorOf } from '../audit/index.ts';
import type { Calendars, TenantCalendar } from './calendar.ts';
import { counterId, selectCounters, spentBetween } from './counters.store.ts';
import type { Limited } from './limited.ts';
import {
  correctLimit,
  dropCounters,
  ensureLimits,
  keyOf,
  type LimitDefaults,
  type LimitKey,
  lockTenant,
  putLimit,
  staleLimits,
} from './limits.store.ts';
import {
  type AlertLevel,
  ANY_RUN,
  alertLevel,
  type LimitPeriod,
  type LimitScope,
  thresholdOf,
} from './rules.ts';
import type { LimitsBody } from './schema.ts';

export interface LimitState {
  id: string;
  scope: LimitScope;
  subject: string;
  period: LimitPeriod;
  limitNano: NanoUsd;
  usedNano: NanoUsd;
  reservedNano: NanoUsd;
  remainingNano: NanoUsd;
  /** Epoch ms; null for runs. */
  resetsAt: number | null;
  level: AlertLevel;
}

export type LimitChange = LimitKey & { limitNano: NanoUsd | null };

export interface LimitsOptions {
  db: Db;
  clock: Clock;
  calendars: Calendars;
  limited: Limited;
  defaults: LimitDefaults;
  userExists(tenantId: string, userId: string): Promise<boolean>;
  agentExists(agentId: string): boolean;
  /** Writes the audit record inside the transaction of the change. */
  audit: Pick<Audit, 'append'>;
}

/** The wire's limits as keys of the store; throws 422 naming each fault. */
export const parseChanges = async (
  options: Pick<LimitsOptions, 'userExists' | 'agentExists'>,
  tenantId: string,
  body: LimitsBody,
): Promise<LimitChange[]> => {
  const faults: FieldFault[] = [];
  const seen = new Set<string>();
  const changes: LimitChange[] = [];
  for (const [at, limit] of body.limits.entries()) {
    const { scope, period } = limit;
    const fault = (field: string, reason: string) => faults.push({ field: `/limits/${at}/${field}`, reason });
    if ((scope === 'run') !== (period === 'run')) {
      fault(
        'period',
        scope === 'run' ? 'must be run for the scope run' : 'must be day or month for this scope',
      );
      continue;
    }
    const own = scope === 'tenant' ? tenantId : scope === 'run' ? ANY_RUN : null;
    const subject = limit.subject ?? own;
    if (subject === null) {
      fault('subject', 'is required for this scope');
      continue;
    }
    if (own !== null && subject !== own) fault('subject', 'must be left out for this scope');
    else if (scope === 'user' && !(await options.userExists(tenantId, subject)))
      fault('subject', 'is not a user of this tenant');
    else if (scope === 'agent' && !options.agentExists(subject)) fault('subject', 'is not an agent');
    if (limit.limit_usd !== null && !isWholeNano(limit.limit_usd)) fault('limit_usd', TOO_FINE);
    const key = { scope, subject, period };
    if (seen.has(keyOf(key))) fault('scope', 'names a limit that stands in this list already');
    seen.add(keyOf(key));
    changes.push({ ...key, limitNano: limit.limit_usd === null ? null : usdToNano(limit.limit_usd) });
  }
  if (faults.length > 0) throw invalid(...faults);
  return changes;
};

export const limitWire = (limit: LimitState) => ({
  id: limit.id,
  scope: limit.scope,
  subject: limit.subject,
  period: limit.period,
  limit_usd: nanoToUsd(limit.limitNano),
  used_usd: nanoToUsd(limit.usedNano),
  reserved_usd: nanoToUsd(limit.reservedNano),
  remaining_usd: nanoToUsd(limit.remainingNano),
  resets_at: limit.resetsAt === null ? null : iso(limit.resetsAt),
  alert_level: limit.level,
});

const isScope = (text: string): text is LimitScope =>
  text === 'tenant' || text === 'user' || text === 'agent' || text === 'run';

export const createLimits = (options: LimitsOptions) => {
  const { db, clock, calendars, defaults } = options;

  const stateOf = async (
    row: CostLimitRow & { limit_nano: number },
    calendar: TenantCalendar,
  ): Promise<LimitState> => {
    const { id, scope, subject, limit_nano: limitNano, tenant_id: tenantId } = row;
    if (!isScope(scope)) throw new Error(`a limit of unknown scope ${scope}`);
    if (scope === 'run') {
      const base = { id, scope, subject, period: 'run' as const, limitNano, usedNano: 0, reservedNano: 0 };
      return {
        ...base,
        remainingNano: limitNano,
        resetsAt: null,
        level: limitNano === 0 ? 'exceeded' : 'none',
      };
    }
    const period = row.period === 'day' ? 'day' : 'month';
    const span = calendar[period];
    const [counter] = await selectCounters(db.read, [
      counterId(tenantId, scope, subject, period, span.start),
    ]);
    const usedNano = counter?.used_nano ?? (await spentBetween(db.read, { tenantId, scope, subject, span }));
    const reservedNano = counter?.reserved_nano ?? 0;
    return {
      id,
      scope,
      subject,
      period,
      limitNano,
      usedNano,
      reservedNano,
      remainingNano: Math.max(0, limitNano - usedNano - reservedNano),
      resetsAt: span.end,
      level: alertLevel(thresholdOf(usedNano, limitNano)),
    };
  };

  const list = async (tenantId: string): Promise<LimitState[]> => {
    const now = clock.now();
    const calendar = await calendars.at(db.read, tenantId, now);
    const rows = await db.write((tx) => ensureLimits(tx, tenantId, defaults, now));
    const states: LimitState[] = [];
    for (const row of rows) {
      if (row.limit_nano !== null)
        states.push(await stateOf({ ...row, limit_nano: row.limit_nano }, calendar));
    }
    return states;
  };

  return {
    /** Every limit of the tenant with what is used and reserved of it now. */
    list,

    /** Puts right what a change and a new counter in the same instant have left apart (PostgreSQL; SQLite has one writer). */
    async correct(): Promise<void> {
      for (const stale of await staleLimits(db.read, clock.now())) {
        await db.write((tx) => correctLimit(tx, stale.id, stale.limit_nano));
      }
    },

    /** Sets and removes (null) limits; holds from the next reservation on, on every node. */
    async put(
      tenantId: string,
      changes: readonly LimitChange[],
      by: { caller: Caller; requestId: string } | null = null,
    ): Promise<void> {
      const now = clock.now();
      const write = async (tx: Queryable) => {
        await lockTenant(tx, db.dialect, tenantId, now);
        await ensureLimits(tx, tenantId, defaults, now);
        const counted = await options.limited.at(tx, tenantId);
        for (const { limitNano, ...key } of changes) {
          // Nothing has been counted there of late: the next hold makes the counter from the ledger.
          if (counted?.has(keyOf(key)) === false) await dropCounters(tx, tenantId, key, now);
          await putLimit(tx, tenantId, key, limitNano, now);
        }
        options.limited.forget(tenantId);
        if (by === null) return;
        await options.audit.append(tx, {
          ...actorOf(by.caller),
          requestId: by.requestId,
          action: 'costs.limits_changed',
          details: {
            limits: changes.map(({ limitNano, ...key }) => ({
              ...key,
              limit_usd: limitNano === null ? null : nanoToUsd(limitNano),
            })),
          },
        });
      };
      await db.write(write, { repeatable: true });
    },
  };
};

export type LimitsService = ReturnType<typeof createLimits>;
