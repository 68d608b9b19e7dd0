import type { Queryable } from '../../db/db.ts';
import { isStoreUnavailable, storeUnavailable } from '../../db/faults.ts';
import type { MessageRow } from '../../db/tables/chat.ts';
import { together } from '../../db/together.ts';
import type { Clock } from '../../kernel/clock.ts';
import { AppError, isErrorCode } from '../../kernel/errors.ts';
import type { EventOutbox, NewEvent, PlatformEvent } from '../../kernel/events.ts';
import { newId } from '../../kernel/ids.ts';
import { nanoToUsd } from '../../kernel/money.ts';
import { isTainted, type Taint } from '../../kernel/taint.ts';
import { brokenReason, INTERRUPTED } from '../conversations/index.ts';
import { citationsOf } from './citations.rules.ts';
import type { RunResult } from './execute.ts';
import { packJournal, type RunEvent } from './journal.rules.ts';
import type { RunCosts } from './ports.ts';
import type { RunEvents } from './run-events.ts';
import type { ChatResponse, RunStatus } from './schema.ts';
import type { StartedRun } from './start.ts';
import {
  type ChatStore,
  finishConversation,
  finishRun,
  insertMessage,
  RunLost,
  replaceAnswer,
  setRunWaiting,
} from './store.ts';
import { untilStored } from './until-stored.ts';
import { type AnswerMetadata, chatResponseOf } from './wire.ts';

/** Writing the end of a run, or what stands when it has to wait, in one transaction. */
export type StopReason = 'cancelled' | 'shutdown';

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

export const statusOf = (result: RunResult, stopped: StopReason | null): RunStatus => {
  if (result.finishReason === 'cost_exceeded') return 'cost_exceeded';
  if (result.finishReason === 'cancelled') return stopped === 'shutdown' ? 'failed' : 'cancelled';
  if (result.error !== null) return 'failed';
  return result.finishReason === 'awaiting_approval' ? 'awaiting_approval' : 'completed';
};

/**
 * A run that met a limit after its first model call has cost money and may have acted: what it has is its answer, handed
 * out and kept for the same Idempotency-Key, even where it is no word. A refusal would have a client do it all again.
 */
export const metLimitHalfWay = ({ finishReason, state }: RunResult): boolean =>
  finishReason === 'cost_exceeded' && state.modelCalls > 0;

/** Whose end is told. */
export interface EndedRun {
  runId: string;
  messageId: string;
  conversationId: string;
  subject: { tenantId: string; userId: string; requestId: string | null };
}

export const createEnding = ({
  store,
  costs,
  clock,
  outbox,
}: {
  store: ChatStore;
  costs: RunCosts;
  clock: Clock;
  /** Where webhooks are kept in step with what is stored; without it events are only published. */
  outbox?: EventOutbox<Queryable>;
}) => {
  const record = (tx: Queryable, event: NewEvent): Promise<PlatformEvent> =>
    outbox?.record(tx, event) ?? Promise.resolve({ ...event, id: newId(), createdAt: clock.now() });

  /** What is told of a stored answer. */
  const endEvents = (run: EndedRun, row: MessageRow, response: ChatResponse, taint: Taint): NewEvent[] => {
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

  const answerRow = (run: StartedRun, result: RunResult, status: RunStatus, now: number): MessageRow => {
    const { state } = result;
    const items = [...state.toolCalls, ...state.settled.map((call) => call.item)];
    const metadata: AnswerMetadata = {
      model: result.model.id,
      built_in: result.model.provider === 'builtin',
      finish_reason: status === 'failed' ? brokenReason(result.error) : result.finishReason,
      proposals: state.proposals,
      ...(status === 'failed' ? { failed: true } : {}),
    };
    const citations = citationsOf(state.content, state.passages);
    return {
      id: run.messageId,
      tenant_id: run.subject.tenantId,
      user_id: run.subject.userId,
      conversation_id: run.conversationId,
      role: 'assistant',
      content: state.content,
      agent_id: run.plan.agent.definition.id,
      tool_calls: items.length === 0 ? null : JSON.stringify(items),
      citations: citations.length === 0 ? null : JSON.stringify(citations),
      usage: JSON.stringify(state.usage),
      metadata: JSON.stringify(metadata),
      cost_nano: state.costNano,
      run_id: run.runId,
      created_at: Math.max(now, run.askedAt + 1),
    };
  };

  return {
    record,
    endEvents,

    /** The stored answer, and the events that its transaction has recorded: to be published now. */
    async write(
      run: StartedRun,
      result: RunResult,
      status: RunStatus,
      events: RunEvents,
    ): Promise<{ response: ChatResponse; recorded: PlatformEvent[] }> {
      const now = clock.now();
      const { state, open } = result;
      const row = answerRow(run, result, status, now);
      const response = chatResponseOf(row);
      const waits = status === 'awaiting_approval';
      const workers = [...new Set([run.plan.agent.definition.id, ...state.work.map((one) => one.agentId)])];
      // A failed run that said nothing leaves the question alone: an empty answer would only confuse the history.
      const answers = status !== 'failed' || state.content.trim() !== '';
      const ending: RunEvent[] = waits
        ? []
        : result.error === null
          ? [{ event: 'message.completed', data: null }]
          : [{ event: 'error', data: errorData(result.error) }];
      const completes =
        !waits && answers && status !== 'failed' && (result.error === null || metLimitHalfWay(result));
      let told: PlatformEvent[] = [];
      const write = async (tx: Queryable): Promise<void> => {
        // The run's row first: what follows is written by the one node whose run it is.
        const node = { node_id: store.nodeId };
        const keeping = waits
          ? setRunWaiting(tx, {
              ...node,
              id: run.runId,
              status,
              agent_ids: JSON.stringify(workers),
              usage: row.usage,
              cost_nano: state.costNano,
            })
          : finishRun(tx, {
              ...node,
              id: run.runId,
              status,
              agent_ids: JSON.stringify(workers),
              delegated: state.work.length === 0 ? null : JSON.stringify(state.work),
              usage: row.usage,
              cost_nano: state.costNano,
              error: result.error === null ? null : JSON.stringify(errorData(result.error)),
              journal: JSON.stringify(packJournal([...events.all(), ...ending], events.jumps())),
              tool_call_count: state.toolCalls.length,
              first_token_ms: state.firstTokenMs,
              finished_at: now,
            });
        const ends = completes ? endEvents(run, row, response, state.taint) : [];
        const [kept, recorded] = await together(
          keeping,
          together(...ends.map((event) => record(tx, event))),
          run.stored.answered ? replaceAnswer(tx, row) : answers ? insertMessage(tx, row) : null,
          finishConversation(tx, {
            id: run.conversationId,
            added_messages: answers && !run.stored.answered ? 1 : 0,
            added_cost: state.costNano - run.stored.costNano,
            agent_ids: JSON.stringify([...new Set([...run.plan.record.agentIds, ...workers])]),
            title: run.plan.record.title,
            now,
          }),
          open.hold === null ? null : costs.settle(tx, open.hold, open.entries),
        );
        // Nothing of it stands then: it is all one transaction.
        if (kept === 0) throw new RunLost();
        told = recorded;
      };
      await untilStored(async (again) => {
        // The answer to an earlier try may have been lost on the way, and not the try.
        if (again && !waits && (await store.endedHere(run.runId))) return;
        await store.write(write, { repeatable: true });
      });
      run.stored = { answered: run.stored.answered || answers, costNano: state.costNano };
      return { response, recorded: told };
    },
  };
};

export type Ending = ReturnType<typeof createEnding>;
