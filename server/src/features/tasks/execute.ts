import type { Db } from '../../db/db.ts';
import { type JobContext, type JobHandler, RetryLater } from '../../jobs/index.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { AppError } from '../../kernel/errors.ts';
import { nanoToUsd } from '../../kernel/money.ts';
import { orAborted } from '../../kernel/races.ts';
import type { CallerFor } from '../../kernel/stored-credential.ts';
import { followEarlier } from './earlier-run.ts';
import type { RunPayload } from './jobs.ts';
import type { ChatOutcome, TaskChat } from './ports.ts';
import { createProgress } from './progress.ts';
import { isActiveRun, isPermanent, taskCredential } from './rules.ts';
import type { RunCounts, RunLedger, TaskRunEnd } from './runs.ts';
import { createRunStops } from './stops.ts';
import { runById, type TaskRow, type TaskRunRow, taskById, updateRun } from './store.ts';
import { runStatusOf } from './wire.ts';

/** Does one due slot: an agent works on the task's description, and what comes of it is written down. */
export interface ExecuteOptions {
  db: Db;
  clock: Clock;
  chat: TaskChat;
  callerOf: CallerFor;
  ledger: RunLedger;
  onError(error: unknown, message: string): void;
}

/** The owner as they are now, held to what the credential that made the task was allowed. */
export const taskCaller = (callerOf: CallerFor, task: TaskRow): Promise<Caller | null> =>
  callerOf(task.tenant_id, task.user_id, taskCredential(task));

/** Why nothing is done for a task that has no caller any more. */
export const NO_CALLER =
  'the account that owns this task is not active, or the key that made it was deleted: make the task anew';

export const taskRunEndOf = (
  run: TaskRunRow,
  runId: string,
  conversationId: string,
  outcome: ChatOutcome,
): TaskRunEnd => {
  const { costNano } = outcome;
  if (outcome.finishReason === 'cancelled') return { status: 'cancelled', costNano };
  if (outcome.finishReason === 'cost_exceeded') {
    return {
      status: 'failed',
      error: { code: 'COST_EXCEEDED', message: 'the cost limit was reached during the run' },
      costNano,
    };
  }
  return {
    status: 'completed',
    result: {
      content: outcome.content,
      run_id: runId,
      conversation_id: conversationId,
      message_id: outcome.messageId,
      cost_usd: nanoToUsd(run.cost_nano + costNano),
    },
    costNano,
  };
};

const runIdsOf = (row: TaskRunRow): string[] => {
  const ids: unknown = JSON.parse(row.run_ids);
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
};

const asAppError = (error: unknown): AppError =>
  error instanceof AppError
    ? error
    : new AppError('INTERNAL_ERROR', 'the run failed inside', { cause: error });

export const createExecutor = (options: ExecuteOptions) => {
  const { db, clock, chat, ledger } = options;
  const followProgress = createProgress(options);
  const { onCancel, stop } = createRunStops(options);

  const startNew = async (
    caller: Caller,
    task: TaskRow,
    row: TaskRunRow,
    signal: AbortSignal,
  ): Promise<{ runId: string; outcome: ChatOutcome; counted: RunCounts | null }> => {
    const given: Record<string, unknown> = task.context === null ? {} : JSON.parse(task.context);
    const run = await chat.start(
      caller,
      {
        message: task.description,
        context: { ...given, ...(task.agent_id === null ? {} : { agent_id: task.agent_id }) },
      },
      {
        tainted: task.tainted === 1,
        // With the run's first row: what it does in its first moment is known as this task's.
        accepted: async (tx, runId) => {
          await updateRun(tx, row.id, { run_ids: JSON.stringify([...runIdsOf(row), runId]) });
        },
      },
    );
    const cancel = (): void => {
      chat.cancel(caller, run.runId).catch((error: unknown) => options.onError(error, 'a run did not stop'));
    };
    const { stop: unfollow, counted } = followProgress(task, run);
    const unwatch = onCancel(row.id, cancel);
    try {
      await db.write((tx) => updateRun(tx, row.id, { conversation_id: run.conversationId }));
      return { runId: run.runId, outcome: await orAborted(run.done, signal), counted };
    } finally {
      unwatch();
      unfollow();
    }
  };

  const attempt = async (task: TaskRow, row: TaskRunRow, context: JobContext): Promise<void> => {
    const caller = await taskCaller(options.callerOf, task);
    if (caller === null) throw new AppError('FORBIDDEN', NO_CALLER);
    if (!caller.permissions.has('chat:write')) {
      throw new AppError('FORBIDDEN', 'the owner of this task may not start runs');
    }
    const of = { taskId: task.id, runId: row.id };
    const begun = await ledger.step(of, {
      run: {
        status: 'running',
        attempts: context.attempt,
        started_at: row.started_at ?? clock.now(),
        error: null,
      },
      task: { status: 'running', attempts: context.attempt },
    });
    // Cancelled since it was loaded.
    if (!begun) return ledger.end(of, { status: 'cancelled', costNano: 0 });
    const earlierId = runIdsOf(row).at(-1);
    const unwatch =
      earlierId === undefined
        ? () => {}
        : onCancel(row.id, () => {
            chat
              .cancel(caller, earlierId)
              .catch((error: unknown) => options.onError(error, 'a run did not stop'));
          });
    let earlier: ChatOutcome | null;
    try {
      earlier = earlierId === undefined ? null : await followEarlier(chat, caller, earlierId, context.signal);
    } finally {
      unwatch();
    }
    const { runId, outcome, counted } =
      earlier !== null && earlierId !== undefined
        ? { runId: earlierId, outcome: earlier, counted: null }
        : await startNew(caller, task, row, context.signal);
    const latest = (await runById(db.read, row.id)) ?? row;
    if (outcome.finishReason === 'awaiting_approval') {
      const waits = await ledger.step(of, {
        run: { status: 'awaiting_approval', cost_nano: latest.cost_nano + outcome.costNano },
        task: { status: 'awaiting_approval' },
      });
      if (waits) return;
      // Cancelled, or deleted, while it began to wait: its approval must not make it go on.
      await chat.cancel(caller, runId);
      return ledger.end(of, { status: 'cancelled', costNano: outcome.costNano });
    }
    await ledger.end(of, taskRunEndOf(latest, runId, latest.conversation_id ?? '', outcome), counted);
  };

  const load = async (payload: RunPayload): Promise<{ task: TaskRow; row: TaskRunRow } | null> => {
    const row = await runById(db.read, payload.task_run_id);
    const task = row === undefined ? undefined : await taskById(db.read, row.task_id);
    return row === undefined || task === undefined ? null : { task, row };
  };

  const handler: JobHandler<RunPayload> = {
    async run(payload, context) {
      const found = await load(payload);
      // Deleted, ended, or waiting for an approval since an earlier attempt that could not report.
      if (found === null || !isActiveRun(runStatusOf(found.row))) return;
      if (runStatusOf(found.row) === 'awaiting_approval') return;
      const { task, row } = found;
      const of = { taskId: task.id, runId: row.id };
      if (row.cancel_requested === 1) return ledger.end(of, { status: 'cancelled', costNano: 0 });
      try {
        await attempt(task, row, context);
      } catch (thrown) {
        // This process stops, or lost the job: whoever has it next goes on.
        if (context.signal.aborted) throw thrown;
        const error = asAppError(thrown);
        if (!(thrown instanceof AppError)) options.onError(thrown, 'a task run failed');
        const now = await load(payload);
        if (now === null) return;
        const failure = { code: error.code, message: error.message };
        if (now.row.cancel_requested === 1) {
          return ledger.end(of, { status: 'cancelled', costNano: 0 });
        }
        if (context.lastAttempt || isPermanent(error.code)) {
          return ledger.end(of, { status: 'failed', error: failure, costNano: 0 });
        }
        const again = await ledger.step(of, {
          run: { status: 'queued', attempts: context.attempt, error: JSON.stringify(failure) },
          task: { status: 'queued', attempts: context.attempt, error: JSON.stringify(failure) },
        });
        if (!again) return ledger.end(of, { status: 'cancelled', costNano: 0 });
        throw new RetryLater(error.message, (error.retryAfterS ?? 0) * 1000);
      }
    },
    /** Only when processes died under it until no attempt was left. */
    async dead(payload, error) {
      const found = await load(payload);
      if (found === null || !isActiveRun(runStatusOf(found.row))) return;
      await ledger.end(
        { taskId: found.task.id, runId: found.row.id },
        {
          status: 'failed',
          error: { code: 'INTERNAL_ERROR', message: error.message },
          costNano: 0,
        },
      );
    },
  };

  return { handler, stop };
};

export type Executor = ReturnType<typeof createExecutor>;
