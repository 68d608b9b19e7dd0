import { describe, expect, it } from 'vitest';
import type { LedgerRow } from '../../db/tables/costs.ts';
import { alertEvent } from './alert-event.ts';
import { csvHeader, csvLines, decimalUsd } from './csv.ts';
import { alertLevel, forecastNano, leastRoom, roomOf } from './rules.ts';
import type { CostAlert } from './types.ts';
import { addUsageSums, byDate, noSums, sumsWire, usagePeriod } from './usage.rules.ts';

const sums = (n: number) => ({
  costNano: 1_000_000_000 * n,
  requests: 2 * n,
  inputTokens: 3 * n,
  outputTokens: 4 * n,
  cachedInputTokens: 5 * n,
  beyondEstimate: 6 * n,
});

describe('sums of usage', () => {
  it('add up in every figure, and are told in dollars', () => {
    expect(addUsageSums(sums(1), sums(2))).toEqual(sums(3));
    expect(addUsageSums(noSums(), sums(2))).toEqual(sums(2));
    expect(sumsWire(sums(1))).toEqual({
      cost_usd: 1,
      requests: 2,
      input_tokens: 3,
      output_tokens: 4,
      cached_input_tokens: 5,
      beyond_estimate: 6,
    });
  });

  it('of days come in the order of the days', () => {
    const day = (date: string, n: number) => ({ start: Date.parse(`${date}T12:00:00Z`), sums: sums(n) });
    const days = byDate([day('2026-03-02', 1), day('2026-03-01', 2), day('2026-03-02', 3)], 'UTC');
    expect([...days]).toEqual([
      ['2026-03-01', sums(2)],
      ['2026-03-02', sums(4)],
    ]);
  });

  it('are asked for within bounds: times after 1970, and an end behind the begin, at most 400 days', () => {
    const now = Date.parse('2026-03-02T00:00:00Z');
    const period = (from?: string, to?: string) => usagePeriod({ from, to }, 'UTC', now);
    expect(period('2026-03-01').span.end).toBe(now);
    expect(period('1970-01-01T00:00:00Z', '1970-01-02T00:00:00Z').span.start).toBe(0);
    for (const time of [
      '1969-12-31T23:59:59Z',
      '2026-02-30',
      '2026-13-01T00:00:00Z',
      '2026-03-01T00:00',
      '1969-01-01',
    ]) {
      expect(() => period(time), time).toThrow();
    }
    expect(() => period('2026-03-01T00:00:00Z', '2026-03-01T00:00:00Z')).toThrow();
    expect(period('2025-01-26T00:00:00Z', '2026-03-02T00:00:00Z').name).toBe('custom');
    expect(() => period('2025-01-25T23:59:59Z', '2026-03-02T00:00:00Z')).toThrow();
    expect(() => usagePeriod({ period: 'day', to: '2026-03-02' }, 'UTC', now)).toThrow();
  });
});

describe('limits', () => {
  it('have a level for each threshold, and none for others', () => {
    expect([0, 50, 75, 90, 100, 7].map(alertLevel)).toEqual([
      'none',
      'info',
      'warning',
      'critical',
      'exceeded',
      'none',
    ]);
  });

  it('leave the least of their rooms, never less than nothing', () => {
    expect(roomOf({ limitNano: null, usedNano: 5, reservedNano: 5 })).toBeNull();
    expect(roomOf({ limitNano: 10, usedNano: 5, reservedNano: 3 })).toBe(2);
    expect(roomOf({ limitNano: 10, usedNano: 15, reservedNano: 3 })).toBe(0);
    expect(leastRoom([null, 7, 3, null, 5])).toBe(3);
    expect(leastRoom([null, null])).toBeNull();
  });

  it('are forecast in a line, from a hundredth of the period on', () => {
    const period = { start: 1_000, end: 2_000 };
    expect(forecastNano(100, period, 1_009)).toBeNull();
    expect(forecastNano(100, period, 1_010)).toBe(10_000);
    expect(forecastNano(100, period, 1_500)).toBe(200);
    expect(forecastNano(100, period, 2_000)).toBe(100);
    expect(forecastNano(Number.MAX_SAFE_INTEGER, period, 1_010)).toBeNull();
  });

  it('alert the user that they are about, or those who see the tenant', () => {
    const alert = {
      type: 'cost.threshold',
      tenantId: 't',
      scope: 'user',
      subject: 'u',
      period: 'day',
      level: 'warning',
      thresholdPercent: 75,
      limitNano: 10_000_000_000,
      usedNano: 8_000_000_000,
      reservedNano: 0,
      resetsAt: 0,
    } as unknown as CostAlert;
    expect(alertEvent(alert)).toMatchObject({
      userId: 'u',
      permission: 'costs:read',
      data: {
        alert_level: 'warning',
        limit_usd: 10,
        used_usd: 8,
        message: '75 % of the limit of the user for this day is used',
      },
    });
    expect(alertEvent({ ...alert, scope: 'tenant' }).userId).toBeNull();
    const refused = alertEvent({ ...alert, thresholdPercent: null }).data as { message: string };
    expect(refused.message).toBe(
      'A call was refused: the limit of the user for this day left no room for it (8 of 10 USD used, 0 reserved)',
    );
  });
});

describe('the ledger as CSV', () => {
  const row = {
    created_at: 0,
    id: 'i',
    kind: 'model',
    user_id: 'u',
    agent_id: 'zeus',
    model: '=formula',
    tool: 'say "hi", now',
    conversation_id: null,
    run_id: 'r',
    request_id: 'q',
    input_tokens: 1,
    cached_input_tokens: 2,
    cache_write_tokens: 3,
    output_tokens: -4,
    reasoning_tokens: 5,
    cost_nano: 1_500_000_000,
    reported_nano: null,
    estimated: 1,
    beyond_estimate: 0,
  } as unknown as LedgerRow;

  it('has a column for each field, exact amounts, and nothing that a spreadsheet would run', () => {
    expect(csvHeader()).toBe(
      'created_at,id,kind,user_id,agent_id,model,tool,conversation_id,run_id,request_id,input_tokens,cached_input_tokens,cache_write_tokens,output_tokens,reasoning_tokens,cost_usd,provider_cost_usd,estimated,beyond_estimate\r\n',
    );
    expect(csvLines([row, { ...row, estimated: 0, beyond_estimate: 1, reported_nano: 1 }])).toBe(
      '1970-01-01T00:00:00.000Z,i,model,u,zeus,\'=formula,"say ""hi"", now",,r,q,1,2,3,-4,5,1.500000000,,true,false\r\n' +
        '1970-01-01T00:00:00.000Z,i,model,u,zeus,\'=formula,"say ""hi"", now",,r,q,1,2,3,-4,5,1.500000000,0.000000001,false,true\r\n',
    );
    expect(decimalUsd(12_345_678_901)).toBe('12.345678901');
  });
});
