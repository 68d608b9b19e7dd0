import { RUN_DAY_MS, RUN_HOUR_MS, RUN_PART_MS, RUN_SLOT_MS, type RunSumPart } from '../../db/run-sums.ts';
import { NO_TOTALS, type RunTotals } from './rules.ts';

/** A time in epoch ms, from `since` to before `until`. */
export interface Stretch {
  since: number;
  until: number;
}
export interface Period {
  part: RunSumPart;
  startsAt: number;
}
/** The periods that are summed up, by their beginnings. */
export type Sealed = Readonly<Record<RunSumPart, ReadonlySet<number>>>;

export const floorTo = (at: number, ms: number): number => Math.floor(at / ms) * ms;

const PARTS: readonly RunSumPart[] = ['day', 'hour', 'slot'];

/** How a time is put together from sums, the longest first, and from rows where there are none. */
export const coverOf = (
  { since, until }: Stretch,
  sealed: Sealed,
): { periods: Period[]; rows: Stretch[] } => {
  const periods: Period[] = [];
  const rows: Stretch[] = [];
  for (let at = since; at < until; ) {
    const part = PARTS.find((one) => sealed[one].has(at) && at + RUN_PART_MS[one] <= until);
    if (part !== undefined) {
      periods.push({ part, startsAt: at });
      at += RUN_PART_MS[part];
      continue;
    }
    const end = Math.min(until, floorTo(at, RUN_SLOT_MS) + RUN_SLOT_MS);
    const last = rows.at(-1);
    if (last?.until === at) last.until = end;
    else rows.push({ since: at, until: end });
    at = end;
  }
  return { periods, rows };
};

/** Hours and slots that are worth a sum and have none: whole ones, the hours of whole days and the slots of the last hour. */
export const unsealed = ({ since, until }: Stretch, sealed: Sealed): { hours: number[]; slots: number[] } => {
  const hours: number[] = [];
  const slots: number[] = [];
  const lastHour = floorTo(until, RUN_HOUR_MS);
  for (let at = floorTo(since, RUN_HOUR_MS); at < lastHour; at += RUN_HOUR_MS)
    if (!sealed.hour.has(at)) hours.push(at);
  for (let at = lastHour; at + RUN_SLOT_MS <= until; at += RUN_SLOT_MS)
    if (!sealed.slot.has(at)) slots.push(at);
  return { hours, slots };
};

/** Whole days without a sum whose hours all have one. */
export const fullDays = ({ since, until }: Stretch, sealed: Sealed): number[] => {
  const days: number[] = [];
  for (let day = floorTo(since, RUN_DAY_MS); day + RUN_DAY_MS <= until; day += RUN_DAY_MS) {
    if (sealed.day.has(day)) continue;
    const hours = Array.from({ length: RUN_DAY_MS / RUN_HOUR_MS }, (_, n) => day + n * RUN_HOUR_MS);
    if (hours.every((hour) => sealed.hour.has(hour))) days.push(day);
  }
  return days;
};

/** So many durations are kept as they are; of more each is known within a hundredth. */
const KEPT_DURATIONS = 200;
const STEPS_PER_OCTAVE = 64;

/** The middle of the step that a duration lies in; of such a middle the same. */
const stepOf = (ms: number): number => {
  if (ms < 2 * STEPS_PER_OCTAVE) return ms;
  const width = 2 ** Math.floor(Math.log2(ms / STEPS_PER_OCTAVE));
  return floorTo(ms, width) + width / 2;
};

export const compact = (counts: ReadonlyMap<number, number>): ReadonlyMap<number, number> => {
  // By how many there are and not how different: so a day comes out the same from its hours and from its runs.
  if ([...counts.values()].reduce((sum, n) => sum + n, 0) <= KEPT_DURATIONS) return counts;
  const steps = new Map<number, number>();
  for (const [ms, n] of counts) steps.set(stepOf(ms), (steps.get(stepOf(ms)) ?? 0) + n);
  return steps;
};

const sorted = (counts: ReadonlyMap<number, number>): [number, number][] =>
  [...compact(counts)].sort(([a], [b]) => a - b);

/** The same text for the same runs, however they were added up. */
export const packTotals = (totals: RunTotals): string =>
  JSON.stringify({
    v: 1,
    ...totals,
    latencies: sorted(totals.latencies),
    firstTokens: sorted(totals.firstTokens),
  });

export const unpackTotals = (text: string): RunTotals => {
  const stored = JSON.parse(text) as Omit<RunTotals, 'latencies' | 'firstTokens'> & {
    v: number;
    latencies: [number, number][];
    firstTokens: [number, number][];
  };
  const { v: _, latencies, firstTokens, ...rest } = stored;
  return { ...NO_TOTALS, ...rest, latencies: new Map(latencies), firstTokens: new Map(firstTokens) };
};
