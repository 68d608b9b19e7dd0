import type { Db, Queryable } from '../../db/db.ts';
import type { AnyRoute } from '../../http/route.ts';
import type { Clock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import { type NanoUsd, usdToNano } from '../../kernel/money.ts';
import type { Audit } from '../audit/index.ts';
import { createCostAccounts } from './accounts.ts';
import { createAlerts } from './alerts.ts';
import { createCalendars } from './calendar.ts';
import {
  dropOld,
  forgottenHolds,
  leaveNodes,
  NODE_TIMEOUT_MS,
  orphanedHolds,
  touchNode,
} from './holds.store.ts';
import { createLimited } from './limited.ts';
import { createLimits } from './limits.ts';
import { costRoutes } from './routes.ts';
import { costTools } from './tools.ts';
import type { CostAlert, LedgerEntry } from './types.ts';
import { sumOfRun } from './usage.store.ts';
import { createUsage } from './usage.ts';

export { assertCarriedCounter, assertCarriedLimit } from './carried.ts';
export { openHolds } from './holds.store.ts';
export type { LimitChange, LimitState } from './limits.ts';
export { createMetered, type Metered, type MeteredOptions } from './metered.ts';
export { isBudgetTimeZone } from './periods.rules.ts';
export { alertText } from './rules.ts';
export type { CostAlert, CostKind, CostSubject, Hold, HoldRequest, LedgerEntry } from './types.ts';

export interface CostsOptions {
  db: Db;
  clock: Clock;
  /** IANA zone of the tenant (`settings.timezone`, else UTC); asked at most every 30 s, inside the caller's transaction. */
  timeZoneOf(tx: Queryable, tenantId: string): Promise<string>;
  /**
   * After the commit of what caused it; each threshold once per period and limit. Runs inside the transaction that claims
   * the alert; what it gives is done after that one's commit.
   */
  onAlert(tx: Queryable, alert: CostAlert): Promise<() => void>;
  onError(error: unknown): void;
  /** Each entry of the ledger, before its commit: for metrics. */
  onBooked?(entry: LedgerEntry): void;
  userExists(tenantId: string, userId: string): Promise<boolean>;
  agentExists(agentId: string): boolean;
  /** Writes the audit record inside the transaction of a change of limits. */
  audit: Pick<Audit, 'append'>;
  /** Limits of tenants that have set none; null = unlimited. */
  defaults?: { tenantDayNano: NanoUsd | null; tenantMonthNano: NanoUsd | null; runNano: NanoUsd | null };
}

/** Contract, section 6. */
export const DEFAULT_LIMITS = {
  tenantDayNano: usdToNano(500),
  tenantMonthNano: usdToNano(10_000),
  runNano: usdToNano(5),
};

const HEARTBEAT_MS = 30_000;
/** Counters are kept past their period for reports and late settlements. */
const KEEP_COUNTERS_MS = 400 * 86_400_000;

/** Ledger, limits and reservations. `start` must run before the first hold. */
export const createCosts = (options: CostsOptions) => {
  const { db, clock } = options;
  const nodeId = newId();
  const defaults = options.defaults ?? DEFAULT_LIMITS;
  const alerts = createAlerts({ db, onAlert: options.onAlert, onError: options.onError });
  const calendars = createCalendars(options.timeZoneOf);
  const limited = createLimited(db.dialect);
  const accounts = createCostAccounts({
    dialect: db.dialect,
    clock,
    nodeId,
    defaults,
    calendars,
    limited,
    onSpent: alerts.spent,
    onRefused: alerts.refused,
    onBooked: options.onBooked?.bind(options),
  });
  const limits = createLimits({ ...options, calendars, limited, defaults });
  const usage = createUsage({ db, clock, calendars, limits });
  let timer: NodeJS.Timeout | null = null;

  const freeAll = async (ids: readonly string[]): Promise<number> => {
    let freed = 0;
    // One transaction each: a settlement that comes after all waits for its own row alone.
    for (const id of ids) if (await db.write((tx) => accounts.free(tx, id))) freed += 1;
    return freed;
  };
  /** Frees the holds of processes that are gone; how many. */
  const recover = async (): Promise<number> => freeAll(await orphanedHolds(db, nodeId, clock.now()));
  /** Frees those of this process that a fault has taken from their call; how many. */
  const sweep = async (): Promise<number> => freeAll(await forgottenHolds(db, nodeId, clock.now()));

  /** `performance.now()` of the first sign of life since the last that failed. */
  let steadySince: number | null = null;
  const beat = async (): Promise<void> => {
    try {
      await touchNode(db, nodeId, clock.now());
    } catch (error) {
      steadySince = null;
      throw error;
    }
    steadySince ??= performance.now();
    await sweep();
    if (db.dialect !== 'postgres') return;
    // While the store was away nobody could show himself: all get the time of a silent one first.
    if (performance.now() - steadySince >= NODE_TIMEOUT_MS) await recover();
    await limits.correct();
  };

  return {
    hold: accounts.hold,
    settle: accounts.settle,
    release: accounts.release,
    room: accounts.room,
    recover,
    sweep,
    /** Limits of a tenant with their state, and changes of them (without the checks of the HTTP door). */
    limits: limits.list,
    putLimits: limits.put,
    usage: usage.usage,
    /** What a run that goes on after a restart has spent of its own limit: priced tools are not in it. */
    spentOfRun: (run: { tenantId: string; runId: string; since: number }): Promise<NanoUsd> =>
      sumOfRun(db.read, run),
    tools: costTools({ usage, limits }),
    routes: (): AnyRoute[] => costRoutes({ usage, limits, known: options }),
    /** The settings of a tenant have changed (its time zone). */
    forgetTenant(tenantId: string): void {
      calendars.forget(tenantId);
      limited.forget(tenantId);
    },

    /** Sends the alerts of what has been committed; they go by themselves within a tenth of a second. */
    flushAlerts: alerts.flush,

    /** Shows this process as alive, frees the holds of dead ones, and goes on doing so. */
    async start(): Promise<void> {
      await touchNode(db, nodeId, clock.now());
      await recover();
      steadySince = performance.now();
      await dropOld(db, clock.now(), KEEP_COUNTERS_MS);
      timer = setInterval(() => void beat().catch(options.onError), HEARTBEAT_MS);
      timer.unref();
    },

    async close(): Promise<void> {
      if (timer !== null) clearInterval(timer);
      await alerts.flush();
      await leaveNodes(db, nodeId).catch(options.onError);
    },
  };
};

export type Costs = ReturnType<typeof createCosts>;

/** What the module gives to others. */
export interface CostsService extends Costs {
  /** For calls that no run counts into its conversation. */
  besideRuns: Pick<Costs, 'hold' | 'settle'>;
}
