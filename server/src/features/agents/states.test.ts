import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { NewEvent, PlatformEvent } from '../../kernel/events.ts';
import { type AgentStates, createAgentStates } from './states.ts';

type State = 'idle' | 'busy' | 'degraded' | 'disabled';

describe(req('AGENT-01', 'states of agents'), () => {
  let states: AgentStates;
  let now: Record<string, State>;
  let published: NewEvent[];
  let looks: number;

  const event = (type: string, tenantId = 't1'): PlatformEvent => ({
    id: 'e',
    type,
    tenantId,
    userId: 'ann',
    reach: 'own',
    permission: 'conversations:read',
    data: {},
    createdAt: 0,
  });
  const told = (): string[] =>
    published.map((e) => `${e.data.agent_id} ${e.data.previous_state} → ${e.data.state}`);

  beforeEach(() => {
    vi.useFakeTimers();
    now = { zeus: 'idle', athena: 'idle' };
    published = [];
    looks = 0;
    states = createAgentStates({
      clock: { now: () => Date.now() },
      emit: async (e) => published.push(e),
      list: async () => {
        looks += 1;
        return Object.entries(now).map(([id, state]) => ({ id, name: id, state }));
      },
      onError: (error) => {
        throw error;
      },
    });
  });
  afterEach(() => {
    states.close();
    vi.useRealTimers();
  });

  it('are told when a run takes long, and when it has ended', async () => {
    now.athena = 'busy';
    states.onEvent(event('run.started'));
    await vi.advanceTimersByTimeAsync(300);
    expect(published).toMatchObject([
      {
        type: 'agent.state_changed',
        tenantId: 't1',
        reach: 'tenant',
        permission: 'agents:read',
        data: { agent_id: 'athena', name: 'athena', state: 'busy', previous_state: 'idle' },
      },
    ]);
    now.athena = 'idle';
    states.onEvent(event('run.completed'));
    await vi.advanceTimersByTimeAsync(2_000);
    expect(told()).toEqual(['athena idle → busy', 'athena busy → idle']);
  });

  it('are not told of answers that take a moment', async () => {
    for (let i = 0; i < 100; i++) {
      states.onEvent(event('run.started'));
      states.onEvent(event('run.completed'));
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(published).toEqual([]);
    expect(looks).toBeLessThanOrEqual(11);
  });

  it('are told under traffic that never ceases', async () => {
    now.zeus = 'busy';
    for (let i = 0; i < 30; i++) {
      states.onEvent(event('run.started'));
      await vi.advanceTimersByTimeAsync(50);
    }
    expect(told()).toEqual(['zeus idle → busy']);
  });

  it('are told when an agent is switched off, and on', async () => {
    await states.prime('t1');
    now.zeus = 'disabled';
    states.changed('t1');
    await vi.advanceTimersByTimeAsync(1_500);
    await states.prime('t1');
    now.zeus = 'idle';
    states.changed('t1');
    await vi.advanceTimersByTimeAsync(1_500);
    expect(told()).toEqual(['zeus idle → disabled', 'zeus disabled → idle']);
  });

  it('are found back at rest without any event', async () => {
    now.zeus = 'degraded';
    states.onEvent(event('run.failed'));
    await vi.advanceTimersByTimeAsync(300);
    now.zeus = 'idle';
    await vi.advanceTimersByTimeAsync(6_000);
    expect(told()).toEqual(['zeus idle → degraded', 'zeus degraded → idle']);
  });

  it('are not told again by the node that heard of them from another', async () => {
    await states.prime('t1');
    now.athena = 'busy';
    states.onEvent({
      ...event('agent.state_changed'),
      data: { agent_id: 'athena', state: 'busy', previous_state: 'idle' },
    });
    states.onEvent(event('run.started'));
    await vi.advanceTimersByTimeAsync(300);
    expect(published).toEqual([]);
  });
});
