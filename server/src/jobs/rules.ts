/** What becomes of a job whose handler failed; the same for both engines. */
export type FailureOutcome = { state: 'dead' } | { state: 'queued'; delayMs: number };

/**
 * `attempt` counts from 1 and is the one that failed. `askedDelayMs`: a wait that the failure itself asks for, never
 * shorter than the schedule's.
 */
export const afterFailure = (
  attempt: number,
  retryDelaysMs: readonly number[],
  failure: { permanent: boolean; askedDelayMs: number | null },
): FailureOutcome => {
  const scheduled = retryDelaysMs[attempt - 1];
  if (failure.permanent || scheduled === undefined) return { state: 'dead' };
  return { state: 'queued', delayMs: Math.max(scheduled, failure.askedDelayMs ?? 0) };
};

/** Whether the job has no further attempt after this one. */
export const isLastAttempt = (attempt: number, retryDelaysMs: readonly number[]): boolean =>
  attempt > retryDelaysMs.length;

const MAX_ERROR_CHARACTERS = 2_000;

export const errorText = (error: unknown): string =>
  (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, MAX_ERROR_CHARACTERS);

/** How long an aborted handler may take to leave off before the process goes on without it. */
export const ABORT_GRACE_MS = 5_000;
