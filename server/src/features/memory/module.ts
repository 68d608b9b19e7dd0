import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../../db/db.ts';
import type { Cluster } from '../../kernel/cluster.ts';
import type { MeteredEmbedder } from '../../kernel/embedder.ts';
import { defineModule, type Given } from '../../modules/module.ts';
import type { CostsService } from '../costs/index.ts';
import { createMeteredGenerate, type Models } from '../models/index.ts';
import type { Metrics } from '../system/index.ts';
import { createFactAsk } from './fact-ask.ts';
import { createMemory } from './index.ts';
import { createMessageReader } from './message-reader.ts';

export interface MemoryDeps extends Pick<Given, 'clock'> {
  config: { MAX_UPLOAD_BYTES: number; MEMORY_MODEL: string | null };
  costs: Pick<CostsService, 'besideRuns'>;
  db: Db;
  embedding: { embedder: MeteredEmbedder };
  logger: Pick<FastifyBaseLogger, 'warn'>;
  models: Models;
  node: Cluster;
  system: { metrics: Pick<Metrics, 'messageUnread'> };
}

export const memoryModule = defineModule({
  name: 'memory',
  needs: ['clock', 'config', 'costs', 'db', 'embedding', 'logger', 'models', 'node', 'system'],
  build({ clock, config, costs, db, embedding, logger, models, node, system }: MemoryDeps) {
    const reader = createMessageReader({
      onUnread: (reason, error) => {
        system.metrics.messageUnread(reason);
        logger.warn({ reason, err: error }, 'a message was not read for what it says that lasts');
      },
    });
    const model = config.MEMORY_MODEL;
    const generate = createMeteredGenerate({ db, models, costs: costs.besideRuns });
    const memory = createMemory({
      extract: reader.read,
      db,
      cluster: node,
      clock,
      embedder: embedding.embedder,
      maxImportBytes: config.MAX_UPLOAD_BYTES,
      ...(model === null ? {} : { ask: createFactAsk({ models, generate, model }) }),
    });
    return {
      service: memory,
      routes: memory.routes,
      tools: [memory.tools, memory.preferenceTools],
      personalData: [
        {
          name: 'memory',
          exportData: memory.exportPersonal,
          async eraseData(person: { tenantId: string; userId: string }) {
            const { entities, observations, relations } = await memory.erasePersonal(person);
            return entities + observations + relations;
          },
        },
      ],
      stop: () => reader.close(),
    };
  },
});
