import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  firstAfter,
  frameOf,
  type Jump,
  jumpsOf,
  lastSeen,
  numberAt,
  packJournal,
  type RunEvent,
  unpackJournal,
} from './journal.rules.ts';

const delta = fc.record({
  event: fc.constant('message.delta' as const),
  agentId: fc.constantFrom('zeus', 'athena'),
  text: fc.string({ unit: 'binary' }),
});
const tool = fc.record({ event: fc.constant('tool.started' as const), data: fc.jsonValue() });

describe('run journal', () => {
  it('comes out of its packed form as it went in', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(delta, tool)), (middle) => {
        const completed = { content: 'x' };
        const events: RunEvent[] = [...middle, { event: 'message.completed', data: completed }];
        const content = middle.map((e) => (e.event === 'message.delta' ? e.text : '')).join('');
        const stored: unknown = JSON.parse(JSON.stringify(packJournal(events)));
        expect(unpackJournal(stored as ReturnType<typeof packJournal>, content, completed)).toEqual(
          JSON.parse(JSON.stringify(events)),
        );
      }),
    );
  });

  it('keeps each frame’s data on one line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const lines = frameOf('r', 1, { event: 'message.delta', agentId: 'zeus', text }).split('\n');
        expect(lines).toHaveLength(5);
        expect(JSON.parse(String(lines[2]).slice(6))).toEqual({ agent_id: 'zeus', content: text });
      }),
    );
  });

  it('reads Last-Event-ID of the same run only', () => {
    expect(lastSeen('r1', 'r1:7')).toBe(7);
    expect(lastSeen('r1', 'r2:7')).toBe(0);
    expect(lastSeen('r1', 'r1:-1')).toBe(0);
    expect(lastSeen('r1', undefined)).toBe(0);
  });

  it('keeps where its numbers jump, and finds what comes after any number', () => {
    const steps = fc.array(fc.record({ event: fc.oneof(delta, tool), skip: fc.nat({ max: 3 }) }));
    fc.assert(
      fc.property(steps, fc.nat({ max: 60 }), (made, seen) => {
        const jumps: Jump[] = [];
        const numbers: number[] = [];
        for (const [at, { skip }] of made.entries()) {
          const n = (numbers.at(-1) ?? 0) + 1 + skip;
          if (skip > 0) jumps.push({ at, n });
          numbers.push(n);
        }
        const packed = packJournal(
          made.map(({ event }) => event),
          jumps,
        );
        expect(jumpsOf(packed)).toEqual(jumps);
        expect(made.map((_, i) => numberAt(i, jumps))).toEqual(numbers);
        const rest = numbers.slice(firstAfter(seen, made.length, jumps));
        expect(rest).toEqual(numbers.filter((n) => n > seen));
      }),
    );
  });
});
