import { isTimeZone, parseSchedule } from './cron.ts';
import { MAX_DEPTH, MISSED, OVERLAPS, PRIORITIES, TASK_STATUSES } from './schema.ts';

type Row = Record<string, unknown>;

const WORDS: Record<string, readonly string[]> = {
  priority: PRIORITIES,
  overlap: OVERLAPS,
  missed: MISSED,
  status: TASK_STATUSES,
};
const FLAGS = ['paused', 'tainted'];

/** Columns that a release of before had not are absent. */
const isWhole = (value: unknown, least: number, most: number): boolean =>
  value === undefined ||
  (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most);

const assertValues = (row: Row): void => {
  const isMade = row.parent_task_id !== null && row.parent_task_id !== undefined;
  if (!isWhole(row.depth, isMade ? 2 : 1, MAX_DEPTH))
    throw new Error('a task of the archive has a depth that no task has');
  if (!isWhole(row.attempts, 0, Number.MAX_SAFE_INTEGER))
    throw new Error('a task of the archive has a number of attempts that is none');
  for (const name of FLAGS)
    if (!isWhole(row[name], 0, 1)) throw new Error(`a task of the archive has another value in ${name}`);
  for (const [name, known] of Object.entries(WORDS))
    if (row[name] !== undefined && !known.some((word) => word === row[name]))
      throw new Error(`a task of the archive has another value in ${name}`);
};

/** Throws for a task of an archive that the API would not have stored: the clock of all tenants reads its times. */
export const assertCarriedTask = (row: Row): void => {
  assertValues(row);
  if (typeof row.timezone !== 'string' || !isTimeZone(row.timezone))
    throw new Error('a task of the archive has a time zone that is none');
  if (row.cron === null || row.cron === undefined) return;
  try {
    parseSchedule(String(row.cron), row.timezone);
  } catch (error) {
    throw new Error('a task of the archive has a schedule that is none', { cause: error });
  }
};
