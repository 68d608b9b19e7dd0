import type { JobKind } from '../../jobs/index.ts';
import { ATTEMPT_DELAYS_MS } from './rules.ts';

/** Runs one due slot of a task. */
export interface RunPayload {
  v: 1;
  task_run_id: string;
}

export const runKind: JobKind<RunPayload> = {
  name: 'task.run',
  parse: (stored) => {
    if (
      typeof stored === 'object' &&
      stored !== null &&
      'v' in stored &&
      stored.v === 1 &&
      'task_run_id' in stored &&
      typeof stored.task_run_id === 'string'
    ) {
      return { v: 1, task_run_id: stored.task_run_id };
    }
    throw new Error('not a task.run payload of a known version');
  },
  retryDelaysMs: ATTEMPT_DELAYS_MS,
  leaseMs: 30_000,
};
