import type { Along, Tx } from '../../db/db.ts';
import type { ModelRef } from '../../kernel/model.ts';
import type { NanoUsd } from '../../kernel/money.ts';
import type { CostSubject, Costs, Hold, HoldRequest } from '../costs/index.ts';
import type { Models } from '../models/index.ts';
import type { ChatStore } from './store.ts';

/** What calls of models may cost at the most, and what is reserved for them. */

/** Under this many tokens a lowered output cap is of no use: the call is refused instead. */
const MIN_USEFUL_OUTPUT = 64;

interface Priced {
  models: Models;
  maxOutputTokens: number;
}

/** What to reserve for a call: its worst case with the full output cap, and with the least that is of use. */
export const holdRequest = (
  deps: Priced,
  subject: CostSubject,
  model: ModelRef,
  promptBound: number,
  runUsedNano: NanoUsd,
): HoldRequest => ({
  ...subject,
  kind: 'model',
  worstNano: deps.models.worstCase(model, promptBound, deps.maxOutputTokens),
  leastNano: deps.models.worstCase(model, promptBound, Math.min(MIN_USEFUL_OUTPUT, deps.maxOutputTokens)),
  runUsedNano,
});

/** The output cap that a reservation pays for. */
export const capOf = (deps: Priced, model: ModelRef, promptBound: number, hold: Hold | null): number =>
  hold === null || hold.id === null
    ? deps.maxOutputTokens
    : Math.max(
        1,
        Math.min(deps.maxOutputTokens, deps.models.affordableOutput(model, promptBound, hold.amountNano)),
      );

/**
 * Takes a reservation of the run itself, which outlives this write: it is settled with the write of what came of the call. Every
 * other call is `metered`, which cannot be left without settling.
 */
export const reserveOfRun = (costs: Pick<Costs, 'hold'>, tx: Tx, request: HoldRequest): Promise<Hold> =>
  costs.hold(tx, request);

/** What is set aside for the answer of one run until the answer itself is reserved. */
export const createReserve = (costs: Pick<Costs, 'hold' | 'settle'>, store: Pick<ChatStore, 'write'>) => {
  let kept: Hold | null = null;
  return {
    /**
     * Sets the least of the answer aside, once for a run. It is the last statement of the transaction that reserves a call before
     * the answer (the choice of an agent, a summary): both fit or that call is not made, so that a message which is refused has
     * cost nothing. The request is made when it is needed: most runs make no such call. Throws COST_EXCEEDED.
     */
    of:
      (request: () => HoldRequest): Along =>
      async (tx) => {
        kept ??= await reserveOfRun(costs, tx, request());
      },

    /** Gives it back in the transaction that reserves the answer. */
    give: async (tx: Tx): Promise<void> => {
      if (kept !== null) await costs.settle(tx, kept, []);
    },

    /** There will be no answer. */
    async drop(): Promise<void> {
      const hold = kept;
      if (hold !== null) await store.write((tx) => costs.settle(tx, hold, []));
    },
  };
};
