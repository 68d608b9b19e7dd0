import type { RunStatus } from './schema.ts';

/** What happens to a run. Each event has one state that it leads to. */
export type RunTurn = 'begin' | 'wait' | 'resume' | 'complete' | 'fail' | 'cancel' | 'exceed';

/**
 * The state machine of a run, state × event → state; ARCHITECTURE.md draws it. Every change of a run's state in the store
 * goes by it (`moveRun` in run-state.store.ts).
 *
 * A run is made `queued`, or `running` where no message is before it. A wait and a resume may be written twice, since the
 * answer to the first write can be lost; a run that is taken up after a restart waits again where it waited.
 */
const TABLE: Readonly<Record<RunStatus, Partial<Record<RunTurn, RunStatus>>>> = {
  queued: { begin: 'running', fail: 'failed', cancel: 'cancelled', exceed: 'cost_exceeded' },
  running: {
    wait: 'awaiting_approval',
    resume: 'running',
    complete: 'completed',
    fail: 'failed',
    cancel: 'cancelled',
    exceed: 'cost_exceeded',
  },
  awaiting_approval: { wait: 'awaiting_approval', resume: 'running', fail: 'failed', cancel: 'cancelled' },
  completed: {},
  failed: {},
  cancelled: {},
  cost_exceeded: {},
};

const STATES = Object.keys(TABLE) as RunStatus[];

/** A fault of the code: the state machine has no such transition. */
export class NoTransition extends Error {
  constructor(from: RunStatus, event: RunTurn) {
    super(`a run that is ${from} has no transition "${event}"`);
    this.name = 'NoTransition';
  }
}

/** Where the event leads to. Throws `NoTransition`. */
export const nextState = (from: RunStatus, event: RunTurn): RunStatus => {
  const to = TABLE[from][event];
  if (to === undefined) throw new NoTransition(from, event);
  return to;
};

/** The states in which the event may happen. */
export const statesBefore = (event: RunTurn): readonly RunStatus[] =>
  STATES.filter((from) => TABLE[from][event] !== undefined);

/** A finished run never changes. */
export const isFinished = (status: RunStatus): boolean => Object.keys(TABLE[status]).length === 0;

const ENDS = {
  awaiting_approval: 'wait',
  completed: 'complete',
  failed: 'fail',
  cancelled: 'cancel',
  cost_exceeded: 'exceed',
} as const;

/** How a run comes to rest in the state: what is written of it is its answer. */
type RestingStatus = keyof typeof ENDS;
export const eventOfRest = (status: RestingStatus): RunTurn => ENDS[status];
