import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTimeZone, parseSchedule } from './cron.ts';

const slots = (pattern: string, zone: string, from: string, n: number): string[] => {
  const schedule = parseSchedule(pattern, zone);
  const found: string[] = [];
  let at: number | null = Date.parse(from);
  for (let i = 0; i < n && at !== null; i++) {
    at = schedule.next(at);
    if (at !== null) found.push(new Date(at).toISOString());
  }
  return found;
};

describe('cron slots', () => {
  it('runs a fixed time that the clock change skips at the end of the gap', () => {
    expect(slots('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2)).toEqual([
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ]);
  });

  it('runs a fixed time that happens twice the first time only', () => {
    expect(slots('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
    ]);
  });

  it('goes by real time for intervals, in the repeated hour too', () => {
    expect(slots('*/30 * * * *', 'Europe/Berlin', '2026-10-25T00:00:00Z', 4)).toEqual([
      '2026-10-25T00:30:00.000Z',
      '2026-10-25T01:00:00.000Z',
      '2026-10-25T01:30:00.000Z',
      '2026-10-25T02:00:00.000Z',
    ]);
  });

  it('takes names', () => {
    expect(slots('0 9 * JAN-DEC mon-FRI', 'America/New_York', '2026-03-06T20:00:00Z', 1)).toEqual([
      '2026-03-09T13:00:00.000Z',
    ]);
  });

  it.each([
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * * 8',
    '@daily',
    '0 0 L * *',
    '0 0 * * MON#1',
    '? * * * *',
    '0 0 1W * *',
    '*/0 * * * *',
    'foo bar baz qux quux',
    '5-1 * * * *',
    '1,,2 * * * *',
  ])('refuses %s', (pattern) => {
    expect(() => parseSchedule(pattern, 'UTC')).toThrow();
  });

  it('says that a date never comes', () => {
    expect(parseSchedule('0 0 30 FEB *', 'UTC').next(Date.parse('2026-01-01T00:00:00Z'))).toBeNull();
  });

  it('finds the newest slot up to a moment, that moment included', () => {
    const schedule = parseSchedule('*/5 * * * *', 'UTC');
    const slot = Date.parse('2026-03-01T10:05:00Z');
    expect(schedule.latest(slot)).toBe(slot);
    expect(schedule.latest(slot + 299_999)).toBe(slot);
    expect(schedule.latest(slot - 1)).toBe(slot - 300_000);
  });

  it('never goes back, and the newest slot before the next one is not after now', () => {
    const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'];
    fc.assert(
      fc.property(
        fc.integer({ min: Date.parse('2025-01-01'), max: Date.parse('2028-01-01') }),
        fc.constantFrom(...zones),
        fc.constantFrom('* * * * *', '*/7 * * * *', '30 2 * * *', '0 3 * * SUN', '15 1,2,3 * * *'),
        (now, zone, pattern) => {
          const schedule = parseSchedule(pattern, zone);
          const next = schedule.next(now);
          const latest = schedule.latest(now);
          if (next === null || latest === null) throw new Error('no slot');
          expect(next).toBeGreaterThan(now);
          expect(latest).toBeLessThanOrEqual(now);
          // Nothing lies between the newest slot and the next one.
          expect(schedule.next(latest)).toBe(next);
        },
      ),
      { numRuns: 300 },
    );
  });
});

it('knows time zones', () => {
  expect(['UTC', 'Europe/Berlin', 'America/Argentina/Ushuaia'].map(isTimeZone)).toEqual([true, true, true]);
  expect(['Mars/Base', '', '+02:00', 'Europe'].map(isTimeZone)).toEqual([false, false, false, false]);
});
