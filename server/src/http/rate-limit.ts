import { LRUCache } from 'lru-cache';
import type { RateWindow } from './rate-limit.rules.ts';

/**
 * A sliding log of a caller's latest requests. Two fixed windows (what the kept limiter libraries count) let twice the
 * limit through at their border and cannot say when the oldest request leaves, which the contract's headers promise.
 */
export interface RateLog {
  /** State at `now` for `key`, and `add`, which counts one request at `now`. */
  at(key: string, now: number): { window: RateWindow; add(): void };
}

interface Ring {
  times: Float64Array;
  /** Index of the oldest kept entry, the first of the last second, and the next free one; ever growing. */
  head: number;
  second: number;
  tail: number;
}

const INITIAL_SIZE = 16;

const grow = (ring: Ring): void => {
  const size = ring.times.length;
  const times = new Float64Array(size * 2);
  for (let i = ring.head; i < ring.tail; i++) times[i % (size * 2)] = ring.times[i % size] ?? 0;
  ring.times = times;
};

/**
 * In this process alone. `maxKept`: entries per caller (the largest finite limit; what is older than that many
 * requests cannot change a decision). `maxCallers` bounds the memory.
 */
export const createMemoryRateLog = (maxKept: number, maxCallers = 100_000): RateLog => {
  const rings = new LRUCache<string, Ring>({ max: maxCallers });
  return {
    at(key, now) {
      let ring = rings.get(key);
      if (ring === undefined) {
        ring = { times: new Float64Array(INITIAL_SIZE), head: 0, second: 0, tail: 0 };
        rings.set(key, ring);
      }
      const log = ring;
      const read = (i: number): number => log.times[i % log.times.length] ?? 0;
      while (log.head < log.tail && read(log.head) <= now - 60_000) log.head++;
      if (log.second < log.head) log.second = log.head;
      while (log.second < log.tail && read(log.second) <= now - 1_000) log.second++;
      return {
        window: {
          inMinute: log.tail - log.head,
          inSecond: log.tail - log.second,
          oldestInMinute: log.head < log.tail ? read(log.head) : null,
          oldestInSecond: log.second < log.tail ? read(log.second) : null,
        },
        add() {
          if (log.tail - log.head >= maxKept) log.head++;
          if (log.tail - log.head >= log.times.length) grow(log);
          log.times[log.tail % log.times.length] = now;
          log.tail++;
        },
      };
    },
  };
};
