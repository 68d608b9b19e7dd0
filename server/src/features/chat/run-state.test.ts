import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  eventOfRest,
  isFinished,
  NoTransition,
  nextState,
  type RunTurn,
  statesBefore,
} from './run-state.rules.ts';
import { RUN_STATUSES, type RunStatus } from './schema.ts';

const EVENTS: readonly RunTurn[] = ['begin', 'wait', 'resume', 'complete', 'fail', 'cancel', 'exceed'];
const tried = (from: RunStatus, event: RunTurn): RunStatus | null => {
  try {
    return nextState(from, event);
  } catch (error) {
    if (error instanceof NoTransition) return null;
    throw error;
  }
};
const events = fc.array(fc.constantFrom(...EVENTS), { maxLength: 30 });
const states = fc.constantFrom(...RUN_STATUSES);

/** `from --event--> to` of every transition that changes the state. */
const moves = RUN_STATUSES.flatMap((from) =>
  EVENTS.flatMap((event) => {
    const to = tried(from, event);
    return to === null || to === from ? [] : [`${from} --${event}--> ${to}`];
  }),
);

describe('the state machine of a run', () => {
  it('lets a message begin, wait, go on and end', () => {
    expect(nextState('queued', 'begin')).toBe('running');
    expect(nextState('running', 'wait')).toBe('awaiting_approval');
    expect(nextState('awaiting_approval', 'resume')).toBe('running');
    expect(nextState('running', 'complete')).toBe('completed');
  });

  it('throws for what the table lacks', () => {
    expect(() => nextState('queued', 'complete')).toThrow(NoTransition);
    expect(() => nextState('awaiting_approval', 'complete')).toThrow(NoTransition);
    const fault = new NoTransition('queued', 'complete');
    expect(String(fault)).toBe('NoTransition: a run that is queued has no transition "complete"');
    expect(() => nextState('awaiting_approval', 'exceed')).toThrow(NoTransition);
    expect(() => nextState('running', 'begin')).toThrow(NoTransition);
  });

  it('leads each event to one state, wherever it happens', () => {
    for (const event of EVENTS) {
      expect(new Set(statesBefore(event).map((from) => nextState(from, event))).size).toBe(1);
    }
  });

  it('can stop a run in every state in which it is not finished', () => {
    for (const state of RUN_STATUSES) {
      expect(tried(state, 'cancel') === null).toBe(isFinished(state));
      expect(tried(state, 'fail') === null).toBe(isFinished(state));
    }
  });

  it('names the event of each rest', () => {
    for (const rest of ['awaiting_approval', 'completed', 'failed', 'cancelled', 'cost_exceeded'] as const)
      expect(nextState('running', eventOfRest(rest))).toBe(rest);
  });

  it('never leaves a finished state, whatever happens', () => {
    fc.assert(
      fc.property(states, events, (first, happening) => {
        let state = first;
        let finished: RunStatus | null = null;
        for (const event of happening) {
          state = tried(state, event) ?? state;
          if (finished !== null) expect(state).toBe(finished);
          if (isFinished(state)) finished = state;
        }
      }),
    );
  });

  it('never queues a run again, and completes none that waits for a decision', () => {
    fc.assert(
      fc.property(states, events, (first, happening) => {
        let state = first;
        for (const event of happening) {
          const next = tried(state, event) ?? state;
          if (next === 'queued') expect(state).toBe('queued');
          if (next === 'completed') expect(['running', 'completed']).toContain(state);
          state = next;
        }
      }),
    );
  });

  it('may repeat a wait and a resume, whose answers can be lost, and no other event', () => {
    for (const event of EVENTS) {
      for (const from of statesBefore(event)) {
        const again = tried(nextState(from, event), event);
        expect(again !== null).toBe(event === 'wait' || event === 'resume');
      }
    }
  });
});

describe('its diagram', () => {
  const root = path.join(import.meta.dirname, '..', '..', '..', '..');

  it('stands in ARCHITECTURE.md as the table has it', () => {
    const page = readFileSync(path.join(root, 'ARCHITECTURE.md'), 'utf8');
    const drawn = [...page.matchAll(/^ {2}(\w+) --(\w+)--> (\w+)$/gm)].map(([line]) => line.trim());
    expect(drawn.sort()).toEqual([...moves].sort());
  });
});
