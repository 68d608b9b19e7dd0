import { describe, expect, it, vi } from 'vitest';
import { leftCalls, partialRow } from './partials.rules.ts';
import { takenBackBefore } from './queued.rules.ts';
import { createRunEvents } from './run-events.ts';

const row = (id: string, run_id: string, role: 'user' | 'assistant') => ({ id, run_id, role });

describe('messages that were taken back while they waited', () => {
  const queued = [
    row('q1', 'r1', 'user'),
    row('a1', 'r1', 'assistant'),
    row('q2', 'r2', 'user'),
    row('q3', 'r3', 'user'),
    row('a3', 'r3', 'assistant'),
  ];
  const ids = (next: { questionId: string } | null) => takenBackBefore(queued, next).map(({ id }) => id);

  it('are those with an answer that stood before the one whose turn has come', () => {
    expect(ids({ questionId: 'q2' })).toEqual(['q1', 'a1']);
    expect(ids({ questionId: 'q1' })).toEqual([]);
    expect(ids(null)).toEqual(['q1', 'a1', 'q3', 'a3']);
    expect(ids({ questionId: 'elsewhere' })).toEqual(['q1', 'a1', 'q3', 'a3']);
  });
});

describe('events of a run', () => {
  it('are told to whoever follows, from the one after what was seen, and then as they come', () => {
    const events = createRunEvents();
    events.delta('zeus', 'One ');
    events.delta('zeus', 'two');
    const [early, late, ended] = [vi.fn(), vi.fn(), vi.fn()];
    const first = events.next() - 2;
    events.follow(first, early, ended);
    expect(early.mock.calls.map(([event, n]) => [event.text, n])).toEqual([['two', first + 1]]);
    const stop = events.follow(first + 1, late, ended);
    events.emit('message.completed', { a: 1 });
    expect(early).toHaveBeenLastCalledWith({ event: 'message.completed', data: { a: 1 } }, first + 2);
    expect(late).toHaveBeenCalledTimes(1);
    stop();
    expect(events.ended()).toBe(false);
    events.end();
    events.end();
    expect(ended).toHaveBeenCalledTimes(1);
    expect(events.ended()).toBe(true);
    events.delta('zeus', 'too late');
    expect(events.all()).toHaveLength(3);
    events.follow(first + 2, late, ended);
    expect(late).toHaveBeenCalledTimes(1);
    expect(ended).toHaveBeenCalledTimes(2);
  });
});

describe('model calls that nobody has settled', () => {
  const call = {
    own: true,
    model: { provider: 'p', model: 'm' },
    promptTokens: 7,
    before: 4,
    costNano: 0,
    title: 't',
    agentIds: ['zeus'],
  } as unknown as Parameters<typeof partialRow>[1];
  const partial = (kind: string, text: string, of: typeof call = null) => ({
    kind,
    payload: partialRow(text, of),
  });

  it('have all of their text, and what came of it is estimated', () => {
    const left = leftCalls([partial('a', 'Was ', call), partial('b', 'lost'), partial('a', 'said here')]);
    expect(left).toHaveLength(1);
    expect(left[0]).toMatchObject({
      call: { promptTokens: 7 },
      content: 'Was said here',
      usage: { inputTokens: 7, outputTokens: 3, cachedInputTokens: 0, estimated: true },
    });
    expect(JSON.parse(partialRow('x', null))).toEqual({ v: 1, text: 'x' });
  });
});
