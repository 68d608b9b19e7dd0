import type { Config } from '../config.ts';
import type { LimitOptions } from '../http/limits-hook.ts';
import { OVERVIEW_RATES, type RateTable, REFERENCE_RATES } from '../http/rate-limit.rules.ts';
import { createMemoryRateLog, type RateLog } from '../http/rate-limit.ts';
import { createSharedRateLog } from '../http/rate-limit-shared.ts';
import type { Tier } from '../kernel/caller.ts';
import type { Cluster } from './cluster.ts';
import { defineModule, type Given } from './module.ts';

export interface LimitsDeps extends Pick<Given, 'clock'> {
  config: Pick<Config, 'RATE_LIMITS' | 'RATE_FREE' | 'RATE_PRO' | 'RATE_ENTERPRISE'>;
  cluster: Cluster;
}

const MAX_KEPT_REQUESTS = 2_000;

/** Both tables with the overrides of RATE_FREE, RATE_PRO and RATE_ENTERPRISE. */
const rateTables = (config: LimitsDeps['config']): { reference: RateTable; overview: RateTable } => {
  const overrides: Partial<Record<Tier, { perMinute: number; burst: number }>> = {
    ...(config.RATE_FREE === null ? {} : { free: config.RATE_FREE }),
    ...(config.RATE_PRO === null ? {} : { pro: config.RATE_PRO }),
    ...(config.RATE_ENTERPRISE === null ? {} : { enterprise: config.RATE_ENTERPRISE }),
  };
  return { reference: { ...REFERENCE_RATES, ...overrides }, overview: { ...OVERVIEW_RATES, ...overrides } };
};

/** How many requests of a caller must be remembered for the largest limit. */
const largestLimit = (tables: { reference: RateTable; overview: RateTable }): number =>
  Math.max(
    MAX_KEPT_REQUESTS,
    ...Object.values(tables).flatMap((table) =>
      Object.values(table).flatMap((n) => [n.perMinute ?? 0, n.burst]),
    ),
  );

/** Requests of an address to the identity provider: a window of its own beside those of callers. */
const countAddresses =
  (log: RateLog) =>
  async (address: string, perMinute: number): Promise<number> => {
    const decision = await log.decide(
      `oauth:${address}`,
      Date.now(),
      { perMinute, burst: perMinute },
      { counts: true, enforce: true },
    );
    return decision.retryAfterS;
  };

export interface Limits extends LimitOptions {
  /** Requests of an address to the identity provider over all nodes; null where a process counts for itself. */
  countAddress: ((address: string, perMinute: number) => Promise<number>) | null;
}

export const limitsModule = defineModule({
  name: 'limits',
  needs: ['clock', 'cluster', 'config'],
  build({ clock, cluster, config }: LimitsDeps) {
    const tables = rateTables(config);
    const service: Limits = {
      log:
        cluster === null ? createMemoryRateLog(largestLimit(tables)) : createSharedRateLog(cluster.windows),
      tables,
      enforce: config.RATE_LIMITS,
      clock,
      countAddress: cluster === null ? null : countAddresses(createSharedRateLog(cluster.windows)),
    };
    return { service };
  },
});
