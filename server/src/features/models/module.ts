import { defineModule } from '../../modules/module.ts';
import type { Check } from '../system/index.ts';
import { modelRoutes } from './routes.ts';
import type { Models } from './service.ts';

export interface ModelsDeps {
  /** Built of the settings, with the adapters that they name. */
  providers: { models: Models };
}

const readiness = (models: Models): Check => {
  const open = models.states().filter((s) => s.state === 'open');
  if (open.length > 0)
    return { status: 'degraded', detail: `not answering: ${open.map((s) => s.provider).join(', ')}` };
  return models.defaultModel.provider === 'builtin'
    ? { status: 'ok', detail: 'builtin: no language model is set up' }
    : { status: 'ok' };
};

export const modelsModule = defineModule({
  name: 'models',
  needs: ['providers'],
  build: ({ providers: { models } }: ModelsDeps) => ({
    service: models,
    routes: modelRoutes(models),
    health: { models: () => readiness(models) },
  }),
});
