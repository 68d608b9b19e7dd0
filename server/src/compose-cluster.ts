import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import type { Logger } from 'pino';
import { createSharedRedis, RedisAway, type SharedRedis } from './adapters/redis/index.ts';
import { type Config, ConfigError } from './config.ts';
import { holdPresence, type Presence } from './db/presence.ts';
import { StartRefused } from './db/refusal.ts';
import type { PlatformKeys, SecretName } from './features/identity/index.ts';
import type { NodeStore } from './features/nodes/index.ts';
import type { Cluster } from './kernel/cluster.ts';
import { newId } from './kernel/ids.ts';

/** The part of the composition that makes one node of many: its id, its place on the database, and what nodes share. */
export interface NodePlace extends Cluster {
  /** The next node may start. */
  started(): Promise<void>;
  release(): Promise<void>;
}

const NODE_ID = /^[0-9a-f-]{36}$/;

/** Stays with the data folder, so that a node that starts again knows what it has left itself. */
const nodeIdOf = (dataDir: string): string => {
  const file = path.join(dataDir, 'node-id');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  try {
    const known = readFileSync(file, 'utf8').trim();
    if (NODE_ID.test(known)) return known;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  const id = newId();
  writeFileSync(file, `${id}\n`, { mode: 0o600 });
  return id;
};

/** Before the store is opened. Throws `StartRefused` where another process has it for itself. */
export const takeNodePlace = async (
  config: Config,
  logger: FastifyBaseLogger & Partial<Pick<Logger, 'setBindings'>>,
  onLost: (error: Error) => void,
): Promise<NodePlace> => {
  const nodeId = nodeIdOf(config.DATA_DIR);
  const alone = config.DATABASE_URL === null || config.REDIS_URL === null;
  // Of many, each line says which of them has written it.
  if (!alone) logger.setBindings?.({ node_id: nodeId });
  const presence: Presence | null =
    config.DATABASE_URL === null
      ? null
      : await holdPresence({
          url: config.DATABASE_URL,
          nodeId,
          alone,
          onLost,
          onWait: (message) => logger.info(message),
        });
  return {
    nodeId,
    alone,
    started: async () => presence?.started(),
    release: async () => presence?.release(),
  };
};

/**
 * Which secrets a node has, as a mark that says nothing of them: nodes with other keys could not read what this one
 * seals, and would find that out one request at a time.
 */
const markOf = (secret: (name: SecretName) => string): string => {
  const mark = createHash('sha256').update('pentarch keys');
  for (const name of ['identity.key', 'cookie.key', 'mcp.key'] as const) mark.update(`\n${secret(name)}`);
  return mark.digest('base64url');
};

const checkKeys = async (keys: PlatformKeys, store: NodeStore): Promise<void> => {
  const own = markOf(keys.secret);
  const kept = await store.fact('keys', own);
  if (kept === own) return;
  const earlier = keys
    .previous('identity.key')
    .map((_, i) => markOf((name) => keys.previous(name)[i] ?? keys.secret(name)));
  // The platform goes over to a new PLATFORM_KEY, and this node has both.
  if (earlier.includes(kept)) return store.setFact('keys', own);
  throw new StartRefused(
    'the keys of this node are not those of the platform. Set PLATFORM_KEY to the same text on every node; or copy the folder keys of a working node’s DATA_DIR into this one’s. If no node has them any more: "keys recover"',
  );
};

/** After the store is open. Null for a node by itself. Throws `ConfigError` when Redis does not answer. */
export const composeShared = async (
  config: Config,
  keys: PlatformKeys,
  place: NodePlace,
  store: NodeStore,
  onError: (error: unknown, message: string) => void,
): Promise<SharedRedis | null> => {
  if (config.DATABASE_URL !== null) await checkKeys(keys, store);
  if (config.REDIS_URL === null) return null;
  const platformId = await store.fact('id', newId());
  try {
    return await createSharedRedis({
      url: config.REDIS_URL,
      prefix: `pentarch:${platformId}:`,
      nodeId: place.nodeId,
      onError,
    });
  } catch (error) {
    if (error instanceof RedisAway) {
      throw new ConfigError(
        'REDIS_URL is set, and no Redis answers there. Start it, or correct the address; a node by itself needs none',
      );
    }
    throw error;
  }
};
