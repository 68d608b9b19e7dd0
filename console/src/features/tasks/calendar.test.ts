import type { Task } from 'pentarch-sdk';
import { expect, it } from 'vitest';
import { calendarOf, dayKey, dayOf, daysOf, shift } from './calendar.ts';
import { cronWords, nextRuns } from './cron.ts';

const task = (change: Partial<Task>): Task => ({
  id: 'a',
  description: 'Report',
  agent_id: null,
  context: null,
  priority: 'normal',
  scheduled_at: null,
  cron: null,
  timezone: 'UTC',
  overlap: 'skip',
  missed: 'run_once',
  status: 'scheduled',
  progress: null,
  result: null,
  error: null,
  attempts: 0,
  run_ids: [],
  next_run_at: null,
  paused: false,
  created_by: 'ann',
  created_at: '2026-11-01T00:00:00.000Z',
  updated_at: '2026-11-01T00:00:00.000Z',
  finished_at: null,
  parent_task_id: null,
  depth: 1,
  tainted: false,
  ...change,
});

it('shows whole weeks from Monday, whichever day the month begins with', () => {
  const days = daysOf(new Date(2026, 10, 15), 'month');
  expect(days.length % 7).toBe(0);
  expect(days[0]).toMatchObject({ key: '2026-10-26', inside: false });
  expect(days.filter(({ inside }) => inside)).toHaveLength(30);
  expect(daysOf(new Date(2026, 10, 15), 'week').map(({ key }) => key)).toEqual([
    '2026-11-09',
    '2026-11-10',
    '2026-11-11',
    '2026-11-12',
    '2026-11-13',
    '2026-11-14',
    '2026-11-15',
  ]);
});

it('moves by a month or a week, from the last day of a long month too', () => {
  expect(dayKey(shift(new Date(2026, 0, 31), 'month', 1))).toBe('2026-02-01');
  expect(dayKey(shift(new Date(2026, 0, 1), 'week', -1))).toBe('2025-12-25');
  expect(dayOf('2026-02-30')).toBeNull();
  expect(dayOf('nonsense')).toBeNull();
});

it('puts coming runs on their days, several of one task together, and none of the past or of paused ones', () => {
  const now = new Date(2026, 10, 10, 12);
  const next = new Date(2026, 10, 11, 9).toISOString();
  const days = calendarOf(
    [
      task({ id: 'once', next_run_at: next }),
      task({ id: 'hourly', cron: '0 * * * *', next_run_at: new Date(2026, 10, 10, 13).toISOString() }),
      task({ id: 'resting', cron: '0 * * * *', paused: true }),
    ],
    now,
    'week',
    now.getTime(),
  );
  const on = (key: string) =>
    days.find((day) => day.key === key)?.entries.map(({ task: { id }, count }) => [id, count]);
  expect(on('2026-11-09')).toEqual([]);
  expect(on('2026-11-10')).toEqual([['hourly', 11]]);
  expect(on('2026-11-11')).toEqual([
    ['hourly', 24],
    ['once', 1],
  ]);
});

it('says cron in words and gives the next runs in its zone', () => {
  expect(cronWords('0 9 * * MON-FRI')).toBe('At 09:00, Monday through Friday');
  expect(cronWords('nonsense')).toBeNull();
  const from = Date.parse('2026-11-27T12:00:00Z');
  expect(
    nextRuns('0 9 * * MON-FRI', 'Europe/Berlin', { fromMs: from, count: 2 })?.map((ms) =>
      new Date(ms).toISOString(),
    ),
  ).toEqual(['2026-11-30T08:00:00.000Z', '2026-12-01T08:00:00.000Z']);
  expect(nextRuns('0 9 * * *', 'No/Where', { fromMs: from, count: 1 })).toBeNull();
  expect(nextRuns('61 9 * * *', 'UTC', { fromMs: from, count: 1 })).toBeNull();
});
