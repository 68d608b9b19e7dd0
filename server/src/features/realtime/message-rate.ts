/** Messages of one second beyond which the rest is refused. */
export const MAX_MESSAGES_PER_S = 50;

/** Counts a message; true when it is one too many. */
export const createMessageRate = (now: () => number): (() => boolean) => {
  let windowStart = 0;
  let count = 0;
  return () => {
    const at = now();
    if (at - windowStart >= 1_000) {
      windowStart = at;
      count = 0;
    }
    count += 1;
    return count > MAX_MESSAGES_PER_S;
  };
};
