import { type CostSubject, createMetered, type LedgerEntry, type MeteredOptions } from '../costs/index.ts';
import { type ModelCall, ModelCallError, type ModelCallResult } from './call.ts';
import type { Models } from './service.ts';

export type MeteredGenerate = (
  subject: CostSubject,
  ref: Parameters<Models['generate']>[0],
  call: ModelCall & { maxOutputTokens: number },
) => Promise<ModelCallResult>;

/** What the ledger says of a call. */
export const entryOfCall = ({ ref, usage, costNanoUsd, estimated }: ModelCallResult): LedgerEntry => ({
  kind: 'model',
  model: ref.id,
  tool: null,
  usage,
  costNanoUsd,
  estimated,
});

/** What it says of one that broke off; null where nothing of it is known. */
export const entryOfBroken = (error: unknown): LedgerEntry | null => {
  if (!(error instanceof ModelCallError) || error.partial === undefined) return null;
  const { ref, costNanoUsd, partial } = error;
  return { kind: 'model', model: ref.id, tool: null, usage: partial.usage, costNanoUsd, estimated: true };
};

/**
 * One call of a model beside the runs: reserved before at its worst case, booked after, the part of a broken call included.
 * Day and month limit it, a run's limit does not.
 */
export const createMeteredGenerate = (
  options: MeteredOptions & { models: Pick<Models, 'promptBound' | 'worstCase' | 'generate'> },
): MeteredGenerate => {
  const { models } = options;
  const metered = createMetered(options);
  return (subject, ref, call) => {
    const worstNano = models.worstCase(ref, models.promptBound(call), call.maxOutputTokens);
    return metered({ ...subject, kind: 'model', worstNano, runUsedNano: 0 }, async (used) => {
      try {
        const answer = await models.generate(ref, call);
        used(entryOfCall(answer));
        return answer;
      } catch (error) {
        const entry = entryOfBroken(error);
        if (entry !== null) used(entry);
        throw error;
      }
    });
  };
};
