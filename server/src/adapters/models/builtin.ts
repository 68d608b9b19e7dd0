import { createBuiltinModel, NoAnswer } from 'pentarch-builtin-model';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { ModelError, type ModelProvider, type ModelResult } from '../../kernel/model.ts';

const NAME = 'builtin';

const asProvider = async (answer: Promise<ModelResult>): Promise<ModelResult> => {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    const { kind, message, partial, cause } = error;
    throw new ModelError(kind, NAME, message, { cause, partial });
  }
};

/** The built-in model as a provider: it costs nothing, and answers where no other model is set. */
export const createBuiltinProvider = (clock: Clock = systemClock): ModelProvider => {
  const model = createBuiltinModel(clock.now);
  return {
    name: NAME,
    local: true,
    generate: (request) => asProvider(model.generate(request)),
    stream: (request, onText) => asProvider(model.stream(request, onText)),
    close: async () => {},
  };
};
