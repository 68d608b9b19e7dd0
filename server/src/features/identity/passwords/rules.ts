/** Lockout of the contract, section 3: after 10 failures in 15 minutes on one account, 429 with `Retry-After`. Addresses have a limit of their own. */
export const MAX_FAILURES = 10;
export const WINDOW_MS = 15 * 60_000;

/** Failures that still count, oldest first. */
export const failuresInWindow = (
  times: readonly number[],
  now: number,
  max: number = MAX_FAILURES,
): number[] => times.filter((at) => at > now - WINDOW_MS).slice(-max);

/** Whole seconds until the account may try again; 0 when it may now. */
export const lockedForS = (times: readonly number[], now: number, max: number = MAX_FAILURES): number => {
  const counted = failuresInWindow(times, now, max);
  const oldest = counted[0];
  if (counted.length < max || oldest === undefined) return 0;
  return Math.max(1, Math.ceil((oldest + WINDOW_MS - now) / 1000));
};

/** How many sign-ins of one account may be checked at the same time without guessing past the limit. */
export const attemptsLeft = (times: readonly number[], now: number, max: number = MAX_FAILURES): number =>
  max - failuresInWindow(times, now, max).length;
