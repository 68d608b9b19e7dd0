import { createSharedRedis, RedisAway, type SharedRedis } from '../adapters/redis/index.ts';
import { type Config, ConfigError } from '../config.ts';
import type { Db } from '../db/db.ts';
import type { PlatformKeys } from '../features/identity/index.ts';
import { createNodeStore } from '../features/nodes/index.ts';
import { newId } from '../kernel/ids.ts';
import { defineModule, type Given } from './module.ts';
import type { NodePlace } from './node.ts';

/** What the nodes of one platform share beside the store; null for a node by itself. */
export type Cluster = SharedRedis | null;

export interface ClusterDeps extends Pick<Given, 'onError'> {
  config: Pick<Config, 'REDIS_URL'>;
  db: Db;
  /** Known to be those of the platform before this node speaks to others. */
  keys: PlatformKeys;
  node: NodePlace;
}

/** Throws `ConfigError` when Redis does not answer. */
const openCluster = async ({ config, db, node, onError }: ClusterDeps): Promise<Cluster> => {
  if (config.REDIS_URL === null) return null;
  const platformId = await createNodeStore(db).fact('id', newId());
  try {
    return await createSharedRedis({
      url: config.REDIS_URL,
      prefix: `pentarch:${platformId}:`,
      nodeId: node.nodeId,
      onError,
    });
  } catch (error) {
    if (error instanceof RedisAway && error.refusesSignIn) {
      throw new ConfigError(
        'REDIS_URL: Redis answers, and refuses the user or password: correct them (redis://:password@host:port/0)',
      );
    }
    if (error instanceof RedisAway) {
      throw new ConfigError(
        'REDIS_URL is set, and no Redis answers there. Start it, or correct the address; a node by itself needs none',
      );
    }
    throw error;
  }
};

export const clusterModule = defineModule({
  name: 'cluster',
  needs: ['config', 'db', 'keys', 'node', 'onError'],
  async build(deps: ClusterDeps) {
    const service = await openCluster(deps);
    return {
      service,
      gauges: { redisPing: service === null ? null : () => service.ping() },
      health: {
        redis: async () => {
          await service?.ping();
          return { status: 'ok' as const, ...(service === null ? { detail: 'not set up' } : {}) };
        },
      },
      stop: async () => service?.close(),
    };
  },
});
