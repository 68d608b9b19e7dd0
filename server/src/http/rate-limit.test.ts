import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideRate, OVERVIEW_RATES } from './rate-limit.rules.ts';
import { createMemoryRateLog } from './rate-limit.ts';

const on = { counts: true, enforce: true };

describe('rate limits', () => {
  it('never let more through than either limit in any sliding window', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 900 }), { maxLength: 400 }), (gaps) => {
        const log = createMemoryRateLog(1000);
        const numbers = { perMinute: 20, burst: 5 };
        const passed: number[] = [];
        let now = 1_700_000_000_000;
        for (const gap of gaps) {
          now += gap;
          const entry = log.at('u', now);
          const decision = decideRate(entry.window, numbers, now, on);
          const inMinute = passed.filter((t) => t > now - 60_000).length;
          const inSecond = passed.filter((t) => t > now - 1_000).length;
          expect(decision.allowed).toBe(inMinute < 20 && inSecond < 5);
          if (decision.allowed) {
            entry.add();
            passed.push(now);
            expect(decision.remaining).toBe(20 - inMinute - 1);
          }
        }
      }),
    );
  });

  it('says when the oldest counted request leaves the minute', () => {
    const log = createMemoryRateLog(1000);
    log.at('u', 1_000_500).add();
    const decision = decideRate(log.at('u', 1_010_000).window, { perMinute: 2, burst: 9 }, 1_010_000, on);
    expect(decision).toMatchObject({ limit: 2, remaining: 0, reset: 1061 });
  });

  it('refuses with the time to wait', () => {
    const log = createMemoryRateLog(1000);
    for (let i = 0; i < 60; i++) log.at('u', 1_000_000 + i).add();
    const now = 1_030_000;
    expect(decideRate(log.at('u', now).window, OVERVIEW_RATES.free, now, on)).toMatchObject({
      allowed: false,
      remaining: 0,
      retryAfterS: 30,
    });
  });

  it('shows the burst for an unlimited minute', () => {
    const log = createMemoryRateLog(1000);
    log.at('u', 5_000_100).add();
    expect(decideRate(log.at('u', 5_000_200).window, OVERVIEW_RATES.enterprise, 5_000_200, on)).toMatchObject(
      {
        allowed: true,
        limit: 1000,
        remaining: 998,
        reset: 5001,
      },
    );
  });

  it('keeps only what can change a decision', () => {
    const log = createMemoryRateLog(10);
    for (let i = 0; i < 1000; i++) log.at('u', 1_000_000 + i).add();
    expect(log.at('u', 1_001_000).window.inMinute).toBe(10);
  });
});
