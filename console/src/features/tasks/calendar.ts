import type { Task } from 'pentarch-sdk';
import { nextRuns } from './cron.ts';

/** The coming runs, by day of the one who looks. */

export interface Entry {
  task: Task;
  /** First run of the day. */
  firstMs: number;
  count: number;
}
export interface Day {
  /** YYYY-MM-DD, in the browser's time zone. */
  key: string;
  date: Date;
  /** Of the month that is shown; always true in a week. */
  inside: boolean;
  entries: readonly Entry[];
}
export type Span = 'month' | 'week';

/** Runs of one schedule that are worked out for one view; one that runs more often is cut there. */
const MAX_RUNS = 50_000;

export const dayKey = (date: Date): string =>
  [
    String(date.getFullYear()).padStart(4, '0'),
    String(date.getMonth() + 1).padStart(2, '0'),
    String(date.getDate()).padStart(2, '0'),
  ].join('-');

/** Midnight of a day of the address; null for what is none. */
export const dayOf = (key: string): Date | null => {
  const [, year, month, day] = key.match(/^(\d{4})-(\d{2})-(\d{2})$/) ?? [];
  if (year === undefined) return null;
  const date = new Date(Number(year), Number(month) - 1, Number(day));
  return dayKey(date) === key ? date : null;
};

const plusDays = (date: Date, days: number): Date =>
  new Date(date.getFullYear(), date.getMonth(), date.getDate() + days);

/** Weeks begin on Monday. */
const mondayOf = (date: Date): Date => plusDays(date, -((date.getDay() + 6) % 7));

/** The same place one view further. */
export const shift = (date: Date, span: Span, by: 1 | -1): Date =>
  span === 'week' ? plusDays(date, 7 * by) : new Date(date.getFullYear(), date.getMonth() + by, 1);

export const daysOf = (date: Date, span: Span): Omit<Day, 'entries'>[] => {
  const first = mondayOf(span === 'week' ? date : new Date(date.getFullYear(), date.getMonth(), 1));
  const last = span === 'week' ? plusDays(first, 6) : new Date(date.getFullYear(), date.getMonth() + 1, 0);
  const days: Omit<Day, 'entries'>[] = [];
  for (let day = first; day <= last || days.length % 7 !== 0; day = plusDays(day, 1)) {
    days.push({
      key: dayKey(day),
      date: day,
      inside: span === 'week' || day.getMonth() === date.getMonth(),
    });
  }
  return days;
};

const runsOf = (task: Task, fromMs: number, untilMs: number): readonly number[] => {
  if (task.paused || task.next_run_at === null) return [];
  const next = Date.parse(task.next_run_at);
  if (task.cron === null) return next >= fromMs && next < untilMs ? [next] : [];
  // The slot that comes first may lie later than cron alone says: not before scheduled_at.
  const from = Math.max(fromMs, next);
  return nextRuns(task.cron, task.timezone, { fromMs: from - 1, untilMs, count: MAX_RUNS }) ?? [];
};

export const calendarOf = (tasks: readonly Task[], date: Date, span: Span, nowMs: number): readonly Day[] => {
  const days = daysOf(date, span);
  const [first] = days;
  const last = days.at(-1);
  if (first === undefined || last === undefined) return [];
  const byDay = new Map<string, Map<string, Entry>>();
  const fromMs = Math.max(first.date.getTime(), nowMs);
  for (const task of tasks) {
    for (const at of runsOf(task, fromMs, plusDays(last.date, 1).getTime())) {
      const key = dayKey(new Date(at));
      const entries = byDay.get(key) ?? new Map<string, Entry>();
      const known = entries.get(task.id);
      if (known === undefined) entries.set(task.id, { task, firstMs: at, count: 1 });
      else known.count += 1;
      byDay.set(key, entries);
    }
  }
  return days.map((day) => ({
    ...day,
    entries: [...(byDay.get(day.key)?.values() ?? [])].sort((a, b) => a.firstMs - b.firstMs),
  }));
};
