import { type NanoUsd, nanoToUsd } from '../../kernel/money.ts';

/** Decisions about limits; amounts are nano-dollars. */

export const LIMIT_SCOPES = ['tenant', 'user', 'agent', 'run'] as const;
export type LimitScope = (typeof LIMIT_SCOPES)[number];

export const LIMIT_PERIODS = ['day', 'month', 'run'] as const;
export type LimitPeriod = (typeof LIMIT_PERIODS)[number];

export const ALERT_LEVELS = ['none', 'info', 'warning', 'critical', 'exceeded'] as const;
export type AlertLevel = (typeof ALERT_LEVELS)[number];

/** Subject of a run's limit: every run of the tenant. */
export const ANY_RUN = '*';

/** The highest threshold that `used` has reached: 0, 50, 75, 90 or 100 per cent. Without a limit none. */
export const thresholdOf = (used: NanoUsd, limit: NanoUsd | null): number => {
  if (limit === null) return 0;
  if (used >= limit) return 100;
  // Products would pass the exact range; quotients of integers are exact enough to compare with these.
  const share = used / limit;
  return share >= 0.9 ? 90 : share >= 0.75 ? 75 : share >= 0.5 ? 50 : 0;
};

const LEVEL_OF: Record<number, AlertLevel> = {
  0: 'none',
  50: 'info',
  75: 'warning',
  90: 'critical',
  100: 'exceeded',
};

export const alertLevel = (threshold: number): AlertLevel => LEVEL_OF[threshold] ?? 'none';

/** What is said of an alert: of a threshold that is used, or of a call for which there was no room. */
export const alertText = (alert: {
  scope: LimitScope;
  period: LimitPeriod;
  thresholdPercent: number | null;
  limitNano: NanoUsd;
  usedNano: NanoUsd;
  reservedNano: NanoUsd;
}): string => {
  const { scope, period, thresholdPercent } = alert;
  const limit = `the limit of the ${scope} for this ${period}`;
  if (thresholdPercent !== null) return `${thresholdPercent} % of ${limit} is used`;
  const [of, used, reserved] = [alert.limitNano, alert.usedNano, alert.reservedNano].map(nanoToUsd);
  return `A call was refused: ${limit} left no room for it (${used} of ${of} USD used, ${reserved} reserved)`;
};

export interface CounterState {
  limitNano: NanoUsd | null;
  usedNano: NanoUsd;
  reservedNano: NanoUsd;
}

/** What may still be reserved; `null` without a limit. Never negative (a lowered limit may lie under what is spent). */
export const roomOf = (counter: CounterState): NanoUsd | null =>
  counter.limitNano === null
    ? null
    : Math.max(0, counter.limitNano - counter.usedNano - counter.reservedNano);

/** The least of several rooms; `null` where none is limited. */
export const leastRoom = (rooms: readonly (NanoUsd | null)[]): NanoUsd | null => {
  let least: NanoUsd | null = null;
  for (const room of rooms) if (room !== null && (least === null || room < least)) least = room;
  return least;
};

/**
 * Spend at the period's end when it goes on as it has so far: linear in time. Null before a hundredth of the period
 * has passed, when a figure would be noise; what is spent when the period is over.
 */
export const forecastNano = (
  usedNano: NanoUsd,
  period: { start: number; end: number },
  now: number,
): NanoUsd | null => {
  if (now >= period.end) return usedNano;
  const share = (now - period.start) / (period.end - period.start);
  if (share < 0.01) return null;
  const value = Math.round(usedNano / share);
  return Number.isSafeInteger(value) ? value : null;
};
