import { isStoreUnavailable } from '../db/faults.ts';

/** What a fault of the store has kept from being written: it is tried again until it stands, or no longer matters. */
export interface Later {
  /** Throws the fault of the first try, and goes on trying where the store was away. */
  do(work: () => Promise<void>): Promise<void>;
}

const EVERY_MS = 2_000;
/** Far more than requests fail before `/ready` sends them elsewhere. */
const MOST = 10_000;
const TRIES = 1_800;

export const createLater = (everyMs = EVERY_MS): Later => {
  const waiting: { work: () => Promise<void>; tries: number }[] = [];
  let timer: NodeJS.Timeout | null = null;

  const plan = (): void => {
    if (timer !== null || waiting.length === 0) return;
    timer = setTimeout(() => void run(), everyMs);
    timer.unref();
  };

  /** One after another, so that a store that comes back is not met by all at once. */
  const run = async (): Promise<void> => {
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      try {
        await first.work();
      } catch (error) {
        first.tries += 1;
        if (isStoreUnavailable(error) && first.tries < TRIES) break;
      }
      waiting.shift();
    }
    timer = null;
    plan();
  };

  return {
    async do(work) {
      try {
        await work();
      } catch (error) {
        if (isStoreUnavailable(error) && waiting.length < MOST) {
          waiting.push({ work, tries: 1 });
          plan();
        }
        throw error;
      }
    },
  };
};
