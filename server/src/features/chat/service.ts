import type { MessageRow } from '../../db/tables/chat.ts';
import { type Caller, ownScope, readScope } from '../../kernel/caller.ts';
import { AppError, conflict, notFound } from '../../kernel/errors.ts';
import type { EventSink } from '../../kernel/events.ts';
import { nanoToUsd } from '../../kernel/money.ts';
import type { ToolContext } from '../../kernel/tools.ts';
import type { RunSample } from '../agents/index.ts';
import { citationsOf } from './citations.rules.ts';
import { executeRun, type RunDeps, type RunResult } from './execute.ts';
import { type PackedJournal, packJournal, type RunEvent, unpackJournal } from './journal.rules.ts';
import type { ConversationQueue } from './queue.ts';
import { createRunEvents, type RunEvents } from './run-events.ts';
import { isFinished } from './run-state.rules.ts';
import type { ChatRequest, ChatResponse, Run, RunStatus } from './schema.ts';
import { createStarter, parseContext, type StartDeps, type StartedRun } from './start.ts';
import { finishConversation, finishRun, insertMessage } from './store.ts';
import { type AnswerMetadata, chatResponseOf, runOf } from './wire.ts';

/** Chat: runs that live apart from the connection that asked for them. */
export interface ChatOptions
  extends StartDeps,
    Omit<RunDeps, 'store' | 'models' | 'costs' | 'clock' | 'maxOutputTokens'> {
  queue: ConversationQueue;
  events: EventSink;
  onError(error: unknown, message: string): void;
}

/** A run going on in this process. */
export interface ActiveRun {
  runId: string;
  userId: string;
  tenantId: string;
  conversationId: string;
  messageId: string;
  agentId: string;
  events: RunEvents;
  abort: AbortController;
  /** The answer, or the error of a failed run. */
  done: Promise<ChatResponse>;
}

type CancelReason = 'cancelled' | 'shutdown';

const interrupted = (): AppError =>
  new AppError('SERVICE_UNAVAILABLE', 'the run was interrupted by a restart of the server; ask again', {
    retryAfterS: 5,
  });

export const errorRecord = (error: AppError): string =>
  JSON.stringify({ code: error.code, message: error.message, details: error.details });

const statusOf = (result: RunResult, cancelled: CancelReason | null): RunStatus => {
  if (result.finishReason === 'cost_exceeded') return 'cost_exceeded';
  if (result.finishReason === 'cancelled') return cancelled === 'shutdown' ? 'failed' : 'cancelled';
  if (result.error !== null) return 'failed';
  return result.finishReason === 'awaiting_approval' ? 'awaiting_approval' : 'completed';
};

export const createChatService = (options: ChatOptions) => {
  const { store, costs, clock, queue } = options;
  const starter = createStarter(options);
  const active = new Map<string, ActiveRun>();
  const starting = new Set<Promise<unknown>>();
  const cancelReasons = new WeakMap<AbortController, CancelReason>();

  /** Writes the end of a run: answer, run, conversation, ledger, all in one transaction. */
  const storeEnd = async (
    started: StartedRun,
    result: RunResult,
    status: RunStatus,
    events: RunEvents,
  ): Promise<MessageRow> => {
    const now = clock.now();
    const { subject } = started;
    const metadata: AnswerMetadata = {
      model: result.model.id,
      built_in: result.model.provider === 'builtin',
      finish_reason: result.finishReason,
      proposals: result.proposals,
      ...(status === 'failed' ? { failed: true } : {}),
    };
    const citations = citationsOf(result.content, result.passages);
    const row: MessageRow = {
      id: started.messageId,
      tenant_id: subject.tenantId,
      user_id: subject.userId,
      conversation_id: started.conversationId,
      role: 'assistant',
      content: result.content,
      agent_id: started.plan.agent.definition.id,
      tool_calls: result.toolCalls.length === 0 ? null : JSON.stringify(result.toolCalls),
      citations: citations.length === 0 ? null : JSON.stringify(citations),
      usage: JSON.stringify(result.usage),
      metadata: JSON.stringify(metadata),
      cost_nano: result.costNano,
      run_id: started.runId,
      created_at: now,
    };
    // A failed run that said nothing leaves the question alone: an empty answer would only confuse the history.
    const answered = status !== 'failed' || result.content !== '';
    const ending: RunEvent =
      result.error === null
        ? { event: 'message.completed', data: null }
        : {
            event: 'error',
            data: { code: result.error.code, message: result.error.message, details: result.error.details },
          };
    const journal = JSON.stringify(packJournal([...events.all(), ending]));
    await store.write(async (tx) => {
      if (answered) await insertMessage(tx, row);
      await finishRun(tx, {
        id: started.runId,
        status,
        agent_ids: JSON.stringify([started.plan.agent.definition.id]),
        usage: row.usage,
        cost_nano: result.costNano,
        error: result.error === null ? null : errorRecord(result.error),
        journal,
        tool_call_count: result.toolCalls.length,
        first_token_ms: result.firstTokenMs,
        finished_at: status === 'awaiting_approval' ? null : now,
      });
      await finishConversation(tx, {
        id: started.conversationId,
        added_messages: answered ? 1 : 0,
        added_cost: result.costNano,
        agent_ids: JSON.stringify(started.agentIds),
        title: started.title,
        now,
      });
      await costs.settle(tx, result.open.hold, result.open.entries);
    });
    return row;
  };

  /** Runs to its end and stores it, whatever becomes of the connection. */
  const execute = async (
    caller: Caller,
    request: ChatRequest,
    started: StartedRun,
    events: RunEvents,
    abort: AbortController,
  ): Promise<ChatResponse> => {
    const { subject } = started;
    const context: ToolContext = {
      caller,
      agentId: subject.agentId,
      conversationId: started.conversationId,
      runId: started.runId,
      requestId: subject.requestId ?? '',
      signal: abort.signal,
      tainted: Object.keys(request.context ?? {}).some((key) => key !== 'agent_id' && key !== 'model'),
    };
    const result = await executeRun(started.plan, subject, context, events, options);
    const reason = cancelReasons.get(abort) ?? null;
    if (reason === 'shutdown' && result.finishReason === 'cancelled') result.error = interrupted();
    const status = statusOf(result, reason);
    const row = await storeEnd(started, result, status, events);
    if (result.error !== null) {
      events.emit('error', {
        code: result.error.code,
        message: result.error.message,
        details: result.error.details,
      });
      publishFailure(started, result.error);
      if (result.finishReason !== 'cost_exceeded' || result.content === '') throw result.error;
    }
    const response = chatResponseOf(row);
    if (result.error === null) events.emit('message.completed', response);
    publishEnd(started, response, result);
    options.memory.observe({
      caller,
      conversationId: started.conversationId,
      messageId: started.questionId,
      text: request.message,
    });
    return response;
  };

  const base = (started: StartedRun) => ({
    tenantId: started.subject.tenantId,
    userId: started.subject.userId,
    reach: 'own' as const,
    permission: 'conversations:read',
  });

  const publishEnd = (started: StartedRun, response: ChatResponse, result: RunResult): void => {
    const ids = {
      conversation_id: started.conversationId,
      run_id: started.runId,
      message_id: started.messageId,
    };
    options.events.publish({
      ...base(started),
      type: 'conversation.completed',
      data: { ...ids, total_cost: nanoToUsd(result.costNano), agent_id: response.agent_id },
    });
    options.events.publish({
      ...base(started),
      type: 'run.completed',
      data: { ...ids, agent_id: response.agent_id },
    });
  };

  const publishFailure = (started: StartedRun, error: AppError): void => {
    options.events.publish({
      ...base(started),
      type: 'run.failed',
      data: {
        run_id: started.runId,
        conversation_id: started.conversationId,
        error: { code: error.code, message: error.message },
      },
    });
  };

  /** Starts a run and returns it once it is stored; refusals known before the first byte are thrown here. */
  const launch = async (
    caller: Caller,
    request: ChatRequest,
    how: { requestId: string; streaming: boolean; wait: boolean },
  ): Promise<ActiveRun> => {
    const context = parseContext(request.context);
    if (request.conversation_id !== undefined) await starter.conversationOf(caller, request.conversation_id);
    const leave =
      request.conversation_id === undefined ? () => {} : await queue.enter(request.conversation_id, how.wait);
    const abort = new AbortController();
    let started: StartedRun;
    try {
      started = await starter.start(caller, request, context, { ...how, signal: abort.signal });
    } catch (error) {
      leave();
      throw error;
    }
    const events = createRunEvents();
    const run: ActiveRun = {
      runId: started.runId,
      userId: caller.userId,
      tenantId: caller.tenantId,
      conversationId: started.conversationId,
      messageId: started.messageId,
      agentId: started.choice.agentId,
      events,
      abort,
      done: Promise.resolve(null as never),
    };
    events.emit('run.started', {
      run_id: run.runId,
      conversation_id: run.conversationId,
      message_id: run.messageId,
    });
    const { agentId, reason, confidence, candidates } = started.choice;
    events.emit('agent.selected', { agent_id: agentId, reason, confidence, candidates });
    options.events.publish({
      ...base(started),
      type: 'run.started',
      data: { run_id: run.runId, conversation_id: run.conversationId, agent_id: agentId },
    });
    active.set(run.runId, run);
    run.done = execute(caller, request, started, events, abort)
      .catch((error: unknown) => endBadly(started, events, error))
      .finally(() => {
        active.delete(run.runId);
        events.end();
        leave();
      });
    // The one who waits for the run handles its error; nobody may be waiting.
    run.done.catch(() => {});
    return run;
  };

  /** A fault of our own: the run must not stay "running" for ever. */
  const endBadly = async (started: StartedRun, events: RunEvents, error: unknown): Promise<never> => {
    if (error instanceof AppError && events.all().at(-1)?.event === 'error') throw error;
    options.onError(error, 'a run failed');
    const fault =
      error instanceof AppError
        ? error
        : new AppError('INTERNAL_ERROR', 'the run failed inside', { cause: error });
    await store.interrupt(started.runId, errorRecord(fault), clock.now()).catch((inner: unknown) => {
      options.onError(inner, 'a failed run could not be stored');
    });
    events.emit('error', { code: fault.code, message: fault.message, details: {} });
    throw fault;
  };

  const stop = (run: ActiveRun, reason: CancelReason): void => {
    cancelReasons.set(run.abort, reason);
    run.abort.abort(new DOMException(reason, 'AbortError'));
  };

  const findRun = async (caller: Caller, id: string) => {
    const row = await store.run(readScope(caller), id);
    if (row === undefined) throw notFound('run');
    return row;
  };

  return {
    launch: (
      caller: Caller,
      request: ChatRequest,
      how: { requestId: string; streaming: boolean; wait: boolean },
    ) => {
      const launched = launch(caller, request, how);
      starting.add(launched);
      launched.catch(() => {}).finally(() => starting.delete(launched));
      return launched;
    },

    async getRun(caller: Caller, id: string): Promise<Run> {
      return runOf(await findRun(caller, id));
    },

    /** The run as it goes on here, or all events of a finished one. Throws NOT_FOUND. */
    async follow(caller: Caller, id: string): Promise<{ live: ActiveRun } | { finished: RunEvent[] }> {
      const live = active.get(id);
      const row = await findRun(caller, id);
      if (live) return { live };
      // It may have ended while the row was read.
      const fresh = row.journal === null ? await findRun(caller, id) : row;
      const message = await store.message(fresh.message_id);
      const journal: PackedJournal =
        fresh.journal === null ? { v: 1, events: [] } : (JSON.parse(fresh.journal) as PackedJournal);
      const completed = message === undefined ? null : chatResponseOf(message);
      const events = unpackJournal(journal, message?.content ?? '', completed);
      if (events.length === 0 && fresh.error !== null) {
        events.push({ event: 'error', data: JSON.parse(fresh.error) as unknown });
      }
      return { finished: events };
    },

    /** Stops a run; the partial answer is kept. Throws NOT_FOUND, and CONFLICT when it has finished. */
    async cancel(caller: Caller, id: string): Promise<Run> {
      const row = await store.run(ownScope(caller), id);
      if (row === undefined) throw notFound('run');
      const live = active.get(id);
      if (live === undefined) {
        if (isFinished(runOf(row).status)) throw conflict('this run has finished');
        throw conflict('this run is not going on here');
      }
      stop(live, 'cancelled');
      await live.done.catch(() => {});
      return runOf(await findRun(caller, id));
    },

    activeRuns: () => active.size,

    /** Runs for the figures of agents. */
    async runSamples(tenantId: string, since: number): Promise<RunSample[]> {
      const rows = await store.samples(tenantId, since);
      return rows.map((row) => {
        const usage = row.usage === null ? null : (JSON.parse(row.usage) as Run['usage']);
        const finished = row.finished_at !== null;
        return {
          agentId: row.agent_id ?? '',
          outcome: !finished
            ? 'active'
            : row.status === 'completed'
              ? 'success'
              : row.status === 'failed'
                ? 'failure'
                : 'other',
          latencyMs: finished && row.finished_at !== null ? row.finished_at - row.created_at : null,
          firstTokenMs: row.first_token_ms,
          inputTokens: usage?.input_tokens ?? 0,
          outputTokens: usage?.output_tokens ?? 0,
          costUsd: nanoToUsd(row.cost_nano),
          toolCalls: row.tool_call_count,
          createdAt: row.created_at,
        };
      });
    },

    /** At start: what an earlier process left running ends as failed, with the reason stored. */
    async recover(): Promise<number> {
      const now = clock.now();
      const left = (await store.unfinished(now)).filter(
        (row) => !active.has(row.id) && row.status !== 'awaiting_approval',
      );
      for (const row of left) await store.interrupt(row.id, errorRecord(interrupted()), now);
      return left.length;
    },

    /** On shutdown: running answers get `graceMs`, then they are stopped and stored. */
    async drain(graceMs: number): Promise<void> {
      const all = async (): Promise<void> => {
        await Promise.allSettled([...starting]);
        await Promise.allSettled([...active.values()].map((run) => run.done));
      };
      const finished = all();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, graceMs);
      });
      await Promise.race([finished, late]);
      clearTimeout(timer);
      for (const run of active.values()) stop(run, 'shutdown');
      await all();
    },
  };
};

export type ChatService = ReturnType<typeof createChatService>;
