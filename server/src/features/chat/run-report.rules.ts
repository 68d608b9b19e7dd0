import type { AppError } from '../../kernel/errors.ts';
import type { RunStatus } from './schema.ts';

/** The end of a run as operators see it: in metrics and in the log. Nothing of it is a person's content. */
export interface RunReport {
  runId: string;
  requestId: string | null;
  agentId: string | null;
  model: string | null;
  outcome: RunOutcome;
  /** Why it failed; null where it did not. */
  error: AppError | null;
}

/**
 * completed | cancelled (by its person) | cost_exceeded | model_failed (the provider) | interrupted (a restart, a lost node, the
 * store) | refused (what it needs is gone or not allowed any more) | failed (a fault of ours)
 */
type RunOutcome =
  | 'completed'
  | 'cancelled'
  | 'cost_exceeded'
  | 'model_failed'
  | 'interrupted'
  | 'refused'
  | 'failed';

export const outcomeOf = (status: RunStatus, error: AppError | null): RunOutcome => {
  if (status === 'cancelled' || status === 'cost_exceeded') return status;
  if (error === null) return status === 'failed' ? 'failed' : 'completed';
  if (error.details.provider !== undefined) return 'model_failed';
  if (error.code === 'SERVICE_UNAVAILABLE') return 'interrupted';
  return error.status < 500 ? 'refused' : 'failed';
};
