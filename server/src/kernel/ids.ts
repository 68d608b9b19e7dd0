import { validate } from 'uuid';

/**
 * Random bytes in pools: one system call for hundreds of ids, since each id alone would pay more for its randomness than
 * for all else.
 */
const POOL_BYTES = 4096;
const BYTES_PER_ID = 10;
const pool = new Uint8Array(POOL_BYTES);
let used = POOL_BYTES;

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const hex = (byte: number): string => HEX[byte & 0xff] ?? '';

const MAX_SEQUENCE = 0x3ff_ffff;
let lastMs = 0;
let sequence = 0;
/** Text of `lastMs` with its hyphens: the first 14 characters of its ids. */
let prefix = '';

const startMs = (ms: number, first: number): void => {
  lastMs = ms;
  sequence = first;
  const digits = ms.toString(16).padStart(12, '0');
  prefix = `${digits.slice(0, 8)}-${digits.slice(8)}-`;
};

/**
 * UUIDv7 (RFC 9562, section 5.7): ordered by creation time, and within a millisecond of this process by a counter of 26
 * bits (section 6.2, method 1: `rand_a` and the head of `rand_b`) that starts at random, so that `id` breaks ties in
 * newest-first lists; the last 48 bits are random. Written by hand, since a chat turn makes half a dozen ids and the
 * `uuid` package needs as long for one as SQLite for a row.
 */
export const newId = (): string => {
  const now = Date.now();
  if (used + BYTES_PER_ID > POOL_BYTES) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  const at = used;
  used += BYTES_PER_ID;
  const random = (i: number): number => pool[at + i] ?? 0;
  // One bit of the counter stays clear at the start, as room to count up.
  if (now > lastMs) {
    startMs(now, ((random(6) & 1) << 24) | (random(7) << 16) | (random(8) << 8) | random(9));
  } else if (sequence === MAX_SEQUENCE) startMs(lastMs + 1, 0);
  else sequence += 1;
  return `${prefix}${hex(0x70 | (sequence >>> 22))}${hex(sequence >>> 14)}-${hex(0x80 | ((sequence >>> 8) & 0x3f))}${hex(sequence)}-${hex(random(0))}${hex(random(1))}${hex(random(2))}${hex(random(3))}${hex(random(4))}${hex(random(5))}`;
};

/** When an id of `newId` was made, in epoch milliseconds: its first 48 bits (RFC 9562, section 5.7). */
export const madeAtMs = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

export const isUuid = (text: string): boolean => validate(text);
