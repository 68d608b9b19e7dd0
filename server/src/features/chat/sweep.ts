import { withinTenant } from '../../db/scope.ts';
import type { RunRow } from '../../db/tables/chat.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { RunProposals } from '../../kernel/decisions.ts';
import { AppError } from '../../kernel/errors.ts';
import { errorData } from './ending.ts';
import type { LineUpDeps } from './line-up.ts';
import { breakOff } from './partials.ts';
import { journalOf } from './readings.ts';
import type { StartDeps } from './run/run.ts';
import type { ChatStore } from './store.ts';
import { runOf } from './wire.ts';

/**
 * Runs that the store calls unfinished and this node's, and that nothing here works on: a fault has taken them from their work.
 * Whatever the cause, such a run ends as failed, so that no run is unfinished for ever. Dead nodes' runs are taken over instead
 * (`adopt` in owned-runs.store.ts).
 */
interface SweepDeps extends Pick<StartDeps, 'models' | 'costs'> {
  store: Pick<ChatStore, 'unfinishedHere' | 'interrupt'>;
  waiting: Pick<LineUpDeps['waiting'], 'refuse'>;
  runProposals: Pick<RunProposals, 'withdrawOf'>;
  clock: Clock;
  /** Whether something here works on the run. */
  isGoing(runId: string): boolean;
  onLost(row: RunRow, error: AppError): void;
  onError(error: unknown, message: string): void;
  /** How long nothing must have worked on it: between its row and its work some moments pass. */
  patienceMs: number;
}

export const lostRun = (): AppError =>
  new AppError('SERVICE_UNAVAILABLE', 'the run was lost by a fault of the server; ask again', {
    retryAfterS: 5,
  });

export const createRunSweep = (deps: SweepDeps): (() => Promise<number>) => {
  const { store, clock } = deps;
  /** Run ids, with `performance.now()` of the first look that found nothing at work on them. */
  const suspects = new Map<string, number>();

  const end = async (row: RunRow): Promise<void> => {
    const error = lostRun();
    if (row.status === 'queued') {
      const place = { at: row.created_at, id: row.id };
      const ids = { questionId: row.question_id, messageId: row.message_id };
      await deps.waiting.refuse(
        { runId: row.id, conversationId: row.conversation_id, ...ids, place },
        error,
        null,
      );
    } else {
      const now = clock.now();
      const ended = { error: JSON.stringify(errorData(error)), journal: journalOf(row, error), now };
      await store.interrupt(runOf(row), ended, (tx) => breakOff(deps, tx, row, error, now));
      await deps.runProposals.withdrawOf(
        { tenantId: row.tenant_id, userId: row.user_id, type: 'person' },
        row.id,
      );
    }
    deps.onLost(row, error);
  };

  /** One look; how many runs it has ended. */
  return async () => {
    const rows = (await store.unfinishedHere()).filter((row) => !deps.isGoing(row.id));
    const now = performance.now();
    const found = new Set(rows.map((row) => row.id));
    for (const id of suspects.keys()) if (!found.has(id)) suspects.delete(id);
    let ended = 0;
    for (const row of rows) {
      const since = suspects.get(row.id) ?? now;
      suspects.set(row.id, since);
      if (now - since < deps.patienceMs) continue;
      await withinTenant(row.tenant_id, () => end(row)).then(
        () => {
          ended += 1;
          suspects.delete(row.id);
        },
        (error: unknown) => deps.onError(error, 'a run that was lost could not be ended'),
      );
    }
    return ended;
  };
};
