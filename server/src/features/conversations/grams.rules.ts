/**
 * Which texts may hold a piece of text, told by the groups of three characters in them: each group falls into one of 4,096 buckets, and
 * a bit says whether a message has any of the bucket. A text that holds the piece has all buckets of the piece; one that has them is
 * looked at. So what is found is what reading everything finds, whatever falls together.
 */
export const BUCKETS = 4_096;
const GRAM = 3;
/** Stands for halves of characters outside the basic plane, whose case is not looked at. */
const HALF = 0xffff;
const UNKNOWN = 0;

const isHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;

/** Small and large letters are one, and more may be: what an engine takes for the same must be the same here. */
const foldOf = (unit: number): number => {
  if (isHalf(unit)) return HALF;
  const lower = String.fromCharCode(unit).toLowerCase();
  // The dotted capital I is two characters when it is small.
  if (lower.length > 1) return lower.charCodeAt(0);
  const upper = lower.toUpperCase();
  return upper.length > 1 ? lower.charCodeAt(0) : upper.toLowerCase().charCodeAt(0);
};

const folded = new Uint16Array(0x1_0000);
const fold = (unit: number): number => {
  const known = folded[unit] ?? UNKNOWN;
  if (known !== UNKNOWN) return known;
  const made = foldOf(unit);
  folded[unit] = made;
  return made;
};

/** Kept in the store: another function needs another table. */
const bucketOf = (a: number, b: number, c: number): number => {
  const mixed = Math.imul(Math.imul(Math.imul(a, 0x9e37_79b1) ^ b, 0x85eb_ca6b) ^ c, 0xc2b2_ae35);
  return (mixed >>> 16) & (BUCKETS - 1);
};

/** Calls `take` with the bucket of each group, some more than once. */
export const eachBucket = (text: string, take: (bucket: number) => void): void => {
  if (text.length < GRAM) return;
  let a = fold(text.charCodeAt(0));
  let b = fold(text.charCodeAt(1));
  for (let at = 2; at < text.length; at++) {
    const c = fold(text.charCodeAt(at));
    take(bucketOf(a, b, c));
    a = b;
    b = c;
  }
};

/** More tell no more, and each is a row to read. */
const MAX_ASKED = 10;
/** What an engine may make of a dotted capital I. */
const DOT_ABOVE = '\u0307';

/** Buckets that a text with this piece has; none where the piece is too short, or tells nothing. */
export const askedBuckets = (piece: string): number[] => {
  if (piece.includes(DOT_ABOVE)) return [];
  const all = new Set<number>();
  eachBucket(piece, (bucket) => all.add(bucket));
  const list = [...all];
  const step = Math.max(1, list.length / MAX_ASKED);
  return Array.from({ length: Math.min(list.length, MAX_ASKED) }, (_, n) => list[Math.floor(n * step)] ?? 0);
};
