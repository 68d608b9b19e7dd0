import { randomUUID } from 'node:crypto';
import type { NodeLocks } from '../../kernel/cluster.ts';
import type { Answered } from './answered.ts';
import { redisAway } from './client.ts';

/** A key with an end, renewed while it is held; only its holder may renew or delete it. */
const LIFE_MS = 15_000;
const RENEW_MS = 4_000;

const RENEW = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end
local free = redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
if free then return 1 end
return 0`;
const RELEASE = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`;

export const createRedisLocks = (ask: Answered, prefix: string): NodeLocks => ({
  async take(key) {
    const name = `${prefix}lock:${key}`;
    const token = randomUUID();
    let taken: string | null;
    try {
      taken = await ask((redis) =>
        redis.set(name, token, { condition: 'NX', expiration: { type: 'PX', value: LIFE_MS } }),
      );
    } catch (error) {
      throw redisAway(error);
    }
    if (taken === null) return null;
    // A failure to renew is made up for by the next try; where Redis has forgotten the key it is set anew.
    const renewal = setInterval(() => {
      ask((redis) => redis.eval(RENEW, { keys: [name], arguments: [token, String(LIFE_MS)] })).catch(
        () => {},
      );
    }, RENEW_MS);
    renewal.unref();
    return async () => {
      clearInterval(renewal);
      await ask((redis) => redis.eval(RELEASE, { keys: [name], arguments: [token] })).catch(() => {});
    };
  },
});
