import { setTimeout as delay } from 'node:timers/promises';
import { isStoreUnavailable } from '../../db/faults.ts';
import { AppError } from '../../kernel/errors.ts';

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 2_000;
const GIVE_UP_MS = 120_000;

const isAway = (error: unknown): boolean => !(error instanceof AppError) && isStoreUnavailable(error);

/**
 * Repeats a write for as long as the store is away or full, two minutes at the most: what a run has come to must not be
 * lost with its last write, and its reservation must not stay. `work` has to be right when an earlier try has been
 * committed and only its answer was lost; `again` says that there was one.
 */
export const untilStored = async <T>(work: (again: boolean) => Promise<T>): Promise<T> => {
  const until = performance.now() + GIVE_UP_MS;
  let waitMs = FIRST_WAIT_MS;
  for (let tries = 0; ; tries++) {
    try {
      return await work(tries > 0);
    } catch (error) {
      if (!isAway(error) || performance.now() + waitMs > until) throw error;
      await delay(waitMs);
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
    }
  }
};
