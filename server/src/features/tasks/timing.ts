import { invalid } from '../../kernel/errors.ts';
import { isTimeZone, parseSchedule } from './cron.ts';

export interface Timing {
  cron: string | null;
  timezone: string;
  scheduledAt: number | null;
}

/** Throws VALIDATION_ERROR. */
export const parseTime = (text: string | undefined): number | null => {
  if (text === undefined) return null;
  const time = Date.parse(text);
  if (!Number.isSafeInteger(time))
    throw invalid({ field: '/scheduled_at', reason: 'must be a valid date-time' });
  return time;
};

/** First slot from now on; null: at once, and only once. Throws VALIDATION_ERROR. */
export const firstSlot = (timing: Timing, now: number): number | null => {
  if (!isTimeZone(timing.timezone))
    throw invalid({ field: '/timezone', reason: 'must be an IANA time zone' });
  if (timing.cron === null) {
    return timing.scheduledAt !== null && timing.scheduledAt > now ? timing.scheduledAt : null;
  }
  const from = Math.max(now, (timing.scheduledAt ?? 0) - 1);
  let next: number | null;
  try {
    next = parseSchedule(timing.cron, timing.timezone).next(from);
  } catch (error) {
    throw invalid({ field: '/cron', reason: error instanceof Error ? error.message : 'cannot be read' });
  }
  if (next === null) throw invalid({ field: '/cron', reason: 'never comes due' });
  return next;
};
