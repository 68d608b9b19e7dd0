import { type JobKind, tenantIn } from '../../jobs/index.ts';
import { ATTEMPT_DELAYS_MS } from './rules.ts';

/** Runs one due slot of a task. */
export interface RunPayload {
  v: 1;
  task_run_id: string;
  /** Null in payloads of before it was named. */
  tenant_id: string | null;
  /** Of who made the task, for its trace. */
  traceparent?: string;
}

export const runKind: JobKind<RunPayload> = {
  name: 'task.run',
  version: 1,
  parse: (stored) => {
    if (
      typeof stored === 'object' &&
      stored !== null &&
      'v' in stored &&
      stored.v === 1 &&
      'task_run_id' in stored &&
      typeof stored.task_run_id === 'string'
    ) {
      return { v: 1, task_run_id: stored.task_run_id, tenant_id: tenantIn(stored) };
    }
    throw new Error('not a task.run payload of a known version');
  },
  retryDelaysMs: ATTEMPT_DELAYS_MS,
  tenantOf: (payload) => payload.tenant_id,
  leaseMs: 30_000,
};
