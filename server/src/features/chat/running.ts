import type { Tx } from '../../db/db.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { RunProposals } from '../../kernel/decisions.ts';
import { AppError } from '../../kernel/errors.ts';
import type { EventSink } from '../../kernel/events.ts';
import { type LogFields, logFields, withLogFields } from '../../kernel/log-fields.ts';
import { addNano } from '../../kernel/money.ts';
import { isTainted } from '../../kernel/taint.ts';
import type { ToolContext } from '../../kernel/tools.ts';
import type { ActiveRun } from './active-run.ts';
import {
  errorData,
  failedEvent,
  faultOf,
  interrupted,
  metLimitHalfWay,
  runEvent,
  statusOf,
} from './ending.ts';
import { packJournal, type RunEvent } from './journal.rules.ts';
import { bookLeft, storeBroken } from './partials.ts';
import type { RunMemory } from './ports.ts';
import { carryOut } from './run/pipeline.ts';
import type { RunDeps, RunLoop, StartDeps, StartedRun } from './run/run.ts';
import { storeAnswer } from './run/steps/store-answer.ts';
import type { RunEvents } from './run-events.ts';
import type { createRunHooks } from './run-hooks.ts';
import { outcomeOf, type RunReport } from './run-report.rules.ts';
import { inStep, spanOf, tellEndInSpan } from './run-span.ts';
import type { ChatResponse, RunStatus } from './schema.ts';
import { RunLost } from './store.ts';
import { temporaryRun } from './temporary.ts';
import { untilStored } from './until-stored.ts';
import { addUsage } from './usage.rules.ts';

interface RunningOptions extends Omit<RunDeps, 'store'>, Pick<StartDeps, 'store'> {
  memory: Pick<RunMemory, 'observe'>;
  runProposals: Pick<RunProposals, 'withdrawOf'>;
  events: EventSink;
  onEnded?(report: RunReport): void;
  onError(error: unknown, message: string): void;
}

type StopReason = NonNullable<Parameters<typeof statusOf>[1]>;

const idsOf = (run: StartedRun) => ({
  runId: run.runId,
  requestId: run.subject.requestId,
  agentId: run.plan.agent.definition.id,
});

/**
 * A run that has ended well may have left a question too: of a helper that met its time limit, or was lost with its process, while
 * one of its calls waited.
 */
const mayHaveAsked = ({ state }: StartedRun, status: RunStatus): boolean =>
  state.modelCalls > 0 && (status !== 'completed' || state.toolCalls.length > 0);
/** For its lines in the log; the client's address is known where its request has just been made. */
const logFieldsOf = ({ runId, conversationId, subject }: StartedRun): LogFields => {
  const asking = logFields();
  return {
    ...(asking?.client !== undefined && asking.request_id === subject.requestId
      ? { client: asking.client }
      : {}),
    ...(subject.requestId === null ? {} : { request_id: subject.requestId }),
    tenant_id: subject.tenantId,
    user_id: subject.userId,
    run_id: runId,
    conversation_id: conversationId,
  };
};

/** The runs that go on in this process: each is carried out, stored and told of, and can be stopped. */
export const createRunning = (options: RunningOptions, hooksOf: ReturnType<typeof createRunHooks>) => {
  const { store, clock } = options;
  const active = new Map<string, ActiveRun>();
  const stopReasons = new WeakMap<AbortController, StopReason>();

  const publish = (
    run: Parameters<typeof runEvent>[0],
    type: Parameters<typeof runEvent>[1],
    data: Record<string, unknown>,
  ): void => options.events.publish(runEvent(run, type, data));

  const tellEnd = (report: RunReport): void => {
    options.onEnded?.(report);
    if (report.error !== null) report.error.logged = true;
  };

  /** Nobody has to decide about a run that has ended, whichever of its calls, of whichever agent, has asked. */
  const withdraw = ({ runId, subject }: StartedRun): Promise<void> =>
    options.runProposals
      .withdrawOf({ tenantId: subject.tenantId, userId: subject.userId, type: 'person' }, runId)
      .catch((error: unknown) =>
        options.onError(error, 'proposals of a run that has ended could not be withdrawn'),
      );

  /** Runs to its end and stores it, whatever becomes of the connection. */
  const execute = async (
    caller: Caller,
    run: StartedRun,
    events: RunEvents,
    abort: AbortController,
    hooks: RunLoop['hooks'],
  ): Promise<ChatResponse> => {
    const context: ToolContext = {
      caller,
      agentId: run.subject.agentId,
      conversationId: run.conversationId,
      runId: run.runId,
      requestId: run.subject.requestId ?? '',
      signal: abort.signal,
      tainted: isTainted(run.state.taint),
      ...(run.temporary ? { temporary: true } : {}),
    };
    const capTokens = run.plan.record.sampling?.maxOutputTokens;
    const deps = capTokens === undefined ? options : { ...options, maxOutputTokens: capTokens };
    const result = await carryOut(deps, { ...run, context, events, hooks });
    const stopped = stopReasons.get(abort) ?? null;
    if (stopped === 'shutdown' && result.finishReason === 'cancelled') result.error = interrupted();
    const status = statusOf(result, stopped);
    tellEndInSpan(spanOf(run), result, status);
    const response = await inStep('store answer', () => storeAnswer(options, run, result, status, events));
    if (mayHaveAsked(run, status)) await withdraw(run);
    const { error } = result;
    tellEnd({ ...idsOf(run), model: result.model.id, outcome: outcomeOf(status, error), error });
    if (error !== null) {
      events.emit('error', errorData(error));
      if (!metLimitHalfWay(result)) {
        options.events.publish(failedEvent(run, error));
        throw error;
      }
    } else events.emit('message.completed', response);
    const ids = { message_id: run.messageId, agent_id: response.agent_id };
    publish(run, 'run.completed', ids);
    const { question } = run.plan;
    if (!run.plan.record.continues && !run.temporary)
      options.memory.observe({
        caller,
        conversationId: run.conversationId,
        messageId: run.questionId,
        text: question,
      });
    return response;
  };

  /** What a person has read stays, and what the run has used is told. */
  const keepBroken = async (tx: Tx, run: StartedRun, error: AppError) => {
    const { state, plan, subject } = run;
    const left = await bookLeft(options, tx, run.runId);
    const usage = left.calls.reduce((sum, one) => addUsage(sum, one.usage), state.usage);
    const costNano = addNano(state.costNano, left.costNano);
    const agentId = plan.agent.definition.id;
    await storeBroken(tx, {
      run: {
        id: run.runId,
        tenant_id: subject.tenantId,
        user_id: subject.userId,
        conversation_id: run.conversationId,
        message_id: run.messageId,
        question_id: run.questionId,
        agent_id: agentId,
      },
      content: state.content,
      model: plan.model,
      error,
      usage,
      costNano,
      title: plan.record.title,
      agentIds: [...new Set([...plan.record.agentIds, agentId])],
      now: clock.now(),
    });
    return { usage: JSON.stringify(usage), cost_nano: costNano };
  };

  /** A fault of our own: the run must not stay "running" for ever. */
  const endBadly = async (run: StartedRun, events: RunEvents, error: unknown): Promise<never> => {
    // Whoever has the run now tells its end; readers here are sent there.
    if (error instanceof RunLost)
      throw new AppError('SERVICE_UNAVAILABLE', 'another node goes on with this run', { retryAfterS: 1 });
    if (error instanceof AppError && events.all().at(-1)?.event === 'error') throw error;
    const fault = faultOf(error);
    tellEnd({ ...idsOf(run), model: run.plan.model.id, outcome: outcomeOf('failed', fault), error: fault });
    const told = events.all().filter((event) => event.event !== 'message.delta');
    const end: RunEvent = { event: 'error', data: errorData(fault) };
    // The text is not kept; the end stands under the number under which it is told.
    const jumps = [{ at: told.length, n: events.next() }];
    const journal = JSON.stringify(packJournal([...told, end], jumps));
    const storeEnd = () =>
      store.interrupt(
        { id: run.runId, status: run.stored.status },
        { error: JSON.stringify(errorData(fault)), journal, now: clock.now() },
        (tx) => keepBroken(tx, run, fault),
      );
    if (run.temporary) run.stored.status = 'failed';
    else
      await untilStored(storeEnd).catch((inner: unknown) => {
        options.onError(inner, 'a failed run could not be stored');
      });
    await withdraw(run);
    events.emit('error', { code: fault.code, message: fault.message, details: {} });
    throw fault;
  };

  /** Lets a stored run go; from here on it needs nobody. */
  const begin = (
    caller: Caller,
    started: StartedRun,
    events: RunEvents,
    abort: AbortController,
    leave: () => void,
  ): ActiveRun => {
    const turn = { leave };
    let told: (response: ChatResponse) => void = () => {};
    const waits = new Promise<ChatResponse>((resolve) => {
      told = resolve;
    });
    const hooks = hooksOf(started, events, abort, turn, told);
    const span = spanOf(started);
    const going = (): Promise<ChatResponse> =>
      execute(caller, started, events, abort, hooks).catch((error: unknown) => {
        span.fail(error);
        return endBadly(started, events, error);
      });
    const done = withLogFields(logFieldsOf(started), () => span.within(going)).finally(() => {
      span.end();
      active.delete(started.runId);
      events.end();
      turn.leave();
    });
    // The one who waits for the run handles its error; nobody may be waiting.
    done.catch(() => {});
    const run: ActiveRun = {
      runId: started.runId,
      conversationId: started.conversationId,
      messageId: started.messageId,
      agentId: started.plan.agent.definition.id,
      events,
      abort,
      done,
      waits,
      spending: started.plan.spending,
      temporary: started.temporary ? temporaryRun(started, clock) : null,
    };
    active.set(run.runId, run);
    return run;
  };

  const stop = (run: ActiveRun, reason: StopReason): void => {
    stopReasons.set(run.abort, reason);
    run.abort.abort(new DOMException(reason, 'AbortError'));
  };

  return { active, stopReasons, publish, tellEnd, begin, stop };
};
