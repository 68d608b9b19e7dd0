import type { Config } from '../config.ts';
import { composeEarlierEmbedder, composeEmbedder, composeModels, composeReranker } from './models.ts';
import { defineModule, type Given } from './module.ts';

export interface ProvidersDeps extends Pick<Given, 'clock'> {
  config: Config;
}

/** Models, embedders and the reranker as the settings name them. Features get the embedder by `embedding`, which meters it. */
export const providersModule = defineModule({
  name: 'providers',
  needs: ['clock', 'config'],
  async build({ clock, config }: ProvidersDeps) {
    const models = await composeModels(config, clock);
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
