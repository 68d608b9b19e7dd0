import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SLOT_MS } from '../../db/cost-sums.ts';
import {
  dateText,
  isBudgetTimeZone,
  localDate,
  type PeriodName,
  periodAround,
  startOfDate,
} from './periods.rules.ts';
import { daysOf } from './span-pieces.ts';

const at = (text: string): number => Date.parse(text);
const span = (zone: string, name: PeriodName, when: string): string[] => {
  const { start, end } = periodAround(zone, name, at(when));
  return [new Date(start).toISOString(), new Date(end).toISOString()];
};

describe('periods', () => {
  it('run from local midnight to local midnight', () => {
    expect(span('UTC', 'day', '2026-05-14T23:59:59.999Z')).toEqual([
      '2026-05-14T00:00:00.000Z',
      '2026-05-15T00:00:00.000Z',
    ]);
    expect(span('Asia/Tokyo', 'day', '2026-05-14T14:59:59Z')).toEqual([
      '2026-05-13T15:00:00.000Z',
      '2026-05-14T15:00:00.000Z',
    ]);
    expect(span('Asia/Tokyo', 'day', '2026-05-14T15:00:00Z')).toEqual([
      '2026-05-14T15:00:00.000Z',
      '2026-05-15T15:00:00.000Z',
    ]);
    expect(span('Asia/Kathmandu', 'day', '2026-05-14T12:00:00Z')).toEqual([
      '2026-05-13T18:15:00.000Z',
      '2026-05-14T18:15:00.000Z',
    ]);
  });

  it('have 23 or 25 hours where clocks change, and begin later where midnight does not exist', () => {
    expect(span('Europe/Berlin', 'day', '2026-03-29T12:00:00Z')).toEqual([
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ]);
    expect(span('Europe/Berlin', 'day', '2026-10-25T12:00:00Z')).toEqual([
      '2026-10-24T22:00:00.000Z',
      '2026-10-25T23:00:00.000Z',
    ]);
    // Beirut put its clocks forward at midnight: that day began at 01:00.
    expect(span('Asia/Beirut', 'day', '2022-03-27T12:00:00Z')).toEqual([
      '2022-03-26T22:00:00.000Z',
      '2022-03-27T21:00:00.000Z',
    ]);
  });

  it('begin weeks on Monday and months on the first', () => {
    expect(span('UTC', 'week', '2026-05-17T12:00:00Z')).toEqual([
      '2026-05-11T00:00:00.000Z',
      '2026-05-18T00:00:00.000Z',
    ]);
    expect(span('UTC', 'week', '2026-05-11T00:00:00Z')).toEqual([
      '2026-05-11T00:00:00.000Z',
      '2026-05-18T00:00:00.000Z',
    ]);
    expect(span('UTC', 'month', '2028-02-29T12:00:00Z')).toEqual([
      '2028-02-01T00:00:00.000Z',
      '2028-03-01T00:00:00.000Z',
    ]);
    expect(span('America/New_York', 'month', '2026-12-31T23:00:00-05:00')).toEqual([
      '2026-12-01T05:00:00.000Z',
      '2027-01-01T05:00:00.000Z',
    ]);
  });

  it('contain their instant, join without a gap, and agree with the local date', () => {
    const zones = fc.constantFrom(
      'UTC',
      'Asia/Tokyo',
      'America/Sao_Paulo',
      'Pacific/Apia',
      'Australia/Lord_Howe',
      'Africa/Cairo',
      'America/St_Johns',
    );
    const when = fc.integer({ min: at('1990-01-01T00:00:00Z'), max: at('2040-01-01T00:00:00Z') });
    fc.assert(
      fc.property(
        zones,
        when,
        fc.constantFrom('day' as const, 'week' as const, 'month' as const),
        (zone, now, name) => {
          const { start, end } = periodAround(zone, name, now);
          expect(start).toBeLessThanOrEqual(now);
          expect(end).toBeGreaterThan(now);
          expect(periodAround(zone, name, end).start).toBe(end);
          expect(periodAround(zone, name, start)).toEqual({ start, end });
          if (name === 'day') {
            expect(dateText(localDate(zone, start))).toBe(dateText(localDate(zone, now)));
            expect(dateText(localDate(zone, start - 1))).not.toBe(dateText(localDate(zone, now)));
            expect(startOfDate(zone, localDate(zone, now))).toBe(start);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('know a zone from a word', () => {
    expect(['UTC', 'Europe/Berlin', 'Mars/Olympus', '', 'Europe/Berlin; drop'].map(isBudgetTimeZone)).toEqual(
      [true, true, false, false, false],
    );
  });
});

it.each([
  'UTC',
  'Asia/Kathmandu',
  'America/Los_Angeles',
  'Asia/Beirut',
  'Pacific/Apia',
  'America/Asuncion',
  'Australia/Lord_Howe',
])('days of a span in %s are its slots, each in one local day', (zone) => {
  const slot = fc.integer({ min: at('2011-12-20T00:00:00Z'), max: at('2012-04-10T00:00:00Z') });
  fc.assert(
    fc.property(slot, fc.integer({ min: 1, max: 4_000_000_000 }), (start, length) => {
      const days = daysOf(zone, { start, end: start + length });
      expect(days[0]?.start).toBe(Math.floor(start / SLOT_MS) * SLOT_MS);
      expect(days.at(-1)?.end).toBeGreaterThanOrEqual(start + length);
      for (const [n, day] of days.entries()) {
        expect(n === 0 || days[n - 1]?.end === day.start).toBe(true);
        const date = dateText(localDate(zone, day.start));
        for (let one = day.start; one < day.end; one += SLOT_MS)
          if (dateText(localDate(zone, one)) !== date) expect([zone, one]).toEqual([date, day]);
      }
    }),
    { numRuns: 15 },
  );
});
