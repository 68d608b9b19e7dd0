import { Cron } from 'croner';
import cronstrue from 'cronstrue';

/** Cron as the server reads it: five fields in a time zone, with the same package. */

const parse = (cron: string, zone: string): Cron | null => {
  if (cron.trim().split(/\s+/).length !== 5) return null;
  try {
    return new Cron(cron.trim(), { timezone: zone, mode: '5-part', paused: true });
  } catch {
    return null;
  }
};

/** Coming runs after `fromMs` and before `untilMs`, `count` at most; null where the cron or the zone cannot be read. */
export const nextRuns = (
  cron: string,
  zone: string,
  range: { fromMs: number; untilMs?: number; count: number },
): readonly number[] | null => {
  const schedule = parse(cron, zone);
  if (schedule === null) return null;
  try {
    const found: number[] = [];
    let at: Date | null = new Date(range.fromMs);
    while (found.length < range.count) {
      at = schedule.nextRun(at);
      if (at === null || (range.untilMs !== undefined && at.getTime() >= range.untilMs)) break;
      found.push(at.getTime());
    }
    return found;
  } catch {
    // A zone that the browser does not know shows itself only here.
    return null;
  }
};

/** "At 09:00, Monday through Friday"; null where it cannot be read. */
export const cronWords = (cron: string): string | null => {
  if (cron.trim().split(/\s+/).length !== 5) return null;
  try {
    return cronstrue.toString(cron.trim(), { use24HourTimeFormat: true, verbose: false });
  } catch {
    return null;
  }
};

export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A time in the zone of its schedule: "Mon, 1 Dec, 09:00". */
export const inZone = (epochMs: number, zone: string): string =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  }).format(epochMs);
