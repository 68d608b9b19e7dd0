import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../../db/db.ts';
import { VERSION } from '../../kernel/version.ts';
import { defineModule, type Given } from '../../modules/module.ts';
import type { LeftWork } from './ports.ts';
import { createNodes } from './service.ts';
import { createNodeStore } from './store.ts';

export interface NodesDeps extends Pick<Given, 'clock' | 'lifecycle' | 'onError'> {
  config: { NODE_SILENCE_S: number };
  db: Db;
  logger: Pick<FastifyBaseLogger, 'warn'>;
  node: { nodeId: string; alone: boolean };
}

export const nodesModule = defineModule({
  name: 'nodes',
  needs: ['clock', 'config', 'db', 'lifecycle', 'logger', 'node', 'onError'],
  build({ clock, config, db, lifecycle, logger, node, onError }: NodesDeps) {
    const left: LeftWork[] = [];
    const store = createNodeStore(db);
    const nodes = createNodes({
      store,
      clock,
      nodeId: node.nodeId,
      version: VERSION,
      alone: node.alone,
      silentMs: config.NODE_SILENCE_S * 1000,
      async takeOver(fresh) {
        if (lifecycle.stopping()) return;
        for (const work of left) await work.takeOver(fresh);
      },
      async returned() {
        for (const work of left) await work.returned();
      },
      onDead: (ids) => logger.warn({ nodes: ids }, 'nodes have gone silent'),
      onError,
    });
    return {
      gauges: {
        async nodes() {
          const all = await store.list();
          const draining = all.filter((one) => one.draining === 1).length;
          return { alive: all.length - draining, draining };
        },
      },
      service: { ...nodes, register: (work: LeftWork): void => void left.push(work) },
      // The store may be away.
      stopping: () => void nodes.drain(),
      async stop() {
        await nodes.stop();
        await nodes.leave().catch((error: unknown) => onError(error, 'this node could not sign off'));
      },
    };
  },
});
