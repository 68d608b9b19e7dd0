import { Cron } from 'croner';

/**
 * Five-field cron in a time zone, as Vixie cron has it around clock changes: a fixed time that the change skips runs at
 * the end of the gap, one that happens twice runs the first time only; intervals (star, step) go by real time.
 */
export interface Schedule {
  /** First slot after `epochMs`; null when there is none any more. */
  next(epochMs: number): number | null;
  /** Newest slot at or before `epochMs`; null when there was none. */
  latest(epochMs: number): number | null;
}

/** Numbers, names, ranges, lists and steps; none of the extensions that only some crons know. */
const FIELD =
  /^(?:\*|[\dA-Za-z]+(?:-[\dA-Za-z]+)?)(?:\/\d+)?(?:,(?:\*|[\dA-Za-z]+(?:-[\dA-Za-z]+)?)(?:\/\d+)?)*$/;
const WORDS = /^(?:JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC|SUN|MON|TUE|WED|THU|FRI|SAT)$/i;

const looksRight = (pattern: string): boolean => {
  const fields = pattern.trim().split(/\s+/);
  return (
    fields.length === 5 &&
    fields.every(
      (field) => FIELD.test(field) && (field.match(/[A-Za-z]+/g) ?? []).every((w) => WORDS.test(w)),
    )
  );
};

export const isTimeZone = (zone: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    // Offsets ("+02:00") are taken by newer engines, but are no zones.
    return /^[A-Za-z]/.test(zone);
  } catch {
    return false;
  }
};

/** Throws an Error with what is wrong, in words for the one who wrote it. */
export const parseSchedule = (pattern: string, zone: string): Schedule => {
  if (!looksRight(pattern)) throw new Error('must be five cron fields: minute hour day month weekday');
  let cron: Cron;
  try {
    cron = new Cron(pattern.trim(), { timezone: zone, mode: '5-part', paused: true });
  } catch (error) {
    const text = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : 'cannot be read';
    throw new Error(`is not a cron expression: ${text}`, { cause: error });
  }
  const next = (epochMs: number): number | null => cron.nextRun(new Date(epochMs))?.getTime() ?? null;
  return {
    next,
    // The package looks before the given time; a slot exactly now counts.
    latest: (epochMs) =>
      cron.previousRuns(1, new Date(epochMs + 1_000 - (epochMs % 1_000)))[0]?.getTime() ?? null,
  };
};
