import type { Db, Queryable, Tx } from '../../db/db.ts';
import type { AnyRoute } from '../../http/route.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Cluster } from '../../kernel/cluster.ts';
import { type NanoUsd, usdToNano } from '../../kernel/money.ts';
import type { Audit } from '../audit/index.ts';
import { createCostAccounts } from './accounts.ts';
import { createAlerts } from './alerts.ts';
import { createCalendars } from './calendar.ts';
import { dropOld, forgottenHolds, NODE_TIMEOUT_MS, orphanedHolds, touchNode } from './holds.store.ts';
import { createLimited } from './limited.ts';
import { createLimits } from './limits.ts';
import { costRoutes } from './routes.ts';
import { fillSums } from './sums.ts';
import { costTools } from './tools.ts';
import type { CostAlert, LedgerEntry } from './types.ts';
import { sumOfRun } from './usage.store.ts';
import { createUsage } from './usage.ts';

export { assertCarriedCounter, assertCarriedLimit } from './carried.ts';

export { createMetered, type MeteredOptions } from './metered.ts';

export { checkSums, rebuildSums } from './sums.ts';

export type { CostAlert, CostKind, CostSubject, Hold, HoldRequest, LedgerEntry } from './types.ts';

export interface CostsOptions {
  db: Db;
  clock: Clock;
  cluster: Cluster;
  /** IANA zone of the tenant (`settings.timezone`, else UTC); asked at most every 30 s, inside the caller's transaction. */
  timeZoneOf(tx: Queryable, tenantId: string): Promise<string>;
  /**
   * After the commit of what caused it, inside the transaction that claims the alert; each threshold once per period and
   * limit.
   */
  onAlert(tx: Tx, alert: CostAlert): Promise<void>;
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

const TEND_MS = 30_000;
/** Counters are kept past their period for reports and late settlements. */
const KEEP_COUNTERS_MS = 400 * 86_400_000;

/** Ledger, limits and reservations. `start` must run before the first hold. */
export const createCosts = (options: CostsOptions) => {
  const { db, clock, cluster } = options;
  const { nodeId } = cluster;
  const defaults = options.defaults ?? DEFAULT_LIMITS;
  const alerts = createAlerts({ db, onAlert: options.onAlert, onError: options.onError });
  const calendars = createCalendars(options.timeZoneOf);
  const limited = createLimited(db);
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
  const stop = new AbortController();
  let filling: Promise<void> = Promise.resolve();

  const freeAll = async (ids: readonly string[]): Promise<number> => {
    let freed = 0;
    // One transaction each: a settlement that comes after all waits for its own row alone.
    for (const id of ids) if (await db.write((tx) => accounts.free(tx, id))) freed += 1;
    return freed;
  };
  /** Frees the holds of nodes that are gone, at start (`fresh`) those that this one left as well; how many. */
  const recover = async (fresh = false): Promise<number> =>
    freeAll(await orphanedHolds(db, cluster, { now: clock.now(), fresh }));
  /** Frees those of this process that a fault has taken from their call; how many. */
  const sweep = async (): Promise<number> => freeAll(await forgottenHolds(db, nodeId, clock.now()));

  /** `performance.now()` of the first look at the store since the last that failed. */
  let steadySince: number | null = null;
  const tend = async (): Promise<void> => {
    try {
      await sweep();
    } catch (error) {
      steadySince = null;
      throw error;
    }
    steadySince ??= performance.now();
    // While the store was away nobody could show himself: all get the time of a silent one first.
    if (!cluster.alone && performance.now() - steadySince >= NODE_TIMEOUT_MS) await recover();
    if (!db.oneWriter) await limits.correct();
  };

  return {
    hold: accounts.hold,
    settle: accounts.settle,
    release: accounts.release,
    room: accounts.room,
    recover,
    sweep,
    /** Limits of a tenant with their state, and changes of them (without the checks of the HTTP API). */
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

    /** Frees what dead nodes hold, and goes on doing so. The signs of life that follow its own first one are those of `nodes`. */
    async start(): Promise<void> {
      await touchNode(db, nodeId, clock.now());
      await recover(true);
      steadySince = performance.now();
      await dropOld(db, clock.now(), KEEP_COUNTERS_MS);
      timer = setInterval(() => void tend().catch(options.onError), TEND_MS);
      timer.unref();
      filling = fillSums(db, stop.signal).catch(options.onError);
    },

    async close(): Promise<void> {
      stop.abort();
      if (timer !== null) clearInterval(timer);
      await filling;
      await alerts.flush();
    },
  };
};

export type Costs = ReturnType<typeof createCosts>;

/** What the module gives to others. */
export interface CostsService extends Costs {
  /** For calls that no run counts into its conversation. */
  besideRuns: Pick<Costs, 'hold' | 'settle'>;
}
