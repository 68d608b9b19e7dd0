import { LRUCache } from 'lru-cache';
import { decideRate, type RateDecision, type RateNumbers, type RateWindow } from './rate-limit.rules.ts';

/**
 * A sliding log of a caller's latest requests. Two fixed windows (what the kept limiter libraries count) let twice the
 * limit through at their border and cannot say when the oldest request leaves, which the contract's headers promise.
 */
export interface RateLog {
  /**
   * Decides on one request of `key` and, where it counts and is allowed, adds it. A promise where the log is shared by
   * nodes; it rejects with SERVICE_UNAVAILABLE when what they share does not answer.
   */
  decide(
    key: string,
    now: number,
    numbers: RateNumbers,
    how: { counts: boolean; enforce: boolean },
  ): RateDecision | Promise<RateDecision>;
}

/** The log of this process alone, which answers at once. */
export interface MemoryRateLog extends RateLog {
  decide(
    key: string,
    now: number,
    numbers: RateNumbers,
    how: { counts: boolean; enforce: boolean },
  ): RateDecision;
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
export const createMemoryRateLog = (maxKept: number, maxCallers = 100_000): MemoryRateLog => {
  const rings = new LRUCache<string, Ring>({ max: maxCallers });
  const log: MemoryRateLog = {
    decide(key, now, numbers, how) {
      const entry = log.at(key, now);
      const decision = decideRate(entry.window, numbers, now, how);
      if (how.counts && decision.allowed) entry.add();
      return decision;
    },
    at(key, now) {
      let ring = rings.get(key);
      if (ring === undefined) {
        ring = { times: new Float64Array(INITIAL_SIZE), head: 0, second: 0, tail: 0 };
        rings.set(key, ring);
      }
      const kept = ring;
      const read = (i: number): number => kept.times[i % kept.times.length] ?? 0;
      while (kept.head < kept.tail && read(kept.head) <= now - 60_000) kept.head++;
      if (kept.second < kept.head) kept.second = kept.head;
      while (kept.second < kept.tail && read(kept.second) <= now - 1_000) kept.second++;
      return {
        window: {
          inMinute: kept.tail - kept.head,
          inSecond: kept.tail - kept.second,
          oldestInMinute: kept.head < kept.tail ? read(kept.head) : null,
          oldestInSecond: kept.second < kept.tail ? read(kept.second) : null,
        },
        add() {
          if (kept.tail - kept.head >= maxKept) kept.head++;
          if (kept.tail - kept.head >= kept.times.length) grow(kept);
          kept.times[kept.tail % kept.times.length] = now;
          kept.tail++;
        },
      };
    },
  };
  return log;
};
