import type { Queryable } from '../../db/db.ts';
import type { Hold, HoldRequest } from '../costs/index.ts';
import type { RunCosts } from './ports.ts';
import type { ChatStore } from './store.ts';

/**
 * Sets the least of the answer aside, once for a run. It is the last statement of the transaction that reserves a call before
 * the answer (the choice of an agent, a summary): both fit or that call is not made, so that a message which is refused has
 * cost nothing. Throws COST_EXCEEDED.
 */
export type SetAside = (tx: Queryable) => Promise<void>;

/** What is set aside for the answer of one run until the answer itself is reserved. */
export const createReserve = (costs: RunCosts, store: Pick<ChatStore, 'write'>) => {
  let kept: Hold | null = null;
  return {
    /** The request is made when it is needed: most runs make no call before their answer. */
    of:
      (request: () => HoldRequest): SetAside =>
      async (tx) => {
        kept ??= await costs.hold(tx, request());
      },

    /** Gives it back in the transaction that reserves the answer. */
    give: async (tx: Queryable): Promise<void> => {
      if (kept !== null) await costs.settle(tx, kept, []);
    },

    /** There will be no answer. */
    async drop(): Promise<void> {
      const hold = kept;
      if (hold !== null) await store.write((tx) => costs.settle(tx, hold, []));
    },
  };
};
