import type { Config } from './config.ts';
import { OVERVIEW_RATES, type RateTable, REFERENCE_RATES } from './http/rate-limit.rules.ts';
import type { RateLog } from './http/rate-limit.ts';
import type { Tier } from './kernel/caller.ts';

const MAX_KEPT_REQUESTS = 2_000;

/** Both tables with the overrides of RATE_FREE, RATE_PRO and RATE_ENTERPRISE. */
export const rateTables = (config: Config): { reference: RateTable; overview: RateTable } => {
  const overrides: Partial<Record<Tier, { perMinute: number; burst: number }>> = {
    ...(config.RATE_FREE === null ? {} : { free: config.RATE_FREE }),
    ...(config.RATE_PRO === null ? {} : { pro: config.RATE_PRO }),
    ...(config.RATE_ENTERPRISE === null ? {} : { enterprise: config.RATE_ENTERPRISE }),
  };
  return { reference: { ...REFERENCE_RATES, ...overrides }, overview: { ...OVERVIEW_RATES, ...overrides } };
};

/** How many requests of a caller must be remembered for the largest limit. */
export const largestLimit = (tables: { reference: RateTable; overview: RateTable }): number =>
  Math.max(
    MAX_KEPT_REQUESTS,
    ...Object.values(tables).flatMap((table) =>
      Object.values(table).flatMap((n) => [n.perMinute ?? 0, n.burst]),
    ),
  );

/** Requests of an address to the identity provider: a window of its own beside those of callers. */
export const countAddresses =
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
