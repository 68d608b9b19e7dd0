import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../kernel/clock.ts';
import { OAuthError } from './oauth-error.ts';

/** Requests of one address to the identity provider: its own count, apart from the API's. */
export interface Throttle {
  /** Counts one; throws `temporarily_unavailable` (429) above the limit. */
  count(address: string): void | Promise<void>;
}

/** Requests of an address over all nodes: counts one more unless it is full; the seconds to wait, 0 where there is room. */
export type CountAddress = (address: string, perMinute: number) => Promise<number>;

const refusal = (retryAfterS: number, what: string): OAuthError =>
  new OAuthError('temporarily_unavailable', `too many ${what} from this address`, {
    'retry-after': String(retryAfterS),
  });

export interface ThrottleOptions {
  perMinute: number;
  enabled: boolean;
  /** What is counted, in the words of the refusal. */
  what: string;
}

/** The count of all nodes together. */
export const createSharedThrottle = (
  countAddress: CountAddress,
  { perMinute, enabled, what }: ThrottleOptions,
): Throttle => ({
  async count(address) {
    if (!enabled) return;
    const retryAfterS = await countAddress(address, perMinute);
    if (retryAfterS > 0) throw refusal(retryAfterS, what);
  },
});

const WINDOW_MS = 60_000;
const MAX_ADDRESSES = 50_000;

/** A window that slides by weighing the one before (the counter scheme of rate limiters): two numbers an address. */
export const createThrottle = (clock: Clock, { perMinute, enabled, what }: ThrottleOptions): Throttle => {
  const counts = new LRUCache<string, { window: number; now: number; before: number }>({
    max: MAX_ADDRESSES,
  });
  return {
    count(address) {
      if (!enabled) return;
      const now = clock.now();
      const window = Math.floor(now / WINDOW_MS);
      const known = counts.get(address);
      const entry =
        known === undefined || known.window < window - 1
          ? { window, now: 0, before: 0 }
          : known.window === window
            ? known
            : { window, now: 0, before: known.now };
      counts.set(address, entry);
      const passed = (now % WINDOW_MS) / WINDOW_MS;
      if (entry.before * (1 - passed) + entry.now >= perMinute) {
        const retryAfterS = Math.max(1, Math.ceil((WINDOW_MS - (now % WINDOW_MS)) / 1000));
        throw refusal(retryAfterS, what);
      }
      entry.now += 1;
    },
  };
};
