// Over 500 lines: what is going on here is known in one place, and every way to begin, follow and stop a run reads it.
import { setTimeout as delay } from 'node:timers/promises';
import type { Queryable } from '../../db/db.ts';
import { withinTenant } from '../../db/scope.ts';
import type { RunRow } from '../../db/tables/chat.ts';
import { type Caller, ownScope, readScope } from '../../kernel/caller.ts';
import type { NodeMessages } from '../../kernel/cluster.ts';
import { AppError, conflict, notFound } from '../../kernel/errors.ts';
import type { EventOutbox, EventSink } from '../../kernel/events.ts';
import { newId } from '../../kernel/ids.ts';
import { atMost } from '../../kernel/races.ts';
import { CLEAN, isTainted } from '../../kernel/taint.ts';
import type { ToolContext, ToolSource } from '../../kernel/tools.ts';
import type { RunSample } from '../agents/index.ts';
import type { ActiveRun } from './active-run.ts';
import { type ApprovalPort, createWaitingRoom, type Decision, type Owner } from './approvals.ts';
import { askedEvent } from './asked.rules.ts';
import { runOfCallId } from './client-tools.rules.ts';
import { readHanded } from './continued.ts';
import { createDelegateSource } from './delegate.ts';
import {
  createEnding,
  type EndedRun,
  errorData,
  faultOf,
  interrupted,
  metLimitHalfWay,
  type StopReason,
  statusOf,
  storedFault,
} from './ending.ts';
import { executeRun, type RunDeps, type RunHooks } from './execute.ts';
import {
  type Jump,
  jumpsOf,
  type PackedJournal,
  packJournal,
  type RunEvent,
  unpackJournal,
} from './journal.rules.ts';
import { createLineUp } from './line-up.ts';
import { busy, type ConversationQueue, TurnTaken } from './queue.ts';
import { isDecided, journalOf, openProposals, samplesOf } from './readings.ts';
import { createRemoteRuns, type FollowedRun, type Whereabouts } from './remote.ts';
import { type GivenInput, type ParsedContext, parseContext } from './request.ts';
import { type ResumeDeps, readRun } from './resume.ts';
import { createRunEvents, type RunEvents } from './run-events.ts';
import { createRunHooks } from './run-hooks.ts';
import { outcomeOf, type RunReport } from './run-report.rules.ts';
import { isFinished } from './run-state.rules.ts';
import type { ChatRequest, ChatResponse, Run, RunStatus } from './schema.ts';
import { createStarter, type StartDeps, type StartedRun } from './start.ts';
import { RunLost } from './store.ts';
import { createRunSweep } from './sweep.ts';
import { untilStored } from './until-stored.ts';
import { createWaiting } from './waiting.ts';
import { chatResponseOf, runOf } from './wire.ts';

/** Chat: runs that live apart from the connection that asked for them. */
export interface ChatOptions
  extends Omit<StartDeps, 'toolSources'>,
    Pick<RunDeps, 'gate' | 'book' | 'toolTimeoutMs'>,
    Pick<ResumeDeps, 'callerOf'> {
  /** Tools of the platform and the gateway; chat adds `delegate`. */
  toolSources: readonly ToolSource[];
  queue: ConversationQueue;
  approvals: ApprovalPort;
  events: EventSink;
  /** Webhooks of the end of a run, in the transaction that stores it. */
  outbox?: EventOutbox<Queryable>;
  /** The other nodes; null where this process has the store for itself. */
  messages: NodeMessages | null;
  /** A run has come to its end here; failures are told with their error. */
  onEnded?(report: RunReport): void;
  onError(error: unknown, message: string): void;
}

export interface LaunchOptions {
  requestId: string;
  streaming: boolean;
  /** False: a busy conversation is a CONFLICT. */
  wait: boolean;
  /** What another protocol's request brings along. */
  given?: GivenInput;
  /** Written in the transaction that accepts the message, with the id of its run. */
  accepted?: (tx: Queryable, runId: string) => Promise<void>;
}

/** A run with what was asked and what was answered. */
export interface Turn {
  run: Run;
  question: { id: string; content: string } | null;
  answer: ChatResponse | null;
}

/** How long an answer in one piece waits for a decision before it says `awaiting_approval`. */
export const DECISION_GRACE_MS = 10_000;
const LOOK_FOR_DECISION_MS = 3_000;
/** Where no other node makes decisions that could not be told. */
const LOOK_ALONE_MS = 15_000;
/** How long nothing must have worked on an unfinished run before it counts as lost. */
const LOST_AFTER_MS = 10_000;
/** How long a stop waits for ends that the store does not take. */
const LAST_WRITES_MS = 120_000;
/** How long a cancel waits for another node to end its run, and how often it looks. */
const REMOTE_STOP_MS = 20_000;
const REMOTE_LOOK_MS = 100;
const REMOTE_ASK_MS = 1_000;

export const createChatService = (given: ChatOptions) => {
  const delegate = createDelegateSource({
    ...given,
    runningRun: (runId) => active.get(runId) ?? null,
  });
  const options = { ...given, toolSources: [...given.toolSources, delegate] };
  const { store, clock, queue } = options;
  const starter = createStarter(options);
  const ending = createEnding(options);
  const waiting = createWaiting({ ...options, ending });
  const room = createWaitingRoom(given.messages === null ? LOOK_ALONE_MS : LOOK_FOR_DECISION_MS, (error) =>
    given.onError(error, 'a decision could not be looked for'),
  );
  const hooksOf = createRunHooks({ ending, room, queue, store, approvals: options.approvals });
  const active = new Map<string, ActiveRun>();
  /** Runs taken over that wait for their conversation's turn. */
  const entering = new Set<string>();
  /** Takings over that are going on: their runs are this node's before it has them. */
  let recovering = 0;
  const starting = new Set<Promise<unknown>>();
  const stopReasons = new WeakMap<AbortController, StopReason>();

  const publish = (run: EndedRun, type: string, data: Record<string, unknown>): void => {
    options.events.publish({
      tenantId: run.subject.tenantId,
      userId: run.subject.userId,
      reach: 'own',
      permission: 'conversations:read',
      type,
      data: { conversation_id: run.conversationId, run_id: run.runId, ...data },
      requestId: run.subject.requestId,
    });
  };

  const tellEnd = (report: RunReport): void => {
    options.onEnded?.(report);
    if (report.error !== null) report.error.logged = true;
  };
  const idsOf = (run: StartedRun) => ({
    runId: run.runId,
    requestId: run.subject.requestId,
    agentId: run.plan.agent.definition.id,
  });

  /** Runs to its end and stores it, whatever becomes of the connection. */
  const execute = async (
    caller: Caller,
    run: StartedRun,
    events: RunEvents,
    abort: AbortController,
    hooks: RunHooks,
  ): Promise<ChatResponse> => {
    const context: ToolContext = {
      caller,
      agentId: run.subject.agentId,
      conversationId: run.conversationId,
      runId: run.runId,
      requestId: run.subject.requestId ?? '',
      signal: abort.signal,
      tainted: isTainted(run.state.taint),
    };
    const capTokens = run.plan.record.sampling?.maxOutputTokens;
    const deps = capTokens === undefined ? options : { ...options, maxOutputTokens: capTokens };
    const result = await executeRun(run.plan, run.state, run.subject, context, events, hooks, deps);
    const stopped = stopReasons.get(abort) ?? null;
    if (stopped === 'shutdown' && result.finishReason === 'cancelled') result.error = interrupted();
    const status = statusOf(result, stopped);
    const { response, recorded } = await ending.write(run, result, status, events);
    const { error } = result;
    tellEnd({ ...idsOf(run), model: result.model.id, outcome: outcomeOf(status, error), error });
    if (error !== null) {
      events.emit('error', errorData(error));
      publish(run, 'run.failed', { error: { code: error.code, message: error.message } });
      if (!metLimitHalfWay(result)) throw error;
    } else events.emit('message.completed', response);
    const ids = { message_id: run.messageId, agent_id: response.agent_id };
    for (const event of recorded) options.events.publish(event);
    publish(run, 'run.completed', ids);
    const { question } = run.plan;
    if (!run.plan.record.continues)
      options.memory.observe({
        caller,
        conversationId: run.conversationId,
        messageId: run.questionId,
        text: question,
      });
    return response;
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
    await untilStored(() =>
      store.interrupt(run.runId, JSON.stringify(errorData(fault)), journal, clock.now()),
    ).catch((inner: unknown) => {
      options.onError(inner, 'a failed run could not be stored');
    });
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
    const done = execute(caller, started, events, abort, hooks)
      .catch((error: unknown) => endBadly(started, events, error))
      .finally(() => {
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
    };
    active.set(run.runId, run);
    return run;
  };

  const lineUp = createLineUp({
    ...options,
    report: tellEnd,
    active,
    starter,
    waiting,
    stopReasons,
    begin,
    publish,
  });

  /** Behind the message that its conversation is busy with. */
  const join = async (
    caller: Caller,
    request: ChatRequest & { conversation_id: string },
    context: ParsedContext,
    how: LaunchOptions,
  ): Promise<ActiveRun> => {
    if (!how.wait) throw busy();
    const here = queue.announce(request.conversation_id);
    try {
      await starter.check(caller, context);
      return lineUp(await waiting.accept(caller, request, how));
    } finally {
      here();
    }
  };

  /** Starts a run and returns it once it is stored; refusals known before the first byte are thrown here. */
  const launch = async (caller: Caller, request: ChatRequest, how: LaunchOptions): Promise<ActiveRun> => {
    const context = parseContext(request.context);
    const { conversation_id: conversationId } = request;
    const behind = (): Promise<ActiveRun> =>
      join(caller, { ...request, conversation_id: conversationId ?? newConversationId }, context, how);
    const newConversationId = newId();
    let leave: (() => void) | null;
    if (conversationId === undefined) leave = queue.enterNew(newConversationId);
    else {
      await starter.conversationOf(caller, conversationId);
      leave = await queue.tryEnter(conversationId);
      if (leave === null) return behind();
    }
    const abort = new AbortController();
    let started: StartedRun;
    try {
      started = await starter.start(caller, request, context, {
        ...how,
        newConversationId,
        signal: abort.signal,
      });
    } catch (error) {
      leave();
      if (error instanceof TurnTaken) return behind();
      throw error;
    }
    const events = createRunEvents(started.events);
    const { agentId } = started.plan.record.choice;
    options.events.publish(
      started.asked ?? askedEvent(started, started.plan.question, started.plan.record.taint ?? CLEAN),
    );
    publish(started, 'run.started', { agent_id: agentId });
    return begin(caller, started, events, abort, leave);
  };

  const stop = (run: ActiveRun, reason: StopReason): void => {
    stopReasons.set(run.abort, reason);
    run.abort.abort(new DOMException(reason, 'AbortError'));
  };

  /** A message that a dead process left waiting stands where it stood. */
  const takeUpQueued = async (row: RunRow): Promise<void> => {
    const read = await waiting.read(row);
    if ('error' in read) await waiting.refuse(read.run, read.error, null);
    else withinTenant(row.tenant_id, () => lineUp(read));
  };

  /** An end that no run here has come to by itself. */
  const tellEndOf = (row: RunRow, error: AppError): void => {
    const ids = { runId: row.id, requestId: null, agentId: row.agent_id, model: null };
    tellEnd({ ...ids, outcome: outcomeOf('failed', error), error });
  };
  const sweep = createRunSweep({
    store,
    waiting,
    approvals: options.approvals,
    clock,
    isGoing: (id) => recovering > 0 || active.has(id) || entering.has(id),
    onLost: tellEndOf,
    onError: options.onError,
    patienceMs: LOST_AFTER_MS,
  });

  const turnOf = async (row: RunRow): Promise<Turn> => {
    const [question, answer] = await Promise.all([
      store.message(row.question_id),
      store.message(row.message_id),
    ]);
    return {
      run: runOf(row),
      question: question === undefined ? null : { id: question.id, content: question.content },
      answer: answer === undefined ? null : chatResponseOf(answer),
    };
  };

  const findRun = async (caller: Caller, id: string) => {
    const row = await store.run(readScope(caller), id);
    if (row === undefined) throw notFound('run');
    return row;
  };

  /** All events of a finished run. */
  const eventsOf = async (row: RunRow): Promise<{ events: RunEvent[]; jumps: Jump[] }> => {
    const message = await store.message(row.message_id);
    const journal: PackedJournal =
      row.journal === null ? { v: 1, events: [] } : (JSON.parse(row.journal) as PackedJournal);
    const completed = message === undefined ? null : chatResponseOf(message);
    const events = unpackJournal(journal, message?.content ?? '', completed);
    if (events.length === 0 && row.error !== null) {
      events.push({ event: 'error', data: JSON.parse(row.error) as unknown });
    }
    return { events, jumps: jumpsOf(journal) };
  };

  const locate = async (id: string): Promise<Whereabouts> => {
    const live = active.get(id);
    if (live !== undefined) return { at: 'here', events: live.events };
    const row = await store.anyRun(id);
    if (row === undefined) return { at: 'end', events: [], jumps: [] };
    if (row.finished_at !== null) return { at: 'end', ...(await eventsOf(row)) };
    return { at: 'node', nodeId: row.node_id ?? '' };
  };

  const remote =
    given.messages === null
      ? null
      : createRemoteRuns({
          messages: given.messages,
          running: (id) => active.get(id),
          locate,
          cancelHere: (id) => {
            const run = active.get(id);
            if (run !== undefined) stop(run, 'cancelled');
          },
          newReader: newId,
          onError: options.onError,
        });
  const leaveMessages = given.messages?.receive('run.decided', (message) => {
    if (isDecided(message)) room.tell(message.proposalId, message.decision);
  });

  /** Asks the run's node to stop it, whichever that is by then, until it has ended. Throws SERVICE_UNAVAILABLE. */
  const stopElsewhere = async (id: string): Promise<void> => {
    const until = performance.now() + REMOTE_STOP_MS;
    let askAgainAt = 0;
    while (performance.now() < until) {
      const where = await locate(id);
      if (where.at === 'end') return;
      if (where.at === 'here') {
        const run = active.get(id);
        if (run !== undefined) stop(run, 'cancelled');
      } else if (performance.now() >= askAgainAt) {
        remote?.stop(id, where.nodeId);
        askAgainAt = performance.now() + REMOTE_ASK_MS;
      }
      await delay(REMOTE_LOOK_MS);
    }
    throw new AppError('SERVICE_UNAVAILABLE', 'the node of this run does not answer; try again', {
      retryAfterS: 5,
    });
  };

  const recover = async (fresh: boolean): Promise<{ resumed: number; failed: number }> => {
    const now = clock.now();
    const counts = { resumed: 0, failed: 0 };
    const left = await store.adopt(now, fresh);
    const isQueued = (row: RunRow): boolean => row.status === 'queued';
    // What has begun takes its turn first.
    for (const row of [...left.filter((one) => !isQueued(one)), ...left.filter(isQueued)]) {
      if (active.has(row.id)) continue;
      if (isQueued(row)) {
        await takeUpQueued(row);
        counts.resumed += 1;
        continue;
      }
      const read = await readRun(options, row).catch((error: unknown) => {
        options.onError(error, 'a run could not be read back');
        return null;
      });
      if (read === null) {
        const error = interrupted();
        await store.interrupt(row.id, JSON.stringify(errorData(error)), journalOf(row), now);
        tellEndOf(row, error);
        counts.failed += 1;
        continue;
      }
      const events = createRunEvents(read.events, read.jumps);
      const abort = new AbortController();
      // With other nodes the turn of the dead one has to run out first: nobody else waits for that.
      const enters = queue.enter(row.conversation_id, {
        place: { begun: row.id },
        signal: abort.signal,
      });
      entering.add(row.id);
      const going = enters
        .then((leave) => {
          withinTenant(row.tenant_id, () => begin(read.caller, read.started, events, abort, leave));
        })
        .finally(() => entering.delete(row.id));
      if (remote === null) await going;
      else going.catch((error: unknown) => options.onError(error, 'a run could not be taken up'));
      counts.resumed += 1;
    }
    return counts;
  };

  return {
    launch(caller: Caller, request: ChatRequest, how: LaunchOptions): Promise<ActiveRun> {
      const launched = launch(caller, request, how);
      starting.add(launched);
      launched.catch(() => {}).finally(() => starting.delete(launched));
      return launched;
    },

    /** The answer in one piece: of the finished run, or what stands when it waits longer than a moment for a decision. */
    async answer(run: ActiveRun): Promise<ChatResponse> {
      let timer: NodeJS.Timeout | undefined;
      const standing = run.waits.then(
        (response) =>
          new Promise<ChatResponse>((resolve) => {
            timer = setTimeout(() => resolve(response), DECISION_GRACE_MS);
          }),
      );
      try {
        return await Promise.race([run.done, standing]);
      } finally {
        clearTimeout(timer);
      }
    },

    /**
     * What a run has come to, for whoever asked and lost the connection: the answer of one that has ended or waits for a
     * decision, or its failure. Null while it goes on. A run that is gone is a NOT_FOUND among the failures.
     */
    async outcome(
      caller: Caller,
      id: string,
    ): Promise<{ answer: ChatResponse } | { failed: AppError } | null> {
      const row = await store.run(ownScope(caller), id);
      if (row === undefined) return { failed: notFound('run') };
      const { status, error } = runOf(row);
      if (!isFinished(status) && status !== 'awaiting_approval') return null;
      const message = status === 'failed' ? undefined : await store.message(row.message_id);
      if (message !== undefined) return { answer: chatResponseOf(message) };
      if (status === 'awaiting_approval') return null;
      return { failed: storedFault(error, id) };
    },

    /** Governance tells of its decisions here. */
    decided(proposalId: string, decision: Decision): void {
      room.tell(proposalId, decision);
      given.messages?.send('run.decided', { proposalId, decision });
    },

    async getRun(caller: Caller, id: string): Promise<Run> {
      return runOf(await findRun(caller, id));
    },

    /** A run with its question and its answer, as far as these are stored. Throws NOT_FOUND. */
    async turn(caller: Caller, id: string): Promise<Turn> {
      return turnOf(await findRun(caller, id));
    },

    /** The caller's own runs with their turns, newest first. */
    async turns(
      caller: Caller,
      filter: { conversationId?: string | undefined; statuses?: readonly RunStatus[] | undefined },
      page: { limit: number; before: string | null },
    ): Promise<{ turns: Turn[]; total: number }> {
      const { rows, total } = await store.runsOf(ownScope(caller), filter, page);
      return { turns: await Promise.all(rows.map(turnOf)), total };
    },

    /** The run that has handed these calls to its client, where all of them are its and no other: see `GivenInput.continues`. */
    async handedRun(caller: Caller, callIds: readonly string[]) {
      const runId = runOfCallId(callIds[0] ?? '');
      const handed = runId === null ? null : await readHanded(store, caller, runId);
      if (runId === null || handed === null) return null;
      const { conversationId, plan } = handed;
      const same =
        handed.callIds.length === callIds.length && handed.callIds.every((id) => callIds.includes(id));
      return same ? { runId, conversationId, agentId: plan.agentId } : null;
    },

    /** The run as it goes on here or at another node, or all events of a finished one. Throws NOT_FOUND. */
    async follow(
      caller: Caller,
      id: string,
    ): Promise<{ live: FollowedRun } | { finished: RunEvent[]; jumps: Jump[] }> {
      const live = active.get(id);
      const row = await findRun(caller, id);
      if (live) return { live };
      // It may have ended while the row was read.
      const fresh = row.finished_at === null ? await findRun(caller, id) : row;
      if (fresh.finished_at === null && remote !== null) return { live: remote.follow(id) };
      const { events: finished, jumps } = await eventsOf(fresh);
      return { finished, jumps };
    },

    /** Stops a run; the partial answer is kept. Throws NOT_FOUND, and CONFLICT when it has finished. */
    async cancel(caller: Caller, id: string): Promise<Run> {
      const row = await store.run(ownScope(caller), id);
      if (row === undefined) throw notFound('run');
      const live = active.get(id);
      if (live === undefined && isFinished(runOf(row).status)) throw conflict('this run has finished');
      if (live === undefined && remote === null) throw conflict('this run is not going on here');
      if (live === undefined) await stopElsewhere(id);
      else {
        stop(live, 'cancelled');
        await live.done.catch(() => {});
      }
      // Read when the run has ended: a proposal can have been made while the request to cancel was on its way.
      for (const proposalId of openProposals(await store.steps(id))) {
        await options.approvals.withdraw(caller, proposalId).catch((error: unknown) => {
          // Decided in the same moment: there is nothing left to take back.
          if (error instanceof AppError && error.code === 'CONFLICT') return;
          options.onError(error, 'a proposal of a cancelled run could not be withdrawn');
        });
      }
      return runOf(await findRun(caller, id));
    },

    /** Stops every run of a person, on whichever node it goes. Throws SERVICE_UNAVAILABLE when that node is silent. */
    async stopOf(owner: Owner): Promise<void> {
      const open = { statuses: ['queued', 'running', 'awaiting_approval'] };
      const page = { limit: 1_000, before: null };
      for (const { id } of (await store.runsOf({ ...owner, reach: 'own' }, open, page)).rows) {
        const live = active.get(id);
        if (live !== undefined) stop(live, 'cancelled');
        if (live !== undefined) await live.done.catch(() => {});
        else if (remote !== null) await stopElsewhere(id);
      }
    },

    activeRuns: () => active.size,

    /** Runs for the figures of agents. */
    async runSamples(tenantId: string, since: number): Promise<RunSample[]> {
      return (await store.samples(tenantId, since)).flatMap(samplesOf);
    },

    /**
     * Takes up the runs of dead nodes (with `fresh` also those that this node left when it was last started): each goes on
     * from its last finished step; one without a finished step ends as failed, with the reason stored. How many of each.
     */
    async recover(fresh: boolean): Promise<{ resumed: number; failed: number }> {
      recovering += 1;
      try {
        return await recover(fresh);
      } finally {
        recovering -= 1;
      }
    },

    /** Ends unfinished runs of this node that nothing here works on; to be called every few seconds. */
    sweep,

    /** After this node had been taken for dead: leaves off runs that are others' by now; nothing of them is written here. */
    async shedLost(): Promise<void> {
      const own = await store.own([...active.keys()]);
      for (const run of active.values()) {
        if (!own.has(run.runId)) run.abort.abort(new DOMException('taken over', 'AbortError'));
      }
    },

    /** After `drain`: nothing is served to or asked of other nodes any more. */
    close(): void {
      leaveMessages?.();
      remote?.close();
    },

    /** On shutdown: running answers get `graceMs`, then they are stopped and stored; those that wait go on next time. */
    async drain(graceMs: number): Promise<void> {
      const all = async (): Promise<void> => {
        await Promise.allSettled([...starting]);
        const runs = [...active.values()];
        await Promise.allSettled(runs.map((run) => Promise.race([run.done, run.waits])));
      };
      const finished = all();
      await atMost(finished, graceMs);
      const waitingRuns = await store.waitingRuns([...active.keys()]).catch((error: unknown) => {
        options.onError(error, 'runs that wait could not be looked up: all are stopped');
        return new Set<string>();
      });
      for (const run of active.values()) if (!waitingRuns.has(run.runId)) stop(run, 'shutdown');
      await atMost(all(), LAST_WRITES_MS);
    },
  };
};

export type ChatService = ReturnType<typeof createChatService>;
