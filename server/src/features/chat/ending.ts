import { isStoreUnavailable, storeUnavailable } from '../../db/faults.ts';
import type { MessageRow } from '../../db/tables/chat.ts';
import { AppError, isErrorCode } from '../../kernel/errors.ts';
import type { NewEvent } from '../../kernel/events.ts';
import { nanoToUsd } from '../../kernel/money.ts';
import { isTainted, type Taint } from '../../kernel/taint.ts';
import { INTERRUPTED } from '../conversations/index.ts';
import type { RunLoop } from './run/run.ts';
import type { eventOfRest } from './run-state.rules.ts';
import type { ChatResponse } from './schema.ts';

/** The ends of a run: why it was stopped, which fault is told of it, and what others are told (`run/steps/store-answer.ts` writes it). */
type StopReason = 'cancelled' | 'shutdown';

export const interrupted = (): AppError =>
  new AppError('SERVICE_UNAVAILABLE', 'the run was interrupted by a restart of the server; ask again', {
    details: { ...INTERRUPTED },
    retryAfterS: 5,
  });

/** A message that waits while its process ends: it is stored, and whoever goes on with the conversation answers it. */
export const keptForLater = (runId: string): AppError =>
  new AppError('SERVICE_UNAVAILABLE', 'the message is kept and will be answered after the restart', {
    details: { run_id: runId },
    retryAfterS: 5,
  });

export const errorData = (error: AppError) => ({
  code: error.code,
  message: error.message,
  details: error.details,
});

/** The fault of an ended run, read back from its row. */
export const storedFault = (
  stored: { code: string; message: string; details?: Record<string, unknown> } | null,
  runId: string,
): AppError => {
  if (stored === null || !isErrorCode(stored.code)) return new AppError('INTERNAL_ERROR', 'the run failed');
  const wait = stored.details?.retry_after_s;
  return new AppError(stored.code, stored.message, {
    details: { ...stored.details, run_id: runId },
    ...(stored.code === 'SERVICE_UNAVAILABLE' ? { retryAfterS: 5 } : {}),
    ...(typeof wait === 'number' ? { retryAfterS: wait } : {}),
  });
};

/** A run's fault as it is told and stored. */
export const faultOf = (error: unknown): AppError => {
  if (error instanceof AppError) return error;
  if (isStoreUnavailable(error)) return storeUnavailable(error);
  return new AppError('INTERNAL_ERROR', 'the run failed inside', { cause: error });
};

export const statusOf = (
  result: RunLoop['result'],
  stopped: StopReason | null,
): Parameters<typeof eventOfRest>[0] => {
  if (result.finishReason === 'cost_exceeded') return 'cost_exceeded';
  if (result.finishReason === 'cancelled') return stopped === 'shutdown' ? 'failed' : 'cancelled';
  if (result.error !== null) return 'failed';
  return result.finishReason === 'awaiting_approval' ? 'awaiting_approval' : 'completed';
};

/**
 * A run that met a limit after its first model call has cost money and may have acted: what it has is its answer, handed
 * out and kept for the same Idempotency-Key, even where it is no word. A refusal would have a client do it all again.
 */
export const metLimitHalfWay = ({ finishReason, state }: RunLoop['result']): boolean =>
  finishReason === 'cost_exceeded' && state.modelCalls > 0;

/** Whose end is told. */
interface EndedRun {
  runId: string;
  messageId: string;
  conversationId: string;
  subject: { tenantId: string; userId: string; requestId: string | null };
}

/** What is told of the run itself, beside its answer. */
export const runEvent = <T extends 'run.started' | 'run.completed' | 'run.failed'>(
  run: Omit<EndedRun, 'messageId'>,
  type: T,
  data: Record<string, unknown>,
): NewEvent & { type: T } => ({
  tenantId: run.subject.tenantId,
  userId: run.subject.userId,
  reach: 'own',
  permission: 'conversations:read',
  type,
  data: { conversation_id: run.conversationId, run_id: run.runId, ...data },
  requestId: run.subject.requestId,
});

export const failedEvent = (run: Omit<EndedRun, 'messageId'>, { code, message }: AppError) =>
  runEvent(run, 'run.failed', { error: { code, message } });

/** What is told of a stored answer. */
export const endEvents = (
  run: EndedRun,
  row: Pick<MessageRow, 'agent_id' | 'cost_nano'>,
  response: ChatResponse,
  taint: Taint,
): NewEvent[] => {
  const tainted = isTainted(taint);
  const base = {
    tenantId: run.subject.tenantId,
    userId: run.subject.userId,
    reach: 'own' as const,
    permission: 'conversations:read',
    requestId: run.subject.requestId,
  };
  const ids = {
    conversation_id: run.conversationId,
    run_id: run.runId,
    message_id: run.messageId,
    agent_id: row.agent_id,
  };
  return [
    { ...base, type: 'message.created', data: { ...response, role: 'assistant', tainted } },
    {
      ...base,
      type: 'conversation.completed',
      data: { ...ids, total_cost: nanoToUsd(row.cost_nano), tainted },
    },
  ];
};
