import { AppError } from '../../kernel/errors.ts';
import type { ActiveRun } from './active-run.ts';
import { stillAttached } from './attachments.ts';
import { errorData, faultOf, keptForLater } from './ending.ts';
import { isDelta } from './journal.rules.ts';
import { type createConversationQueue, inTurn } from './queue.ts';
import { startRun } from './run/pipeline.ts';
import { noSpending } from './run/plan.ts';
import type { StartDeps } from './run/run.ts';
import { createRunEvents, type RunEvents } from './run-events.ts';
import { outcomeOf } from './run-report.rules.ts';
import { startInSpan } from './run-span.ts';
import type { createRunning } from './running.ts';
import type { ChatResponse, RunStatus } from './schema.ts';
import { RunLost } from './store.ts';
import { untilStored } from './until-stored.ts';
import { type createWaiting, startedEvent } from './waiting.ts';

/** What a message needs on its way to its turn, beside its start. */
export interface LineUpDeps extends StartDeps {
  queue: ReturnType<typeof createConversationQueue>;
  waiting: ReturnType<typeof createWaiting>;
  running: ReturnType<typeof createRunning>;
}

type WaitingMessage = Parameters<LineUpDeps['waiting']['takeBack']>[0];

/**
 * A message that waits for its conversation's turn (`waiting.ts` stores it): a run like any other from its acceptance on, but
 * for its agent and its plan. When its turn comes it begins under the same id, with the same events.
 */
export const createLineUp = (deps: LineUpDeps): ((message: WaitingMessage) => ActiveRun) => {
  const { queue, waiting } = deps;
  const { active, stopReasons, publish, begin } = deps.running;

  const begun = async (
    { run, caller, request, context, how }: WaitingMessage,
    events: RunEvents,
    abort: AbortController,
    turn: { leave(): void },
  ): Promise<ActiveRun> => {
    const { signal } = abort;
    const started = await inTurn(
      turn,
      () => queue.enter(run.conversationId, { place: run.place, signal }),
      async () => {
        signal.throwIfAborted();
        const message = { caller, request, context, ...how, signal, queued: run };
        const begin = async () => {
          const attached = await stillAttached(deps.documents, caller, how.attached);
          return startInSpan(() => startRun(deps, { ...message, attached }), caller);
        };
        return untilStored(begin, signal);
      },
    );
    for (const told of started.events.slice(1)) if (!isDelta(told)) events.emit(told.event, told.data);
    publish(started, 'run.started', {
      agent_id: started.plan.record.choice.agentId,
      question_id: started.questionId,
    });
    return begin(caller, started, events, abort, turn.leave);
  };

  const takenBack = async (message: WaitingMessage, events: RunEvents): Promise<ChatResponse> => {
    const response = await waiting.takeBack(message);
    events.emit('message.completed', response);
    return response;
  };

  const refused = async (message: WaitingMessage, events: RunEvents, error: unknown): Promise<AppError> => {
    const fault = faultOf(error);
    await waiting.refuse(message.run, fault, message);
    events.emit('error', errorData(fault));
    return fault;
  };

  /** A run that has not begun, and will not: taken back, refused, or left to whoever has it next. */
  const ended = async (
    message: WaitingMessage,
    events: RunEvents,
    abort: AbortController,
    turn: { leave(): void },
    error: unknown,
  ): Promise<ChatResponse> => {
    const { run, caller, how } = message;
    const told = { ...run, subject: { ...caller, requestId: how.requestId } };
    const tellEnd = (agentId: string | null): void =>
      publish(told, 'run.completed', { message_id: run.messageId, agent_id: agentId });
    const report = (status: RunStatus, fault: AppError | null): void => {
      const { agentId, model } = message.context;
      const ids = { runId: run.runId, requestId: how.requestId, agentId, model };
      deps.running.tellEnd({ ...ids, outcome: outcomeOf(status, fault), error: fault });
    };
    try {
      if (stopReasons.get(abort) === 'cancelled') {
        const response = await takenBack(message, events);
        report('cancelled', null);
        tellEnd(response.agent_id);
        return response;
      }
      if (abort.signal.aborted || error instanceof RunLost) throw keptForLater(run.runId);
      const fault = await refused(message, events, error);
      report(fault.code === 'COST_EXCEEDED' ? 'cost_exceeded' : 'failed', fault);
      publish(told, 'run.failed', { error: { code: fault.code, message: fault.message } });
      tellEnd(message.context.agentId);
      throw fault;
    } catch (inner) {
      if (inner instanceof AppError) throw inner;
      if (inner instanceof RunLost) throw keptForLater(run.runId);
      deps.onError(inner, 'the end of a message that had waited could not be stored');
      throw faultOf(inner);
    } finally {
      active.delete(run.runId);
      events.end();
      // Not sooner: the next message has its place behind this one.
      turn.leave();
    }
  };

  return (message) => {
    const { run } = message;
    const events = createRunEvents([startedEvent(run)]);
    const abort = new AbortController();
    const turn = { leave: (): void => {} };
    const going = begun(message, events, abort, turn);
    const done = going.then(
      (begunRun) => begunRun.done,
      (error: unknown) => ended(message, events, abort, turn, error),
    );
    // The one who waits for the run handles its error; nobody may be waiting.
    done.catch(() => {});
    const waits = new Promise<ChatResponse>((resolve) => {
      going.then((begunRun) => begunRun.waits.then(resolve)).catch(() => {});
    });
    const agentId = message.context.agentId ?? 'zeus';
    const lined: ActiveRun = {
      ...run,
      agentId,
      events,
      abort,
      done,
      waits,
      spending: noSpending(),
      temporary: null,
    };
    active.set(run.runId, lined);
    return lined;
  };
};
