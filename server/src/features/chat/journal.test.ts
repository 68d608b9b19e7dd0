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
  readJournal,
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

  it('is packed without the answer and its text', () => {
    const delta = (agentId: string, text: string): RunEvent => ({ event: 'message.delta', agentId, text });
    const events: RunEvent[] = [
      { event: 'run.started', data: { a: 1 } },
      delta('zeus', 'ab'),
      delta('zeus', 'c'),
      delta('athena', 'd'),
      { event: 'message.completed', data: { content: 'abcd' } },
    ];
    const jumps = [
      { at: 1, n: 5 },
      { at: 5, n: 20 },
    ];
    expect(packJournal(events, jumps)).toEqual({
      v: 1,
      events: [
        ['e', 'run.started', { a: 1 }],
        ['j', 5],
        ['d', 'zeus', [2, 1]],
        ['d', 'athena', [1]],
        ['c'],
        ['j', 20],
      ],
    });
    expect(jumpsOf(packJournal(events, jumps))).toEqual(jumps);
    expect(unpackJournal(packJournal(events, jumps), 'abcd', 'the answer').map(({ event }) => event)).toEqual(
      events.map(({ event }) => event),
    );
    expect(readJournal(null)).toEqual({ v: 1, events: [] });
    expect(readJournal('{"v":1,"events":[["c"]]}')).toEqual({ v: 1, events: [['c']] });
  });

  it('has frames of events with their data, or the text that is given for it', () => {
    const event: RunEvent = { event: 'run.started', data: { a: 1 } };
    expect(frameOf('r', 3, event)).toBe('id: r:3\nevent: run.started\ndata: {"a":1}\n\n');
    expect(frameOf('r', 3, event, '{"b":2}')).toBe('id: r:3\nevent: run.started\ndata: {"b":2}\n\n');
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
