import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../../db/db.ts';
import { acrossTenants, withinTenant } from '../../db/scope.ts';
import {
  markAll,
  monthsOf,
  pendingTenants,
  sumNextDay,
  tenantsWithCosts,
  type WrongSum,
  wrongSums,
} from './sums.store.ts';

/** Looks after the sums of the ledger: makes them from what was there before them, and compares them with the rows. */

/** A tenant's writes wait while a day of it is summed up: they get the rest of the time. */
const REST = 3;

/** All that waits, until there is none or `stop` says so. */
export const fillSums = (db: Db, stop: AbortSignal): Promise<void> =>
  acrossTenants(async () => {
    for (const tenantId of await pendingTenants(db.read)) {
      for (let more = true; more && !stop.aborted; ) {
        const startedMs = performance.now();
        more = await withinTenant(tenantId, () => sumNextDay(db, tenantId));
        if (more)
          await delay((performance.now() - startedMs) * REST, undefined, { signal: stop }).catch(() => {});
      }
    }
  });

/** The sums of all tenants anew from the rows, beside running servers. */
export const rebuildSums = async (db: Db): Promise<number> => {
  await acrossTenants(() => db.write((tx) => markAll(tx)));
  const tenants = await acrossTenants(() => pendingTenants(db.read));
  for (const tenantId of tenants) while (await withinTenant(tenantId, () => sumNextDay(db, tenantId)));
  return tenants.length;
};

export interface CheckedSums {
  tenantId: string;
  /** They are being made: nobody reads them yet. */
  pending: boolean;
  wrong: WrongSum[];
}

export const checkSums = (db: Db): Promise<CheckedSums[]> =>
  acrossTenants(async () => {
    const pending = new Set(await pendingTenants(db.read));
    const checked: CheckedSums[] = [];
    for (const tenantId of await tenantsWithCosts(db.read)) {
      const wrong: WrongSum[] = [];
      if (!pending.has(tenantId))
        for (const month of await monthsOf(db.read, tenantId))
          wrong.push(...(await wrongSums(db.read, tenantId, month)));
      checked.push({ tenantId, pending: pending.has(tenantId), wrong });
    }
    return checked;
  });
