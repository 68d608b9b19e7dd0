import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LedgerRow } from '../../db/tables/costs.ts';
import { AppError } from '../../kernel/errors.ts';
import { MAX_NANO_USD, nanoToUsd } from '../../kernel/money.ts';
import { csvHeader, csvLines, decimalUsd } from './csv.ts';
import { alertText, forecastNano, leastRoom, roomOf, thresholdOf } from './rules.ts';
import { byDate, noSums, usagePeriod } from './usage.rules.ts';

describe('limits', () => {
  it.each([
    [0, 100, 0],
    [49, 100, 0],
    [50, 100, 50],
    [75, 100, 75],
    [89, 100, 75],
    [90, 100, 90],
    [99, 100, 90],
    [100, 100, 100],
    [101, 100, 100],
    [0, 0, 100],
    [MAX_NANO_USD - 1, MAX_NANO_USD, 90],
    [10, null, 0],
  ])('%d of %s is threshold %d', (used, limit, threshold) => {
    expect(thresholdOf(used, limit)).toBe(threshold);
  });

  it('have no room under what a lowered limit leaves, and the least room counts', () => {
    expect(roomOf({ limitNano: 10, usedNano: 8, reservedNano: 5 })).toBe(0);
    expect(roomOf({ limitNano: null, usedNano: 8, reservedNano: 5 })).toBeNull();
    expect(leastRoom([null, 7, 3, null])).toBe(3);
    expect(leastRoom([null])).toBeNull();
  });

  it('forecast in proportion to time, and nothing from noise', () => {
    const period = { start: 0, end: 1000 };
    expect(forecastNano(30, period, 250)).toBe(120);
    expect(forecastNano(30, period, 9)).toBeNull();
    expect(forecastNano(30, period, 1000)).toBe(30);
  });
});

describe('the asked period', () => {
  const now = Date.UTC(2026, 4, 14, 9);
  const fault = (query: Parameters<typeof usagePeriod>[0]): unknown => {
    try {
      return usagePeriod(query, 'UTC', now);
    } catch (error) {
      return error instanceof AppError ? error.details : error;
    }
  };

  it('takes dates in the tenant’s zone to their end, and times as they are', () => {
    expect(usagePeriod({ from: '2026-05-01', to: '2026-05-02' }, 'Asia/Tokyo', now)).toEqual({
      name: 'custom',
      span: { start: Date.UTC(2026, 3, 30, 15), end: Date.UTC(2026, 4, 2, 15) },
    });
    expect(usagePeriod({ period: 'custom', from: '2026-05-01T00:00:00+02:00' }, 'UTC', now).span).toEqual({
      start: Date.UTC(2026, 3, 30, 22),
      end: now,
    });
    expect(usagePeriod({}, 'UTC', now).name).toBe('month');
  });

  it.each([
    [{ period: 'custom' as const }, '/from'],
    [{ period: 'day' as const, from: '2026-05-01' }, '/from'],
    [{ from: '2026-02-30' }, '/from'],
    [{ from: 'yesterday' }, '/from'],
    [{ from: '2026-05-02', to: '2026-05-01' }, '/to'],
    [{ from: '2020-01-01', to: '2026-01-01' }, '/from'],
  ])('refuses %j', (query, field) => {
    expect(fault(query)).toMatchObject({ fields: [{ field }] });
  });

  it('folds slots of a quarter of an hour into local days without loss', () => {
    const sums = (costNano: number) => ({ ...noSums(), costNano, requests: 1 });
    const days = byDate(
      [
        { start: Date.parse('2026-05-14T18:00:00Z'), sums: sums(1) },
        { start: Date.parse('2026-05-14T18:15:00Z'), sums: sums(2) },
        { start: Date.parse('2026-05-13T18:15:00Z'), sums: sums(4) },
      ],
      'Asia/Kathmandu',
    );
    expect([...days].map(([date, s]) => [date, s.costNano, s.requests])).toEqual([
      ['2026-05-14', 5, 2],
      ['2026-05-15', 2, 1],
    ]);
  });
});

describe('CSV', () => {
  it('writes money as an exact decimal', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MAX_NANO_USD }), (nano) => {
        const text = decimalUsd(nano);
        expect(text).toMatch(/^\d+\.\d{9}$/);
        expect(BigInt(text.replace('.', ''))).toBe(BigInt(nano));
        expect(Number(text)).toBe(nanoToUsd(nano));
      }),
    );
  });

  it('quotes what needs it and makes formulas inert', () => {
    const row: LedgerRow = {
      id: 'l1',
      tenant_id: 't',
      user_id: '=cmd()',
      kind: 'tool',
      agent_id: null,
      model: null,
      tool: 'a,"b"',
      conversation_id: '@x',
      run_id: '-1',
      request_id: '+1',
      input_tokens: 1,
      output_tokens: 2,
      cached_input_tokens: 3,
      cache_write_tokens: 4,
      reasoning_tokens: 5,
      cost_nano: 1,
      reported_nano: null,
      estimated: 1,
      beyond_estimate: 1,
      created_at: 0,
    };
    expect(csvLines([row])).toBe(
      `1970-01-01T00:00:00.000Z,l1,tool,'=cmd(),,,"a,""b""",'@x,'-1,'+1,1,3,4,2,5,0.000000001,,true,true\r\n`,
    );
    expect(csvHeader().split(',')).toHaveLength(19);
  });
});

it('says of an alert what is so', () => {
  const at = { scope: 'tenant', period: 'day', limitNano: 2e8, usedNano: 1.2e8, reservedNano: 0 } as const;
  expect(alertText({ ...at, thresholdPercent: 50 })).toBe(
    '50 % of the limit of the tenant for this day is used',
  );
  expect(alertText({ ...at, thresholdPercent: null })).toBe(
    'A call was refused: the limit of the tenant for this day left no room for it (0.12 of 0.2 USD used, 0 reserved)',
  );
});
