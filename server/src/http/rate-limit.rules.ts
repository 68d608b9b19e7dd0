import type { Tier } from '../kernel/caller.ts';

/** Numbers of one tier in one table. `perMinute` null = unlimited. */
export interface RateNumbers {
  perMinute: number | null;
  burst: number;
}

export type RateTable = Readonly<Record<Tier, RateNumbers>>;

/** The two tables of the specification: `/v2` compares with the overview's, `/api/v1` with the reference's. */
export const OVERVIEW_RATES: RateTable = {
  free: { perMinute: 60, burst: 10 },
  pro: { perMinute: 600, burst: 100 },
  enterprise: { perMinute: null, burst: 1000 },
};

export const REFERENCE_RATES: RateTable = {
  free: { perMinute: 60, burst: 10 },
  pro: { perMinute: 300, burst: 50 },
  enterprise: { perMinute: 1000, burst: 200 },
};

export interface RateDecision {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Epoch seconds. */
  reset: number;
  /** Whole seconds; 0 when allowed. */
  retryAfterS: number;
}

/** What is known of a caller's requests: counts within the last minute and second, and the oldest of each. */
export interface RateWindow {
  inMinute: number;
  inSecond: number;
  oldestInMinute: number | null;
  oldestInSecond: number | null;
}

/**
 * One request at `now` against two limits at once (contract, section 4). `window` is the state before it. Where it is
 * allowed and `counts`, the answer's figures include it.
 */
export const decideRate = (
  window: RateWindow,
  numbers: RateNumbers,
  now: number,
  options: { counts: boolean; enforce: boolean },
): RateDecision => {
  const { perMinute, burst } = numbers;
  const minuteFull = perMinute !== null && window.inMinute >= perMinute;
  const secondFull = window.inSecond >= burst;
  const allowed = !options.enforce || !options.counts || !(minuteFull || secondFull);
  const added = options.counts && allowed ? 1 : 0;
  const limit = perMinute ?? burst;
  const used = perMinute === null ? window.inSecond : window.inMinute;
  const reset =
    perMinute === null
      ? Math.floor(now / 1000) + 1
      : Math.ceil(((window.oldestInMinute ?? now) + 60_000) / 1000);
  const waitMs = Math.max(
    minuteFull ? (window.oldestInMinute ?? now) + 60_000 - now : 0,
    secondFull ? (window.oldestInSecond ?? now) + 1_000 - now : 0,
  );
  return {
    allowed,
    limit,
    remaining: options.enforce ? Math.max(0, limit - used - added) : limit,
    reset,
    retryAfterS: allowed ? 0 : Math.max(1, Math.ceil(waitMs / 1000)),
  };
};
