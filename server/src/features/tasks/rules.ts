import type { TaskRow } from '../../db/tables/tasks.ts';
import type { Caller } from '../../kernel/caller.ts';
import { narrowedTo, readCredential, type StoredCredential } from '../../kernel/stored-credential.ts';
import type { Missed, Overlap, Priority, TaskRunStatus, TaskStatus } from './schema.ts';

/**
 * The state machines of tasks.
 *
 * A run (one due slot):
 *   queued → running → completed | failed | cancelled
 *            running → queued              a failed attempt with attempts left
 *            running → awaiting_approval → running | completed | failed | cancelled
 *   skipped                                the slot came due while the last run went on
 *
 * A task:
 *   once:  scheduled → queued → running ⇄ awaiting_approval → completed | failed | cancelled
 *   cron:  scheduled → (as its run) → scheduled → …; cancelled ends it
 *   retry: failed | cancelled → queued
 */
export const ACTIVE_RUN_STATUSES = ['queued', 'running', 'awaiting_approval'] as const;

export const isActiveRun = (status: TaskRunStatus): boolean =>
  ACTIVE_RUN_STATUSES.some((active) => active === status);

export const isFinalTask = (status: TaskStatus): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';

/** Status of a task after its run has ended: one by cron waits for the next slot. */
export const taskStatusAfter = (
  run: 'completed' | 'failed' | 'cancelled',
  nextRunAt: number | null,
): TaskStatus => (nextRunAt === null ? run : 'scheduled');

/** Three attempts (contract, section 11). */
export const ATTEMPT_DELAYS_MS: readonly number[] = [30_000, 120_000];

/** How late a slot may be before it counts as missed. */
export const LATE_AFTER_MS = 60_000;

export const MAX_QUEUED_SLOTS = 10;

export const PRIORITY_RANK: Readonly<Record<Priority, number>> = {
  low: -10,
  normal: 0,
  high: 10,
  urgent: 20,
};

/**
 * What is to be done at `now` about a task that has been due since `dueAt`. `latest`: the newest slot up to now (`dueAt`
 * itself for a task that runs once); `next`: the first slot after now.
 */
export const decideSlot = (input: {
  recurring: boolean;
  latest: number;
  now: number;
  missed: Missed;
}): { run: boolean } => {
  if (!input.recurring) return { run: true };
  const late = input.now - input.latest > LATE_AFTER_MS;
  return { run: !late || input.missed === 'run_once' };
};

/** A slot that comes due while `active` runs of the task have not ended, `waiting` of them queued behind. */
export const decideOverlap = (input: {
  overlap: Overlap;
  active: number;
  waiting: number;
}): 'start' | 'wait' | 'skip' => {
  if (input.active === 0) return 'start';
  if (input.overlap === 'skip' || input.waiting >= MAX_QUEUED_SLOTS) return 'skip';
  return 'wait';
};

/** Errors that a further attempt cannot mend. */
const PERMANENT: ReadonlySet<string> = new Set([
  'BAD_REQUEST',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'NOT_FOUND',
  'VALIDATION_ERROR',
  'COST_EXCEEDED',
  'CONFLICT',
  'PAYLOAD_TOO_LARGE',
]);

export const isPermanent = (code: string): boolean => PERMANENT.has(code);

type OfCredential = Pick<TaskRow, 'credential' | 'permissions'>;
type Changed = OfCredential & Pick<TaskRow, 'user_id'>;

/** What made the task. Of a row of an earlier release the permissions alone are known. */
export const taskCredential = (task: OfCredential): StoredCredential =>
  readCredential(task.credential) ?? {
    v: 1,
    kind: 'jwt',
    keyId: null,
    whole: false,
    permissions: JSON.parse(task.permissions) as string[],
    added: [],
  };

/** After a change of what the task does (`narrowedTo`). */
export const changedBy = (task: Changed, caller: Caller): OfCredential => {
  const both = narrowedTo(taskCredential(task), caller, task.user_id);
  return { credential: JSON.stringify(both), permissions: JSON.stringify(both.permissions) };
};
