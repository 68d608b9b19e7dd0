import type { Config } from '../config.ts';
import type { Metrics } from '../features/system/index.ts';
import { composeEarlierEmbedder, composeEmbedder, composeModels, composeReranker } from './models.ts';
import { defineModule, type Given } from './module.ts';

export interface ProvidersDeps extends Pick<Given, 'clock'> {
  config: Config;
  system: { metrics: Pick<Metrics, 'modelCall'> };
}

/** Models, embedders and the reranker as the settings name them. Features get the embedder by `embedding`, which meters it. */
export const providersModule = defineModule({
  name: 'providers',
  needs: ['clock', 'config', 'system'],
  async build({ clock, config, system }: ProvidersDeps) {
    const models = await composeModels(config, clock, system.metrics.modelCall);
    const { embedder, warm } = composeEmbedder(config);
    return {
      service: {
        models,
        embedder,
        warm,
        reranker: composeReranker(config),
        earlierEmbedder: (model: { id: string; dimensions: number }) => composeEarlierEmbedder(config, model),
      },
      async stop() {
        await Promise.all([models.close(), embedder.close()]);
      },
    };
  },
});
