import { isTimeZone, parseSchedule } from './cron.ts';

/** Throws for a task of an archive whose times the API would not have taken: the clock of all tenants reads them. */
export const assertCarriedTask = (row: Record<string, unknown>): void => {
  if (typeof row.timezone !== 'string' || !isTimeZone(row.timezone))
    throw new Error('a task of the archive has a time zone that is none');
  if (row.cron === null || row.cron === undefined) return;
  try {
    parseSchedule(String(row.cron), row.timezone);
  } catch (error) {
    throw new Error('a task of the archive has a schedule that is none', { cause: error });
  }
};
