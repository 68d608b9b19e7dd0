import type { Db, Queryable, Tx } from '../../db/db.ts';
import { acrossTenants } from '../../db/scope.ts';
import type { CostCounterRow } from '../../db/tables/costs.ts';
import { lockCounter, markTold, selectCounters } from './counters.store.ts';
import { alertLevel, thresholdOf } from './rules.ts';
import type { CostAlert } from './types.ts';

const THRESHOLDS = [50, 75, 90, 100] as const;

const alertOf = (row: CostCounterRow, type: CostAlert['type'], threshold: number | null): CostAlert => ({
  type,
  tenantId: row.tenant_id,
  scope: row.scope === 'user' || row.scope === 'agent' ? row.scope : 'tenant',
  subject: row.subject,
  period: row.period === 'day' ? 'day' : 'month',
  thresholdPercent: threshold,
  level: alertLevel(threshold ?? thresholdOf(row.used_nano, row.limit_nano)),
  limitNano: row.limit_nano ?? 0,
  usedNano: row.used_nano,
  reservedNano: row.reserved_nano,
  resetsAt: row.ends_at,
});

/** Each threshold passed since the last alert, once per period whatever the number of processes. */
const claimSpent = async (tx: Queryable, id: string): Promise<CostAlert[]> => {
  const row = await lockCounter(tx, id);
  if (row === undefined) return [];
  const reached = thresholdOf(row.used_nano, row.limit_nano);
  if (reached <= row.alerted) return [];
  await markTold(tx, id, { alerted: reached });
  return THRESHOLDS.filter((t) => t > row.alerted && t <= reached).map((t) => alertOf(row, 'cost.alert', t));
};

/** `limitNano` is the limit that refused: where another one holds by now, there is nothing true to tell of it. */
const claimRefused = async (tx: Queryable, id: string, limitNano: number | null): Promise<CostAlert[]> => {
  const row = await lockCounter(tx, id);
  if (row === undefined || row.refused === 1 || row.limit_nano !== limitNano) return [];
  await markTold(tx, id, { refused: 1 });
  return [alertOf(row, 'cost.limit_reached', null)];
};

/** How long bookings are collected before they are looked at: one read then serves all of them. */
const COLLECT_MS = 100;
const IDS_PER_READ = 200;

/**
 * Alerts are sent after the transaction that caused them: `spent` and `refused` only note counters; soon after, what was
 * committed is read, and a write of its own claims what there is to tell. Nothing is lost by a crash between: the next
 * booking finds the threshold passed and untold.
 */
export const createAlerts = (options: {
  db: Db;
  /** Inside the transaction that claims the alert. */
  onAlert(tx: Tx, alert: CostAlert): Promise<void>;
  onError(error: unknown): void;
}) => {
  const { db } = options;
  let spent = new Set<string>();
  /** With the limit that each was refused by. */
  let refused = new Map<string, number | null>();
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> = Promise.resolve();

  const tell = (claim: (tx: Queryable) => Promise<CostAlert[]>): Promise<void> =>
    db.write(async (tx) => {
      for (const alert of await claim(tx)) await options.onAlert(tx, alert);
    });

  const look = async (): Promise<void> => {
    const ids = [...spent];
    const full = refused;
    spent = new Set();
    refused = new Map();
    for (let from = 0; from < ids.length; from += IDS_PER_READ) {
      const rows = await selectCounters(db.read, ids.slice(from, from + IDS_PER_READ));
      for (const row of rows) {
        if (thresholdOf(row.used_nano, row.limit_nano) > row.alerted)
          await tell((tx) => claimSpent(tx, row.id));
      }
    }
    for (const row of full.size === 0 ? [] : await selectCounters(db.read, [...full.keys()])) {
      const limitNano = full.get(row.id) ?? null;
      if (row.refused === 0) await tell((tx) => claimRefused(tx, row.id, limitNano));
    }
  };

  const flush = (): Promise<void> => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    // Bookings of several tenants are looked at together.
    running = running.then(() => acrossTenants(look)).catch(options.onError);
    return running;
  };

  const soon = (): void => {
    if (timer !== null) return;
    timer = setTimeout(flush, COLLECT_MS);
    timer.unref();
  };

  return {
    spent(ids: readonly string[]): void {
      for (const id of ids) spent.add(id);
      soon();
    },
    refused(id: string, limitNano: number | null): void {
      refused.set(id, limitNano);
      soon();
    },
    /** Looks now; resolves when everything noted so far has been told. */
    flush,
  };
};
