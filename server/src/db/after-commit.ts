import type { Queryable } from './db.ts';

/** What is to be done once a transaction's rows can be read by others; not at all where it is rolled back. */

const collected = new WeakMap<Queryable, (() => void)[]>();

/**
 * Calls `then` after the commit of the write that `tx` belongs to, before its caller hears of it. `then` must not throw.
 * Outside of a write there is no commit to wait for: it is called at once.
 */
export const afterCommit = (tx: Queryable, then: () => void): void => {
  const waiting = collected.get(tx);
  if (waiting === undefined) then();
  else waiting.push(then);
};

/** For the stores: runs `work`, and gives what it wants done after the commit beside its result. */
export const collectAfterCommit = async <T>(
  tx: Queryable,
  work: (tx: Queryable) => Promise<T>,
): Promise<{ result: T; committed(): void }> => {
  const waiting: (() => void)[] = [];
  collected.set(tx, waiting);
  try {
    const result = await work(tx);
    return {
      result,
      committed() {
        for (const then of waiting) then();
      },
    };
  } finally {
    collected.delete(tx);
  }
};
