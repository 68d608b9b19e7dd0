import { setTimeout as delay } from 'node:timers/promises';
import type { NodeLocks, NodeMessages } from '../../kernel/cluster.ts';
import { createAnswered } from './answered.ts';
import { connectRedis, redisAway } from './client.ts';
import { createRedisLocks } from './locks.ts';
import { createRedisMessages } from './messages.ts';
import { createSharedWindows, type SharedWindow } from './rate-log.ts';

export { RedisAway } from './client.ts';
export type { SharedWindow } from './rate-log.ts';

/** What has been sent goes out within this, or Redis is not there. */
const CLOSE_MS = 1_000;

/** What the nodes of one platform share beside the store: messages, turns and rate windows. */
export interface SharedRedis {
  messages: NodeMessages;
  locks: NodeLocks;
  windows(
    key: string,
    numbers: { perMinute: number | null; burst: number },
    how: { counts: boolean; enforce: boolean },
  ): Promise<SharedWindow>;
  /** Throws SERVICE_UNAVAILABLE when Redis does not answer; for /ready. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Throws `RedisAway` when nobody answers at `url`. */
export const createSharedRedis = async (options: {
  url: string;
  /** Before every key and channel: platforms that share one Redis keep apart. */
  prefix: string;
  nodeId: string;
  onError(error: unknown, message: string): void;
}): Promise<SharedRedis> => {
  const { prefix, nodeId, onError } = options;
  let told = false;
  const { commands, subscriber } = await connectRedis(options.url, (error) => {
    // It comes with every attempt to connect again; once for each time that it goes away is enough.
    if (!told) onError(error, 'Redis does not answer');
    told = true;
  });
  commands.on('ready', () => {
    told = false;
  });
  const ask = createAnswered(commands);
  const messages = await createRedisMessages({ ask, subscriber, prefix, nodeId, onError });
  return {
    messages,
    locks: createRedisLocks(ask, prefix),
    windows: createSharedWindows(ask, prefix, nodeId),
    async ping() {
      try {
        await ask((redis) => redis.ping());
      } catch (error) {
        throw redisAway(error);
      }
    },
    async close() {
      subscriber.destroy();
      // What has been sent goes out; a broken connection has nothing to wait for.
      const closed = commands.close().catch(() => {});
      await Promise.race([closed, delay(CLOSE_MS, undefined, { ref: false })]);
      commands.destroy();
    },
  };
};
