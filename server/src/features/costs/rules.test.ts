import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LedgerRow } from '../../db/tables/costs.ts';
import { AppError } from '../../kernel/errors.ts';
import { MAX_NANO_USD, nanoToUsd } from '../../kernel/money.ts';
import { alertEvent } from './alert-event.ts';
import { csvHeader, csvLines, decimalUsd } from './csv.ts';
import {
  ALERT_LEVELS,
  ANY_RUN,
  alertLevel,
  alertText,
  forecastNano,
  LIMIT_PERIODS,
  LIMIT_SCOPES,
  leastRoom,
  roomOf,
  thresholdOf,
} from './rules.ts';
import { addUsageSums, byDate, noSums, type Sums, sumsWire, usagePeriod } from './usage.rules.ts';

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

  it('are of these subjects and periods, with these levels of alerts (contract, section 6)', () => {
    expect(LIMIT_SCOPES).toEqual(['tenant', 'user', 'agent', 'run']);
    expect(LIMIT_PERIODS).toEqual(['day', 'month', 'run']);
    expect(ALERT_LEVELS).toEqual(['none', 'info', 'warning', 'critical', 'exceeded']);
    expect([0, 50, 75, 90, 100, 33].map(alertLevel)).toEqual([
      'none',
      'info',
      'warning',
      'critical',
      'exceeded',
      'none',
    ]);
    expect(ANY_RUN).toBe('*');
  });

  it('never give room for more than what is left of each of them', () => {
    const amount = fc.nat(1_000);
    const counter = fc.record({ limitNano: fc.option(amount), usedNano: amount, reservedNano: amount });
    fc.assert(
      fc.property(fc.array(counter), (counters) => {
        const least = leastRoom(counters.map(roomOf));
        const limited = counters.flatMap(({ limitNano, usedNano, reservedNano }) =>
          limitNano === null ? [] : [Math.max(0, limitNano - usedNano - reservedNano)],
        );
        expect(least).toBe(limited.length === 0 ? null : Math.min(...limited));
      }),
    );
  });

  it('forecast in proportion to time, and nothing from noise', () => {
    const period = { start: 0, end: 1000 };
    expect(forecastNano(30, period, 250)).toBe(120);
    expect(forecastNano(30, period, 9)).toBeNull();
    expect(forecastNano(30, period, 1000)).toBe(30);
    expect(forecastNano(30, period, 2000)).toBe(30);
    expect(forecastNano(3, period, 10)).toBe(300);
    const later = { start: 5_000, end: 6_000 };
    expect(forecastNano(30, later, 5_250)).toBe(120);
    expect(forecastNano(10, later, 5_300)).toBe(33);
    // A figure that no number holds exactly is none.
    expect(forecastNano(Number.MAX_SAFE_INTEGER, period, 500)).toBeNull();
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

  it('is a period by its name, or from and to where one is given', () => {
    const day = usagePeriod({ period: 'day' }, 'UTC', now);
    expect(day).toEqual({ name: 'day', span: { start: Date.UTC(2026, 4, 14), end: Date.UTC(2026, 4, 15) } });
    expect(usagePeriod({}, 'UTC', now).span).toEqual({
      start: Date.UTC(2026, 4, 1),
      end: Date.UTC(2026, 5, 1),
    });
    expect(usagePeriod({ from: '2026-05-14' }, 'UTC', now)).toEqual({
      name: 'custom',
      span: { start: Date.UTC(2026, 4, 14), end: now },
    });
    expect(usagePeriod({ from: '1970-01-01', to: '1970-01-01' }, 'UTC', now).span).toEqual({
      start: 0,
      end: 86_400_000,
    });
    expect(
      usagePeriod({ from: '1970-01-01T00:00:00Z', to: '1970-01-01T00:00:01.5Z' }, 'UTC', now).span,
    ).toEqual({
      start: 0,
      end: 1_500,
    });
    // 400 days, and not one millisecond more.
    const last = new Date(Date.UTC(2026, 0, 1) + 400 * 86_400_000);
    expect(usagePeriod({ from: '2026-01-01', to: last.toISOString() }, 'UTC', now).span.end).toBe(
      last.getTime(),
    );
  });

  it.each([
    [{ period: 'day' as const, to: '2026-05-01' }, '/to', 'goes with the period custom only'],
    [{ period: 'month' as const, from: '2026-05-01' }, '/from', 'goes with the period custom only'],
    [{ to: '2026-05-01' }, '/from', 'is required for the period custom'],
    [{ from: '2026-05-01', to: '2026-04-30T24:00:00' }, '/to', 'must be an ISO 8601 time or date'],
    [{ from: '2026-05-01', to: 'never' }, '/to', 'must be an ISO 8601 time or date'],
    [{ from: '1969-12-31' }, '/from', 'must be an ISO 8601 time or date'],
    [{ from: '1969-12-31T23:59:59Z' }, '/from', 'must be an ISO 8601 time or date'],
    [{ from: '2026-13-01T00:00:00Z' }, '/from', 'must be an ISO 8601 time or date'],
    [{ from: '2026-5-1' }, '/from', 'must be an ISO 8601 time or date'],
    [{ from: '2026-05-01T00:00:00Z', to: '2026-05-01T00:00:00Z' }, '/to', 'must be after from'],
    [{ from: '2026-05-15' }, '/to', 'must be after from'],
    [{ from: '2025-01-01', to: '2026-02-05T00:00:00.001Z' }, '/from', 'must be at most 400 days before to'],
  ])('says what is wrong with %j', (query, field, reason) => {
    expect(fault(query)).toMatchObject({ fields: [{ field, reason }] });
  });

  it('has the sums of its parts, kind by kind, as the answer gives them', () => {
    const some = (n: number): Sums => ({
      costNano: n * 1_000_000_000,
      requests: 2 * n,
      inputTokens: 3 * n,
      outputTokens: 5 * n,
      cachedInputTokens: 7 * n,
      beyondEstimate: 11 * n,
    });
    expect(addUsageSums(some(2), some(3))).toEqual(some(5));
    expect(addUsageSums(noSums(), some(3))).toEqual(some(3));
    expect(sumsWire(some(2))).toEqual({
      cost_usd: 2,
      requests: 4,
      input_tokens: 6,
      output_tokens: 10,
      cached_input_tokens: 14,
      beyond_estimate: 22,
    });
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
    expect(csvHeader()).toBe(
      'created_at,id,kind,user_id,agent_id,model,tool,conversation_id,run_id,request_id,input_tokens,cached_input_tokens,cache_write_tokens,output_tokens,reasoning_tokens,cost_usd,provider_cost_usd,estimated,beyond_estimate\r\n',
    );
    const other = {
      ...row,
      user_id: 'u\n2',
      tool: 'x',
      reported_nano: 1_500_000_000,
      estimated: 0,
      beyond_estimate: 0,
    };
    expect(csvLines([other, other])).toBe(
      `1970-01-01T00:00:00.000Z,l1,tool,"u\n2",,,x,'@x,'-1,'+1,1,3,4,2,5,0.000000001,1.500000000,false,false\r\n`.repeat(
        2,
      ),
    );
    expect(csvLines([])).toBe('');
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

it('an alert as an event goes to its person alone, or to those who see the whole tenant', () => {
  const alert = {
    type: 'cost.alert',
    tenantId: 't',
    scope: 'user',
    subject: 'u',
    period: 'day',
    level: 'warning',
    thresholdPercent: 75,
    limitNano: 2e9,
    usedNano: 1.5e9,
    reservedNano: 0.25e9,
    resetsAt: 0,
  } as unknown as Parameters<typeof alertEvent>[0];
  expect(alertEvent(alert)).toEqual({
    type: 'cost.alert',
    tenantId: 't',
    userId: 'u',
    reach: 'own',
    permission: 'costs:read',
    data: {
      scope: 'user',
      subject: 'u',
      period: 'day',
      alert_level: 'warning',
      threshold_percent: 75,
      limit_usd: 2,
      used_usd: 1.5,
      reserved_usd: 0.25,
      resets_at: '1970-01-01T00:00:00.000Z',
      message: '75 % of the limit of the user for this day is used',
    },
  });
  for (const scope of ['tenant', 'agent'] as const) expect(alertEvent({ ...alert, scope }).userId).toBeNull();
});
