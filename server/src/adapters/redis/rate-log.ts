import type { Answered } from './answered.ts';
import { redisAway } from './client.ts';

/**
 * The sliding log of a caller's requests over all nodes: a sorted set by time, looked at and added to in one step on the
 * server's own clock, so that no two nodes count past each other.
 */
export interface SharedWindow {
  inMinute: number;
  inSecond: number;
  oldestInMinute: number | null;
  oldestInSecond: number | null;
  /** Redis' time, epoch ms. */
  now: number;
}

const TAKE = `local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local key, perMinute, burst, counts, enforce = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], ARGV[4]
redis.call('zremrangebyscore', key, '-inf', now - (perMinute < 0 and 1000 or 60000))
local inMinute = redis.call('zcard', key)
local inSecond = redis.call('zcount', key, '(' .. (now - 1000), '+inf')
local oldest = redis.call('zrange', key, 0, 0, 'WITHSCORES')
local oldestInSecond = redis.call('zrange', key, '(' .. (now - 1000), '+inf', 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES')
local full = (perMinute >= 0 and inMinute >= perMinute) or inSecond >= burst
if counts == '1' and (enforce == '0' or not full) then
  redis.call('zadd', key, now, time[1] .. '.' .. time[2] .. ARGV[5])
  redis.call('pexpire', key, 61000)
end
return { inMinute, inSecond, tonumber(oldest[2] or -1), tonumber(oldestInSecond[2] or -1), now }`;

const numberAt = (reply: readonly unknown[], i: number): number => {
  const value = reply[i];
  if (typeof value !== 'number') throw new Error('Redis gave another answer than the rate log asks for');
  return value;
};

const orNull = (value: number): number | null => (value < 0 ? null : value);

export const createSharedWindows = (ask: Answered, prefix: string, nodeId: string) => {
  const tail = nodeId.slice(-12);
  let requests = 0;
  /** The window before this request, which is added where it counts and both limits (or none) allow it. */
  return async (
    key: string,
    numbers: { perMinute: number | null; burst: number },
    how: { counts: boolean; enforce: boolean },
  ): Promise<SharedWindow> => {
    requests += 1;
    const unique = `.${tail}.${requests}`;
    let reply: unknown;
    try {
      reply = await ask((redis) =>
        redis.eval(TAKE, {
          keys: [`${prefix}rate:${key}`],
          arguments: [
            String(numbers.perMinute ?? -1),
            String(numbers.burst),
            how.counts ? '1' : '0',
            how.enforce ? '1' : '0',
            unique,
          ],
        }),
      );
    } catch (error) {
      throw redisAway(error);
    }
    if (!Array.isArray(reply)) throw new Error('Redis gave another answer than the rate log asks for');
    const values: unknown[] = reply;
    return {
      inMinute: numberAt(values, 0),
      inSecond: numberAt(values, 1),
      oldestInMinute: orNull(numberAt(values, 2)),
      oldestInSecond: orNull(numberAt(values, 3)),
      now: numberAt(values, 4),
    };
  };
};
