import type { ChatEvent, ChatResponse, ToolCall } from 'pentarch-sdk';
import { describe, expect, it } from 'vitest';
import { applyEvent, emptyTurn, linkMarkers, markersOf, type Turn } from './thread.ts';

const call: ToolCall = {
  id: 'c1',
  agent_id: 'zeus',
  server: 'pentarch',
  name: 'search',
  arguments: {},
  status: 'completed',
  result: null,
  error: null,
  duration_ms: 0,
  cost_usd: 0,
};
const answer: ChatResponse = {
  id: 'm',
  conversation_id: 'c',
  parent_id: 'q',
  content: 'Grüße 👋 there',
  agent_id: 'zeus',
  tool_calls: [],
  cost_usd: 0,
  run_id: 'r',
  finish_reason: 'stop',
  usage: { input_tokens: 1, output_tokens: 1, cached_input_tokens: 0, reasoning_tokens: 0 },
  citations: [],
  proposals: [],
  metadata: {},
  created_at: '2026-01-01T00:00:00.000Z',
};
const delta = (n: number, content: string): ChatEvent => ({
  id: `r:${n}`,
  event: 'message.delta',
  data: { agent_id: 'zeus', content },
});
const EVENTS: readonly ChatEvent[] = [
  { id: 'r:1', event: 'run.started', data: { run_id: 'r', conversation_id: 'c', message_id: 'm' } },
  {
    id: 'r:2',
    event: 'agent.selected',
    data: { agent_id: 'zeus', reason: 'asked', confidence: 1, candidates: [] },
  },
  delta(3, 'Grüße '),
  { id: 'r:4', event: 'tool.started', data: call },
  { id: 'r:5', event: 'tool.completed', data: { ...call, result: 'found' } },
  delta(6, '👋 '),
  delta(7, 'there'),
  { id: 'r:8', event: 'message.completed', data: answer },
];
const play = (events: readonly ChatEvent[], from: Turn = emptyTurn): Turn => events.reduce(applyEvent, from);

/** Small and repeatable; only the property counts, not the quality of its numbers. */
const randomOf = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % below;
  };
};

describe('the thread', () => {
  it('is made from the events of a run', () => {
    expect(play(EVENTS.slice(0, 7))).toMatchObject({
      runId: 'r',
      text: 'Grüße 👋 there',
      agents: [{ agentId: 'zeus', reason: 'asked' }],
      tools: [{ running: false, call: { result: 'found' } }],
      answer: null,
      seen: 7,
    });
  });
  it('is the same however often the connection broke and whatever came again', () => {
    const whole = play(EVENTS);
    for (let seed = 1; seed <= 300; seed++) {
      const random = randomOf(seed);
      let turn = emptyTurn;
      while (turn.seen < EVENTS.length) {
        // A new reader begins anywhere up to what has been seen, and is cut anywhere.
        const begin = random(turn.seen + 1);
        const end = Math.max(begin, random(EVENTS.length + 1));
        turn = play(EVENTS.slice(begin, end), turn);
      }
      expect(turn).toEqual(whole);
    }
  });
});

describe('markers of citations', () => {
  it('are numbered by first use, and left alone in code', () => {
    const text = 'First [3], then [1] and [3]. `a[2]`\n```\nb[4]\n```';
    expect(markersOf(text)).toEqual([3, 1]);
    expect(linkMarkers(text, 2)).toBe(
      'First [\\[3\\]](#cite-0), then [\\[1\\]](#cite-1) and [\\[3\\]](#cite-0). `a[2]`\n```\nb[4]\n```',
    );
  });
  it('without a citation stay as they are', () => {
    expect(linkMarkers('See [7] and [8](https://example.com).', 0)).toBe(
      'See [7] and [8](https://example.com).',
    );
  });
});
