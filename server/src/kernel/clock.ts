/** Time as an argument: rules and services take it, tests move it. Milliseconds since the epoch. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

const DAY_MS = 86_400_000;
const digits = (count: number, width: number): string[] =>
  Array.from({ length: count }, (_, n) => String(n).padStart(width, '0'));
const TWO = digits(60, 2);
const THREE = digits(1000, 3);
let day = Number.NaN;
/** `2026-11-28T` of that day. */
let date = '';

/**
 * ISO 8601 UTC with milliseconds, the one form of the contract. A page of a list holds dozens of times, mostly of one
 * day, and building the date is what costs: it is kept from one call to the next.
 */
export const iso = (epochMs: number): string => {
  const wanted = Math.floor(epochMs / DAY_MS);
  if (wanted !== day) {
    date = new Date(wanted * DAY_MS).toISOString().slice(0, -13);
    day = wanted;
  }
  const inDay = Math.trunc(epochMs) - wanted * DAY_MS;
  const seconds = Math.floor(inDay / 1000);
  const minutes = Math.floor(seconds / 60);
  return `${date}${TWO[Math.floor(minutes / 60)]}:${TWO[minutes % 60]}:${TWO[seconds % 60]}.${THREE[inDay % 1000]}Z`;
};

export const isoOrNull = (epochMs: number | null | undefined): string | null =>
  epochMs === null || epochMs === undefined ? null : iso(epochMs);
