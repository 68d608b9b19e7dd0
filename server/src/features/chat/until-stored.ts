import { setTimeout as delay } from 'node:timers/promises';
import { isStoreUnavailable } from '../../db/faults.ts';
import { AppError } from '../../kernel/errors.ts';

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 2_000;
/** A failover, or an operator who makes room on a disk, takes less; what waits is held in memory meanwhile. */
const GIVE_UP_MS = 15 * 60_000;

const isAway = (error: unknown): boolean => !(error instanceof AppError) && isStoreUnavailable(error);

/**
 * Repeats `work` for as long as the store does not take it, a quarter of an hour at the most: what a run has come to must not be
 * lost with a write, and its reservation must not stay. `work` has to be right when an earlier try has been
 * committed and only its answer was lost; `again` says that there was one. `signal`: whoever waits for it is gone.
 */
export const untilStored = async <T>(
  work: (again: boolean) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> => {
  const until = performance.now() + GIVE_UP_MS;
  let waitMs = FIRST_WAIT_MS;
  for (let tries = 0; ; tries++) {
    try {
      return await work(tries > 0);
    } catch (error) {
      if (!isAway(error) || performance.now() + waitMs > until || signal?.aborted === true) throw error;
      await delay(waitMs);
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
    }
  }
};
