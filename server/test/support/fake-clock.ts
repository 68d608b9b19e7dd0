import type { Clock } from '../../src/kernel/clock.ts';

/** Time that only the test moves. */
export interface FakeClock extends Clock {
  advance(ms: number): void;
  set(epochMs: number): void;
}

export const createFakeClock = (startMs = Date.parse('2026-03-01T00:00:00Z')): FakeClock => {
  let nowMs = startMs;
  return {
    now: () => nowMs,
    advance: (ms) => {
      nowMs += ms;
    },
    set: (epochMs) => {
      nowMs = epochMs;
    },
  };
};
