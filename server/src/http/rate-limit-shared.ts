import { decideRate, type RateWindow } from './rate-limit.rules.ts';
import type { RateLog } from './rate-limit.ts';

/** The log of all nodes together (adapters/redis): looked at and added to in one step, on one clock. */
export const createSharedRateLog = (
  windows: (
    key: string,
    numbers: { perMinute: number | null; burst: number },
    how: { counts: boolean; enforce: boolean },
  ) => Promise<RateWindow & { now: number }>,
): RateLog => ({
  async decide(key, _now, numbers, how) {
    const window = await windows(key, numbers, how);
    return decideRate(window, numbers, window.now, how);
  },
});
