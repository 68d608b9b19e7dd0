/**
 * The state machine of a delivery, and when it is tried.
 *
 *   pending → delivered            a 2xx answer
 *           → failed               410, or the last attempt failed (a dead letter; can be redelivered)
 *           → cancelled            the webhook was deleted or switched off
 *   failed, cancelled, delivered → pending   by redelivery
 */

const S = 1_000;
const MIN = 60 * S;
const H = 60 * MIN;

/** Waits before the second and every further attempt (contract, section 12). */
export const RETRY_DELAYS_MS: readonly number[] = [5 * S, 5 * MIN, 30 * MIN, 2 * H, 5 * H, 10 * H, 10 * H];

/** Nothing delivered for this long: the webhook is switched off. */
export const FAILING_LIMIT_MS = 5 * 24 * H;

/** Both secrets sign for this long after a rotation. */
export const ROTATION_OVERLAP_MS = 24 * H;

const MAX_RETRY_AFTER_MS = 10 * H;

/** `Retry-After` (RFC 9110, section 10.2.3) in ms: seconds or a date; null for none that can be used. */
export const retryAfterMs = (header: string | null, now: number): number | null => {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Math.min(Number(header) * S, MAX_RETRY_AFTER_MS);
  const date = Date.parse(header);
  if (Number.isNaN(date)) return null;
  return Math.min(Math.max(0, date - now), MAX_RETRY_AFTER_MS);
};

export type AttemptVerdict =
  | { outcome: 'delivered' }
  /** 410: the receiver wants nothing more, ever. */
  | { outcome: 'gone' }
  | { outcome: 'retry'; reason: string; retryAfterMs: number | null };

/** Only 2xx is success; redirects are failures, since they are not followed (Standard Webhooks). */
export const verdictOf = (status: number, retryAfter: string | null, now: number): AttemptVerdict => {
  if (status >= 200 && status < 300) return { outcome: 'delivered' };
  if (status === 410) return { outcome: 'gone' };
  const throttled = status === 429 || status === 503;
  return {
    outcome: 'retry',
    reason: status >= 300 && status < 400 ? `redirected with ${status}` : `answered ${status}`,
    retryAfterMs: throttled ? retryAfterMs(retryAfter, now) : null,
  };
};

export type DeliveryState =
  | { status: 'delivered' | 'failed'; next_attempt_at: null; finished_at: number }
  | { status: 'pending'; next_attempt_at: number; finished_at: null };

/**
 * State of a delivery after an attempt. `attempt` counts from 1 within the round; null for one outside of the schedule,
 * which has no next.
 */
export const afterAttempt = (verdict: AttemptVerdict, attempt: number | null, now: number): DeliveryState => {
  const ended = { next_attempt_at: null, finished_at: now };
  if (verdict.outcome === 'delivered') return { status: 'delivered', ...ended };
  const delayMs = attempt === null ? undefined : RETRY_DELAYS_MS[attempt - 1];
  if (verdict.outcome === 'gone' || delayMs === undefined) return { status: 'failed', ...ended };
  const next = now + Math.max(delayMs, verdict.retryAfterMs ?? 0);
  return { status: 'pending', next_attempt_at: next, finished_at: null };
};

export const subscribes = (events: readonly string[], type: string): boolean =>
  events.includes('*') || events.includes(type);
