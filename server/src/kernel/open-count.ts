import { AppError } from './errors.ts';

/**
 * How many connections of one kind are open by key (an account, an address): in this process, since each process has its
 * own sockets to lose.
 */
export interface OpenCount {
  /** Counts one more and returns what ends it. Throws RATE_LIMITED when there are `max`. */
  enter(key: string): () => void;
  readonly keys: number;
}

const RETRY_AFTER_S = 10;

/** `max` null counts without a limit; `what` as in "at most 5 WebSockets of one account". */
export const createOpenCount = (max: number | null, what: string): OpenCount => {
  const open = new Map<string, number>();
  return {
    enter(key) {
      const now = open.get(key) ?? 0;
      if (max !== null && now >= max) {
        throw new AppError('RATE_LIMITED', `at most ${max} ${what} at a time; close one first`, {
          details: { limit: max },
          retryAfterS: RETRY_AFTER_S,
        });
      }
      open.set(key, now + 1);
      let left = false;
      return () => {
        if (left) return;
        left = true;
        const after = (open.get(key) ?? 1) - 1;
        if (after > 0) open.set(key, after);
        else open.delete(key);
      };
    },
    get keys() {
      return open.size;
    },
  };
};
