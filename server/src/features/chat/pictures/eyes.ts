import type { Caller } from '../../../kernel/caller.ts';
import { AppError, invalid } from '../../../kernel/errors.ts';
import type { ModelRef } from '../../../kernel/model.ts';
import type { Models } from '../../models/index.ts';
import type { RunMessage, StartDeps } from '../run/run.ts';

/** Which model looks at a message's pictures. */

const blind = (model: ModelRef, named: boolean) =>
  invalid({
    field: '/attachments',
    reason: `hold a picture, and ${model.id} cannot see${named ? ': choose another model' : ', nor can any other model that is set up'}; an administrator names models that can in the setting VISION_MODELS`,
  });

/**
 * The model itself where it or a fallback of it sees; where nobody has asked for it by name (`otherwise`), another that is set up
 * and does. Throws VALIDATION_ERROR where there is none.
 */
export const eyesOf = (models: Pick<Models, 'seeing'>, model: ModelRef, otherwise: boolean): ModelRef => {
  const found = models.seeing(model, otherwise);
  if (found === null) throw blind(model, !otherwise);
  return found;
};

/** Whichever agent is to answer: a message that is refused for its pictures has cost nothing. Throws VALIDATION_ERROR. */
export const mustBeSeen = async (
  { agents, models }: Pick<StartDeps, 'agents' | 'models'>,
  caller: Caller,
  { agentId, model }: RunMessage['context'],
): Promise<void> => {
  if (model !== null) {
    eyesOf(models, models.pick(model), false);
    return;
  }
  const all = await agents.effective(caller.tenantId);
  const asked = [...all.values()].filter((agent) =>
    agentId === null ? agent.enabled : agent.definition.id === agentId,
  );
  for (const { model: id } of asked) eyesOf(models, models.resolve(id, '/model'), true);
};

/** Whether `mustBeSeen` lets pictures pass. */
export const canBeSeen = async (...message: Parameters<typeof mustBeSeen>): Promise<boolean> => {
  try {
    await mustBeSeen(...message);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'VALIDATION_ERROR') return false;
    throw error;
  }
};
