import { describe, expect, it } from 'vitest';
import { numberAt, packJournal, RESUME_JUMP, type RunEvent } from './journal.rules.ts';
import { type PlanStep, readSteps, replaySteps, type SettledCall } from './steps.rules.ts';

/** A run is read back from its rows as it was when the last of them was written (contract, section 5). */

const usage = (n: number) => ({
  input_tokens: n,
  output_tokens: 2 * n,
  cached_input_tokens: 3 * n,
  reasoning_tokens: 4 * n,
});
const passage = { n: 1, documentId: 'd', chunkId: 'c', title: 'Lamps', page: null, text: 'Red.', score: 1 };
const plan = (more: Partial<PlanStep> = {}) => ({
  kind: 'plan',
  payload: JSON.stringify({
    v: 1,
    messages: [{ role: 'user', content: 'Which lamp?' }],
    passages: [passage],
    spent: null,
    taint: [],
    ...more,
  }),
});
const asks = (...ids: string[]) => ids.map((id) => ({ id, name: 'read', arguments: '{}' }));
const told = (text: string): RunEvent => ({ event: 'message.delta', agentId: 'zeus', text });
const model = (content: string, more: Record<string, unknown> = {}) => ({
  kind: 'model',
  payload: JSON.stringify({
    v: 1,
    content,
    toolCalls: [],
    usage: { inputTokens: 1, outputTokens: 2, cachedInputTokens: 3, cacheWriteTokens: 0, reasoningTokens: 4 },
    costNano: 10,
    modelId: 'compatible/test',
    firstTokenMs: 5,
    journal: packJournal([told(content)]),
    text: content,
    ...more,
  }),
});
const call = (callId: string, more: Partial<SettledCall> = {}): SettledCall => ({
  callId,
  name: 'read',
  item: { id: callId, name: 'read', status: 'completed' } as SettledCall['item'],
  text: `result of ${callId}`,
  passages: [],
  costNano: 0,
  proposalId: null,
  taint: [],
  ...more,
});
const tools = (calls: SettledCall[], nextEvent?: number) => ({
  kind: 'tools',
  payload: JSON.stringify({ v: 1, calls, nextEvent }),
});
const decided = (one: SettledCall, within?: string[]) => ({
  kind: 'decided',
  payload: JSON.stringify({ v: 1, call: one, within }),
});
const replay = (...rows: { kind: string; payload: string }[]) => replaySteps(readSteps(rows));
const partial = { kind: 'partial', payload: JSON.stringify({ v: 1, text: 'half' }) };

describe('a run that is read back', () => {
  it('needs its plan first: without one nothing is known of it', () => {
    expect(replay()).toBeNull();
    expect(replay(model('Red.'), plan())).toBeNull();
  });

  it('begins with what it was started with', () => {
    const spent = { costNano: 7, usage: usage(3) };
    const run = replay(plan({ spent }));
    expect(run?.plan.spent).toEqual(spent);
    expect(run?.state).toMatchObject({
      messages: [{ role: 'user', content: 'Which lamp?' }],
      passages: [passage],
      content: '',
      lastText: '',
      costNano: 7,
      usage: usage(3),
      asked: null,
      nextStep: 1,
      modelCalls: 0,
      firstTokenMs: null,
      proposals: [],
    });
    expect(run?.state).not.toHaveProperty('repaired');
    expect(run?.events).toEqual([]);
    // No number that a reader may have seen is given again.
    expect(run?.jumps).toEqual([{ at: 0, n: 1 + RESUME_JUMP }]);
  });

  it('has an answer that asks for tools, and has not told the model their results', () => {
    const asked = model('I look.', { toolCalls: asks('a', 'b') });
    const run = replay(plan(), asked, tools([call('a', { costNano: 3 })]));
    expect(run?.state).toMatchObject({
      messages: [{ role: 'user' }],
      content: 'I look.',
      lastText: 'I look.',
      asked: asks('a', 'b'),
      costNano: 13,
      modelCalls: 1,
      firstTokenMs: 5,
      toolCalls: [],
      nextStep: 3,
    });
    expect(run?.state).not.toHaveProperty('repaired');
    expect(run?.state.settled.map(({ callId }) => callId)).toEqual(['a']);
    expect(run?.events).toEqual([
      told('I look.'),
      { event: 'tool.completed', data: { id: 'a', name: 'read', status: 'completed' } },
    ]);
  });

  it('has told the results of an answer before the next one, once', () => {
    const run = replay(
      plan(),
      model('I look.', { toolCalls: asks('a') }),
      tools([call('a')]),
      model('Red.', {
        text: 'I look.Red.',
        firstTokenMs: 9,
        journal: packJournal([told('I look.'), told('Red.')]),
      }),
    );
    expect(run?.state.messages).toEqual([
      { role: 'user', content: 'Which lamp?' },
      { role: 'assistant', content: 'I look.', toolCalls: asks('a') },
      { role: 'tool', toolCallId: 'a', name: 'read', content: 'result of a' },
    ]);
    expect(run?.state).toMatchObject({
      content: 'I look.Red.',
      lastText: 'Red.',
      asked: [],
      settled: [],
      modelCalls: 2,
      costNano: 20,
      firstTokenMs: 5,
      usage: { input_tokens: 2, output_tokens: 4, cached_input_tokens: 6, reasoning_tokens: 8 },
    });
    expect(run?.state.toolCalls.map(({ id }) => id)).toEqual(['a']);
    expect(run?.events).toEqual([told('I look.'), told('Red.')]);
    expect(run?.jumps).toEqual([{ at: 2, n: 3 + RESUME_JUMP }]);
  });

  it('numbers the ends of calls as they were told, behind events that are lost', () => {
    const waits = call('b', { proposalId: 'p' });
    const asked = model('', { toolCalls: asks('a', 'b'), journal: packJournal([told('x')]), text: 'x' });
    const run = replay(plan(), asked, tools([call('a'), waits], 6));
    expect(run?.events.map(({ event }) => event)).toEqual(['message.delta', 'tool.completed']);
    // Event 1, three that are lost, event 5; the next would have been 6.
    expect(run?.events.map((_, at) => numberAt(at, run.jumps))).toEqual([1, 5]);
    expect(run?.jumps.at(-1)).toEqual({ at: 2, n: 6 + RESUME_JUMP });
    expect(run?.state.proposals).toEqual(['p']);
    // Where nothing has ended, or an earlier release has not said it, no number jumps.
    expect(replay(plan(), asked, tools([waits], 6))?.jumps).toEqual([{ at: 1, n: 2 + RESUME_JUMP }]);
    expect(replay(plan(), asked, tools([call('a')]))?.jumps).toEqual([{ at: 2, n: 3 + RESUME_JUMP }]);
  });

  it('has the outcome of a call that waited in its place', () => {
    const waits = call('a', { proposalId: 'p', costNano: 4 });
    const run = replay(
      plan(),
      model('', { toolCalls: asks('a', 'b') }),
      tools([waits, call('b')]),
      decided(call('a', { text: 'done', costNano: 6 })),
    );
    expect(run?.state.settled.map(({ callId, text, proposalId }) => [callId, text, proposalId])).toEqual([
      ['a', 'done', null],
      ['b', 'result of b', null],
    ]);
    expect(run?.state).toMatchObject({ costNano: 16, proposals: ['p'], nextStep: 4 });
  });

  it('notes a proposal that the outcome waits for in turn', () => {
    const run = replay(
      plan(),
      model('', { toolCalls: asks('a') }),
      tools([call('a', { proposalId: 'p1' })]),
      decided(call('a', { proposalId: 'p2' })),
    );
    expect(run?.state.proposals).toEqual(['p1', 'p2']);
  });

  it('passes over the outcome of a call that it does not know', () => {
    const run = replay(plan(), model('', { toolCalls: asks('a') }), tools([call('a')]));
    const other = replay(
      plan(),
      model('', { toolCalls: asks('a') }),
      tools([call('a')]),
      decided(call('x', { costNano: 3 }), ['nowhere']),
    );
    expect(other?.state).toEqual({ ...run?.state, nextStep: 4 });
    const unknown = replay(plan(), tools([call('a')]), decided(call('x')));
    expect(unknown?.state.settled.map(({ callId }) => callId)).toEqual(['a']);
  });

  it('passes over rows of other kinds, such as the text of a call that was cut off', () => {
    const run = replay(plan(), model('I look.', { toolCalls: asks('a') }), partial);
    expect(run?.state).toMatchObject({ content: 'I look.', asked: asks('a'), modelCalls: 1, settled: [] });
    expect(replay(plan(), partial, tools([call('a')]))?.state.settled).toHaveLength(1);
  });
});
