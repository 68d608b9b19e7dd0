/** When a call is tried again and how long before. The same rules in all languages: sdk/vectors/retries.json. */

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;
/** A server that asks for more than this gets its error handed to the caller instead. */
export const LONGEST_RETRY_AFTER_S = 60;

/** Seconds of a Retry-After header (RFC 9110, section 10.2.3: a number or a date); null for none or nonsense. */
export const retryAfterOf = (header: string | null, nowMs: number): number | null => {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  // Date.parse takes nearly anything for a date; an HTTP date starts with the day's name.
  const atMs = /^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? null : Math.max(0, (atMs - nowMs) / 1000);
};

/**
 * @param attempt 0 for the wait after the first try.
 * @param random in [0, 1): spreads clients that failed together over the upper half of the wait.
 */
export const waitMs = (attempt: number, retryAfterS: number | null, random: number): number => {
  const full = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
  const own = full * (0.5 + random / 2);
  return retryAfterS === null ? own : Math.max(retryAfterS * 1000, own);
};

export interface Refusal {
  readonly method: string;
  /** null when no answer came. */
  readonly status: number | null;
  /** Answered by the API itself (it has X-API-Version), not by a proxy on the way. */
  readonly ours: boolean;
  /** A try before this one got no answer, so the first may still be running under the same Idempotency-Key. */
  readonly afterLostAnswer: boolean;
  readonly retryAfterS: number | null;
}

/**
 * A POST carries an Idempotency-Key, so a lost answer is safe to ask for again. An error that the API itself answered
 * with 500, 502 or 504 is not stored under the key: trying it again would do the work twice, so only methods that
 * are idempotent by themselves do.
 */
export const mayRetry = ({ method, status, ours, afterLostAnswer, retryAfterS }: Refusal): boolean => {
  const plain = method !== 'POST' && method !== 'PATCH';
  if (status === null) return method !== 'PATCH';
  if (retryAfterS !== null && retryAfterS > LONGEST_RETRY_AFTER_S) return false;
  if (status === 408 || status === 429 || status === 503) return true;
  if (status === 409) return method === 'POST' && afterLostAnswer;
  if (status === 502 || status === 504) return plain || !ours;
  return status === 500 && plain;
};
