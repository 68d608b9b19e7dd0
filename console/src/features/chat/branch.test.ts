import type { Message } from 'pentarch-sdk';
import { describe, expect, it } from 'vitest';
import { branchOf, isVersionAt, placeOf } from './branch.ts';

const message = (id: string, parent: string | null, more: Partial<Message> = {}): Message => ({
  id,
  conversation_id: 'c',
  role: 'user',
  content: id,
  agent_id: null,
  tool_calls: [],
  citations: [],
  usage: null,
  metadata: {},
  attachments: [],
  finish_reason: null,
  error: null,
  cost_usd: 0,
  run_id: null,
  created_at: '2026-01-01T00:00:00.000Z',
  parent_id: parent,
  siblings: { index: 0, count: 1 },
  active: true,
  ...more,
});
const CHAIN = [message('q1', null), message('a1', 'q1'), message('q2', 'a1'), message('a2', 'q2')];
const ids = (messages: readonly Message[]): string[] => messages.map((one) => one.id);

describe('the branch of a version that is being written', () => {
  it('ends with the message that it follows', () => {
    expect(ids(branchOf(CHAIN, { runId: 'r', after: 'q1' }))).toEqual(['q1']);
    expect(ids(branchOf(CHAIN, { runId: '', after: 'a1' }))).toEqual(['q1', 'a1']);
    expect(ids(branchOf(CHAIN, { runId: 'r', after: null }))).toEqual([]);
  });
  it('is all that is shown, where no version is asked for', () => {
    expect(branchOf(CHAIN, { runId: 'r' })).toBe(CHAIN);
  });
  it('is the stored one, as soon as something of its run is', () => {
    const edited = [message('q1', null), message('a1', 'q1'), message('q3', 'a1', { run_id: 'r' })];
    expect(ids(branchOf(edited, { runId: 'r', after: 'a1' }))).toEqual(['q1', 'a1', 'q3']);
  });
});

describe('versions', () => {
  it('are found by their place among those that follow the same message', () => {
    const shown = message('a1', 'q1', { siblings: { index: 1, count: 3 } });
    const at = (parent: string | null, index: number, count = 3) =>
      isVersionAt(message('x', parent, { siblings: { index, count } }), shown, 2);
    expect(at('q1', 2)).toBe(true);
    expect(at('q1', 1)).toBe(false);
    expect(at('q2', 2)).toBe(false);
    expect(at('q1', 2, 1)).toBe(false);
  });
  it('share a place of the page; a question that waits has its own', () => {
    expect(placeOf(message('a1', 'q1'), 1)).toBe(placeOf(message('a2', 'q1'), 1));
    expect(placeOf(message('q1', null), 0)).toBe(placeOf(message('q2', null), 0));
    expect(placeOf(message('w', null), 4)).toBe('w');
  });
});
