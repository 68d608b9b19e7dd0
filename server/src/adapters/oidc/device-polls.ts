import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { KoaContextWithOIDC } from 'oidc-provider';

/** How often a device may ask for its tokens (RFC 8628, 3.2 and 3.5); the library has neither `interval` nor `slow_down`. */

const INTERVAL_S = 5;
const MAX_DEVICES = 10_000;

interface Polled {
  at: number;
  intervalS: number;
}

export const createPolls = (now: () => number) => {
  const polled = new LRUCache<string, Polled>({ max: MAX_DEVICES });
  return {
    intervalS: INTERVAL_S,
    /** Counts a question that came too soon; each such one makes the interval five seconds longer. */
    isTooSoon(deviceCode: string): boolean {
      const key = hash('sha256', deviceCode, 'base64url');
      const at = now();
      const before = polled.get(key);
      const intervalS = before?.intervalS ?? INTERVAL_S;
      const isTooSoon = before !== undefined && at - before.at < intervalS * 1000;
      polled.set(key, { at, intervalS: isTooSoon ? intervalS + INTERVAL_S : intervalS });
      return isTooSoon;
    },
  };
};

type Polls = ReturnType<typeof createPolls>;

/** The answer as the standard has it; null where it stays. */
export const pacedAnswer = (ctx: KoaContextWithOIDC, polls: Polls): Record<string, unknown> | null => {
  const body: unknown = ctx.body;
  if (typeof body !== 'object' || body === null) return null;
  if (ctx.oidc?.route === 'device_authorization' && 'device_code' in body)
    return { ...body, interval: polls.intervalS };
  const code = ctx.oidc?.params?.device_code;
  if (!('error' in body) || body.error !== 'authorization_pending' || typeof code !== 'string') return null;
  if (!polls.isTooSoon(code)) return null;
  return {
    ...body,
    error: 'slow_down',
    error_description: 'the device asks too often: wait five seconds longer between questions',
  };
};
