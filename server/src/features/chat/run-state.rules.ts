import type { RunStatus } from './schema.ts';

/**
 * The state machine of a run.
 *
 *   queued → running (its conversation's turn has come; without others before it a run begins as running)
 *   queued → cancelled | failed | cost_exceeded (taken back, or refused when its turn came)
 *   running → completed | failed | cancelled | cost_exceeded
 *   running → awaiting_approval → running | cancelled | failed
 *
 * A finished run never changes; one that a crash interrupted ends as failed at the next start.
 */
const NEXT: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  queued: ['running', 'failed', 'cancelled', 'cost_exceeded'],
  running: ['awaiting_approval', 'completed', 'failed', 'cancelled', 'cost_exceeded'],
  awaiting_approval: ['running', 'completed', 'failed', 'cancelled', 'cost_exceeded'],
  completed: [],
  failed: [],
  cancelled: [],
  cost_exceeded: [],
};

export const isFinished = (status: RunStatus): boolean => NEXT[status].length === 0;

export const canBecome = (from: RunStatus, to: RunStatus): boolean => NEXT[from].includes(to);
