import { v7, validate } from 'uuid';

/**
 * Random bytes in pools: one system call for 256 ids, since each id alone would pay more for its randomness than for all
 * else.
 */
const POOL_BYTES = 4096;
const pool = new Uint8Array(POOL_BYTES);
let used = POOL_BYTES;

const rng = (): Uint8Array => {
  if (used + 16 > POOL_BYTES) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  used += 16;
  return pool.slice(used - 16, used);
};

let lastMs = 0;
let sequence = 0;

/**
 * UUIDv7 (RFC 9562, section 5.7): ordered by creation time, and within a millisecond of this process by a sequence
 * that starts at random, so that `id` breaks ties in newest-first lists.
 */
export const newId = (): string => {
  const now = Date.now();
  const random = rng();
  if (now > lastMs) {
    lastMs = now;
    // 31 random bits below the top of the 32-bit counter leave room to count up.
    sequence =
      (((random[6] ?? 0) & 0x7f) << 24) |
      ((random[7] ?? 0) << 16) |
      ((random[8] ?? 0) << 8) |
      (random[9] ?? 0);
  } else sequence += 1;
  return v7({ msecs: lastMs, seq: sequence, random });
};

export const isUuid = (text: string): boolean => validate(text);
