import { type CostSubject, createMetered, type MeteredOptions } from '../costs/index.ts';
import { type ModelCall, ModelCallError, type ModelCallResult, type Models } from './service.ts';

export type MeteredGenerate = (
  subject: CostSubject,
  ref: Parameters<Models['generate']>[0],
  call: ModelCall & { maxOutputTokens: number },
) => Promise<ModelCallResult>;

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
        const { costNanoUsd, estimated, usage } = answer;
        used({ kind: 'model', model: answer.ref.id, tool: null, usage, costNanoUsd, estimated });
        return answer;
      } catch (error) {
        if (error instanceof ModelCallError && error.partial !== undefined) {
          const { usage } = error.partial;
          const { costNanoUsd, ref: broken } = error;
          used({ kind: 'model', model: broken.id, tool: null, usage, costNanoUsd, estimated: true });
        }
        throw error;
      }
    });
  };
};
