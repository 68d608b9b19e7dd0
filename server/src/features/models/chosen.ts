import { invalid } from '../../kernel/errors.ts';
import type { ModelRef } from '../../kernel/model.ts';
import type { ModelsOptions } from './call.ts';
import { BUILTIN, parseModelId } from './rules.ts';
import { createSees } from './vision.rules.ts';

/** Which models are set up, and which of them is asked. Throws VALIDATION_ERROR for what names no provider that is there. */
export const createChosen = (
  options: Pick<ModelsOptions, 'providers' | 'defaultModel' | 'fallbacks' | 'offered' | 'visionModels'>,
) => {
  const providers = new Map(options.providers.map((provider) => [provider.name, provider]));

  const known = (modelId: string, field: string): ModelRef => {
    const ref = parseModelId(modelId);
    if (ref !== undefined && providers.has(ref.provider)) return ref;
    const names = [...providers.keys()].map((name) => (name === 'builtin' ? name : `${name}/…`)).join(', ');
    throw invalid({ field, reason: `must be a model of a provider that is set up: ${names}` });
  };

  const defaultModel = known(options.defaultModel, '/MODEL');
  const fallbacks = (options.fallbacks ?? []).map((id) => known(id, '/MODEL_FALLBACKS'));
  const offered = new Set([
    defaultModel.id,
    ...fallbacks.map((ref) => ref.id),
    ...(options.offered ?? []).map((id) => known(id, '/MODELS').id),
    BUILTIN.id,
  ]);
  const candidates = (ref: ModelRef): ModelRef[] => [
    ref,
    ...fallbacks.filter((other) => other.id !== ref.id),
  ];

  const sees = createSees(options.visionModels ?? []);
  /** The model itself where it or a fallback of it sees. */
  const seeing = (ref: ModelRef): ModelRef | null => (candidates(ref).some(sees) ? ref : null);

  return {
    sees,
    /** The model where it or a fallback of it can see; else, where the choice is the platform's, another that is set up and can; null: none. */
    seeing: (ref: ModelRef, otherwise: boolean): ModelRef | null => {
      const found = seeing(ref);
      if (found !== null || !otherwise) return found;
      return [...offered].map((id) => known(id, '/MODELS')).find(sees) ?? null;
    },
    providers,
    known,
    defaultModel,
    offered,
    /** A model with its fallbacks, in the order in which they are asked. */
    candidates,
    pick: (modelId: string): ModelRef => {
      const ref = known(modelId, '/context/model');
      if (offered.has(ref.id)) return ref;
      throw invalid({
        field: '/context/model',
        reason: `must be one of ${[...offered].join(', ')} (the setting MODELS adds others)`,
      });
    },
    resolve: (modelId: string | null, field = '/context/model') =>
      modelId === null ? defaultModel : known(modelId, field),
  };
};

export type Chosen = ReturnType<typeof createChosen>;
