// Over 500 lines: the loop of a run and what each of its steps writes are read together, or not understood.
import type { Queryable } from '../../db/db.ts';
import { isStoreUnavailable } from '../../db/faults.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { AppError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Grounding, ModelMessage, ModelRef } from '../../kernel/model.ts';
import { addNano, type NanoUsd } from '../../kernel/money.ts';
import { type CallerFor, credentialOf } from '../../kernel/stored-credential.ts';
import { CLEAN, isTainted, joinTaint, taintText } from '../../kernel/taint.ts';
import {
  type AgentTool,
  type AgentWork,
  type ToolBook,
  type ToolContext,
  type ToolGate,
  taintOfDescriptions,
} from '../../kernel/tools.ts';
import type { EffectiveAgent } from '../agents/index.ts';
import type { CostSubject, Hold, HoldRequest, LedgerEntry } from '../costs/index.ts';
import { ModelCallError, type ModelCallResult, type Models, toAppError } from '../models/index.ts';
import type { Decision } from './approvals.ts';
import type { NumberedPassage } from './citations.rules.ts';
import {
  handedCall,
  handedCallId,
  isClients,
  isHandedOver,
  offeredSpecs,
  withheld,
  withOneOf,
} from './client-tools.rules.ts';
import { callEvidence } from './evidence.rules.ts';
import { goOnWithCalls } from './go-on-within.ts';
import { packJournal } from './journal.rules.ts';
import type { RunCosts } from './ports.ts';
import type { RunEvents } from './run-events.ts';
import type { FinishReason } from './schema.ts';
import {
  decidedCall,
  lostWithin,
  MAX_CALLS_AT_ONCE,
  oneTooMany,
  settledCall,
  unknownCall,
  withdrawn,
} from './settled-call.ts';
import {
  applyDecided,
  applyTools,
  isUnsettled,
  type PlanStep,
  type RunState,
  type SettledCall,
  type Step,
  takeWork,
  tellResults,
  waiting,
} from './steps.rules.ts';
import { type ChatStore, hasStep, insertStep, markConversation } from './store.ts';
import { runToolCall } from './tool-call.ts';
import { modelToolName } from './tools.rules.ts';
import { untilStored } from './until-stored.ts';
import { addUsage } from './usage.rules.ts';

/** The loop of one run: model, tools, model, … until an answer stands, a limit is met or somebody stops it. */
export interface RunPlan {
  agent: EffectiveAgent;
  model: ModelRef;
  /** The person's own words. */
  question: string;
  memories: readonly string[];
  /** The documents were searched for this run. */
  grounded: boolean;
  tools: readonly AgentTool[];
  /** The reservation of the first call, where it was taken in the same write as the question. */
  firstHold: Hold | null;
  /** `models.promptBound` of the first call, where it has been measured. */
  promptBound: number | null;
  streaming: boolean;
  /** What a step row keeps of the start, for a run that has to go on later; null for a loop inside of another's tool. */
  record: PlanStep | null;
  /** What all loops of one run have spent together, for the run's limit. */
  spending: Spending;
}

/** What all loops of one run have spent together, for the run's limit. */
export interface Spending {
  nano: NanoUsd;
  /** Model calls of all loops. */
  calls: number;
  /** Loops of other agents that have not come to rest. */
  going: Set<Promise<unknown>>;
  /** What they did for calls that were given up before they ended. */
  lost: AgentWork[];
}

export interface RunDeps {
  models: Models;
  costs: RunCosts;
  gate: ToolGate;
  book: ToolBook;
  store: Pick<ChatStore, 'write' | 'hold'>;
  clock: Clock;
  maxOutputTokens: number;
  toolTimeoutMs: number;
  callerOf: CallerFor;
}

/**
 * A run outlives a change of roles, a deactivation and the deletion of its key; its tools do not: nothing beyond the rights that
 * it began with, nor beyond those of account and key now (`CallerFor` sees to both).
 */
const callerStill = (began: Caller, now: Caller | null): Caller => {
  const kept = now?.permissions.size ?? 0;
  if (now !== null && kept === began.permissions.size && now.roles.join() === began.roles.join())
    return began;
  return {
    ...began,
    permissions: now?.permissions ?? new Set(),
    roles: now?.roles ?? [],
    platformAdmin: now?.platformAdmin ?? false,
  };
};

/** What happens around a run that waits for decisions; a loop within another's tool has none: it ends as it stands instead. */
export interface RunHooks {
  /** The run is about to wait: the answer so far is stored and whoever waits for it is told. */
  waiting(state: RunState): Promise<void>;
  /** Resolves with the decision; rejects when the run is stopped. */
  decision(proposalId: string): Promise<Decision>;
  /** All decisions are there: the run takes its turn again. */
  resumed(state: RunState): Promise<void>;
}

export interface RunResult {
  state: RunState;
  finishReason: FinishReason;
  /** The model that answered last. */
  model: ModelRef;
  /** The last call's reservation and ledger rows, to be settled in the same write as the answer. */
  open: { hold: Hold | null; entries: LedgerEntry[] };
  /** Set where the run failed; what had come by then is in the state. */
  error: AppError | null;
}

/**
 * Model calls in one run. The last one has to be the answer: it is asked for without further calls of tools. Where none comes
 * even so, the run ends with finish reason `length`, and says so.
 */
export const MAX_STEPS = 12;
/** Model calls of all agents that work for one run together: from there on each has one more, for its answer. */
export const MAX_RUN_CALLS = 120;
const NO_ANSWER = `I have not come to an answer: ${MAX_STEPS} steps with tools were not enough, and a run has no more. What the tools gave is kept with this answer; ask for a smaller part.`;
const LAST_STEP =
  'No more tools can be called in this run. Answer now with what there is, and say plainly what is missing.';

/** Said behind the last result: not every model takes instructions of the house between the turns. */
const withoutFurtherCalls = (messages: readonly ModelMessage[]): ModelMessage[] => {
  const last = messages.at(-1);
  return last === undefined
    ? []
    : [...messages.slice(0, -1), { ...last, content: `${last.content}\n\n[${LAST_STEP}]` }];
};
/** Under this many tokens a lowered output cap is of no use: the call is refused instead. */
const MIN_USEFUL_OUTPUT = 64;

/** What to reserve for a call: its worst case with the full output cap, and with the least that is of use. */
export const holdRequest = (
  deps: Pick<RunDeps, 'models' | 'maxOutputTokens'>,
  subject: CostSubject,
  model: ModelRef,
  promptBound: number,
  runUsedNano: NanoUsd,
): HoldRequest => ({
  ...subject,
  kind: 'model',
  worstNano: deps.models.worstCase(model, promptBound, deps.maxOutputTokens),
  leastNano: deps.models.worstCase(model, promptBound, Math.min(MIN_USEFUL_OUTPUT, deps.maxOutputTokens)),
  runUsedNano,
});

/** The output cap that a reservation pays for. */
const capOf = (
  deps: Pick<RunDeps, 'models' | 'maxOutputTokens'>,
  model: ModelRef,
  promptBound: number,
  hold: Hold | null,
): number =>
  hold === null || hold.id === null
    ? deps.maxOutputTokens
    : Math.max(
        1,
        Math.min(deps.maxOutputTokens, deps.models.affordableOutput(model, promptBound, hold.amountNano)),
      );

const entryOf = (
  ref: ModelRef,
  usage: ModelCallResult['usage'],
  costNanoUsd: NanoUsd,
  estimated: boolean,
): LedgerEntry => ({ kind: 'model', model: ref.id, tool: null, usage, costNanoUsd, estimated });

const groundingOf = (plan: RunPlan, passages: readonly NumberedPassage[]): Grounding => ({
  question: plan.question,
  // Null where no search was made: an empty list says that the documents hold nothing.
  passages:
    plan.grounded || passages.length > 0
      ? passages.map(({ n, title, page, text, score }) => ({ n, title, page, text, score }))
      : null,
  memories: plan.memories,
});

/** An answer without a word is no success: withheld by a filter, or nothing at all in a run that has nothing to show. */
const noAnswer = (answer: ModelCallResult, state: RunState): AppError | null => {
  if (answer.content.trim() !== '') return null;
  const { provider } = answer.ref;
  const fault = (what: string) =>
    new AppError('UPSTREAM_ERROR', `${provider} ${what}`, { details: { provider } });
  if (answer.finishReason === 'content_filter') return fault('withheld its answer (content filter)');
  const shows = state.content.trim() !== '' || state.toolCalls.length > 0;
  return shows || answer.finishReason === 'length' ? null : fault('gave an empty answer');
};

/**
 * Runs until the end, from `state` on. Every finished step of a run with tools is written before the next one begins.
 * Throws for faults of our own only; what providers and tools do wrong is in the result.
 */
const loop = async (
  plan: RunPlan,
  state: RunState,
  subject: CostSubject,
  context: ToolContext,
  events: RunEvents,
  hooks: RunHooks | null,
  deps: RunDeps,
  result: RunResult,
): Promise<RunResult> => {
  const { models, costs, clock, store } = deps;
  const agentId = plan.agent.definition.id;
  const runId = subject.runId ?? '';
  const client = plan.record?.client;
  const specs = offeredSpecs(plan.tools, client);
  state.taint = joinTaint(state.taint, taintOfDescriptions(plan.tools));
  const startedAt = clock.now();
  const toolOf = ({ name }: { name: string }): AgentTool | undefined =>
    plan.tools.find((candidate) => modelToolName(candidate) === name);
  const say = (text: string): void => {
    if (text === '') return;
    state.firstTokenMs ??= clock.now() - startedAt;
    state.content += text;
    events.delta(agentId, text);
  };
  const charge = (entry: LedgerEntry): void => {
    result.open.entries.push(entry);
    state.costNano = addNano(state.costNano, entry.costNanoUsd);
    plan.spending.nano = addNano(plan.spending.nano, entry.costNanoUsd);
    if (entry.usage) state.usage = addUsage(state.usage, entry.usage);
  };
  const finishWith = (reason: FinishReason, error: AppError | null = null): RunResult => {
    result.finishReason = reason;
    result.error = error;
    return result;
  };

  /** The last call that a run may make has to be its answer. */
  const isLast = (): boolean =>
    specs.length > 0 && (state.modelCalls >= MAX_STEPS - 1 || plan.spending.calls >= MAX_RUN_CALLS);

  const outOfSteps = (): RunResult => {
    if (state.content.trim() === '') say(NO_ANSWER);
    return finishWith('length');
  };

  const sizedCall = () => ({
    messages: isLast() ? withoutFurtherCalls(state.messages) : state.messages,
    ...(specs.length === 0 ? {} : { tools: specs }),
    ...(isLast()
      ? { toolChoice: 'none' as const }
      : client?.choice === undefined
        ? {}
        : { toolChoice: client.choice }),
    ...(client?.single ? { parallelToolCalls: false } : {}),
    signal: context.signal,
  });

  /** What the conversation's row says already. */
  let marked = plan.record?.taint ?? CLEAN;

  // The first call may have been measured for its reservation; after each step the prompt is longer.
  let promptBound = plan.promptBound;

  const callModel = async (): Promise<ModelCallResult> => {
    const sized = sizedCall();
    const bound = promptBound ?? models.promptBound(sized);
    promptBound = null;
    const { maxOutputTokens: _asked, ...sampling } = plan.record?.sampling ?? {};
    const call = {
      ...sized,
      ...sampling,
      grounding: groundingOf(plan, state.passages),
      maxOutputTokens: capOf(deps, plan.model, bound, result.open.hold),
      promptBound: bound,
    };
    if (state.modelCalls > 0 && state.content !== '' && !state.content.endsWith('\n\n')) say('\n\n');
    if (plan.streaming) return models.stream(plan.model, call, say);
    const answer = await models.generate(plan.model, call);
    say(answer.content);
    return answer;
  };

  /** Settles what is open and writes the steps, in one transaction. */
  const writeSteps = async (steps: readonly Step[]): Promise<void> => {
    const { hold, entries } = result.open;
    const now = clock.now();
    const marks = plan.record !== null && state.taint.length > marked.length;
    const first = steps[0] === undefined || plan.record === null ? null : state.nextStep;
    const write = async (tx: Queryable, again: boolean): Promise<void> => {
      if (plan.record !== null) await store.hold(tx, runId);
      // The answer to an earlier try may have been lost on the way, and not the try.
      if (again && first !== null && (await hasStep(tx, { run_id: runId, n: first })).length > 0) return;
      // An inner loop keeps nothing: if it is lost, the call of its tool is told as unknown.
      for (const [i, step] of (plan.record === null ? [] : steps).entries()) {
        await insertStep(tx, {
          run_id: runId,
          n: state.nextStep + i,
          kind: step.kind,
          payload: JSON.stringify(step.payload),
          created_at: now,
        });
      }
      if (hold !== null) await costs.settle(tx, hold, entries);
      if (marks && subject.conversationId !== null)
        await markConversation(tx, { id: subject.conversationId, taint: taintText(state.taint) });
    };
    await untilStored((again) => store.write((tx) => write(tx, again)), context.signal);
    marked = state.taint;
    state.nextStep += steps.length;
    result.open = { hold: null, entries: [] };
  };

  /** What a call is told of its run, with the rights that its person has now. */
  const contextOfCalls = async (): Promise<ToolContext> => {
    const { caller } = context;
    return {
      ...context,
      paying: {
        runId,
        conversationId: subject.conversationId,
        agentId,
        spending: plan.spending,
        step: { nano: 0 },
      },
      caller: callerStill(
        caller,
        await untilStored(
          () => deps.callerOf(caller.tenantId, caller.userId, credentialOf(caller)),
          context.signal,
        ),
      ),
      tainted: context.tainted || isTainted(state.taint),
      asked: context.asked ?? plan.question,
      evidence: (args) =>
        callEvidence(
          {
            asked: context.asked ?? plan.question,
            handedOn: context.asked === undefined ? null : plan.question,
            messages: state.messages,
            passages: state.passages,
            memories: plan.memories,
          },
          args,
        ),
    };
  };

  /** Runs the asked calls that have no result yet. */
  const runAsked = async (resumed: boolean): Promise<void> => {
    const open = (state.asked ?? []).filter((call) => !state.settled.some((done) => done.callId === call.id));
    if (open.length === 0) return;
    const callContext = await contextOfCalls();
    const outcomes = await Promise.all(
      open.map((call, i) => {
        if (isClients(client, call.name)) return handedCall(call, agentId);
        const tool = toolOf(call);
        if (i >= MAX_CALLS_AT_ONCE) return oneTooMany(call, tool, agentId);
        if (resumed && !(tool?.annotations.idempotent ?? true)) return unknownCall(call, tool, agentId);
        return runToolCall(
          call,
          plan.tools,
          agentId,
          callContext,
          { gate: deps.gate, book: deps.book, clock, timeoutMs: deps.toolTimeoutMs },
          (item) => events.emit('tool.started', item),
        );
      }),
    );
    let calls: SettledCall[] = [];
    let number = state.passages.length + 1;
    for (const [i, outcome] of outcomes.entries()) {
      const call = open[i];
      if (call === undefined) continue;
      const settled = 'callId' in outcome ? outcome : settledCall(call, outcome, number);
      number += settled.passages.length;
      calls.push(settled);
    }
    if (calls.some(isUnsettled)) calls = calls.map(withheld);
    for (const call of calls) if (!isUnsettled(call)) events.emit('tool.completed', call.item);
    applyTools(state, calls);
    await writeSteps([{ kind: 'tools', payload: { v: 1, calls, nextEvent: events.next() } }]);
    for (const outcome of outcomes) {
      if ('exceeded' in outcome && outcome.exceeded !== null) throw outcome.exceeded;
    }
  };

  const awaitDecisions = async (hooks: RunHooks): Promise<void> => {
    await hooks.waiting(state);
    for (const { call, within } of waiting(state)) {
      const decision = await hooks.decision(call.proposalId);
      const decided = decidedCall(call, toolOf(call), decision);
      applyDecided(state, decided, within);
      const payload = { v: 1 as const, call: decided, ...(within.length === 0 ? {} : { within }) };
      await writeSteps([{ kind: 'decided', payload }]);
      events.emit('proposal.decided', decision.proposal);
      events.emit('tool.completed', decided.item);
    }
    await hooks.resumed(state);
  };

  /** The loops within calls, once what they waited for is decided. */
  const goOnWithin = async (): Promise<void> => {
    const open = state.settled.filter(isUnsettled);
    await writeSteps(open.map((call) => ({ kind: 'decided', payload: { v: 1, call: lostWithin(call) } })));
    const first = state.passages.length + 1;
    const calls = await goOnWithCalls(open, toolOf, await contextOfCalls(), first, clock);
    for (const call of calls) {
      applyDecided(state, call);
      if (!isUnsettled(call)) events.emit('tool.completed', call.item);
    }
    context.signal.throwIfAborted();
    await writeSteps(calls.map((call) => ({ kind: 'decided', payload: { v: 1, call } })));
  };

  /** False where calls wait on, and those outside of this loop see to it. */
  const settleAll = async (): Promise<boolean> => {
    while (state.settled.some(isUnsettled)) {
      if (waiting(state).length > 0) {
        if (hooks === null) return false;
        await awaitDecisions(hooks);
      }
      if (state.settled.some(isUnsettled)) await goOnWithin();
    }
    return true;
  };

  let resumed = state.nextStep > 0;
  for (;;) {
    if (state.asked !== null) {
      try {
        await runAsked(resumed);
        if (!(await settleAll())) return finishWith('awaiting_approval');
      } catch (error) {
        if (context.signal.aborted) {
          state.settled = state.settled.map(withdrawn);
          return finishWith('cancelled');
        }
        if (error instanceof AppError && error.code === 'COST_EXCEEDED')
          return finishWith('cost_exceeded', error);
        throw error;
      }
      const handsOver = state.settled.some(isHandedOver);
      if (handsOver) {
        state.toolCalls.push(...state.settled.map((call) => call.item));
        state.settled = [];
        return finishWith('tool_calls');
      }
      tellResults(state);
    }
    resumed = false;
    if (state.modelCalls >= MAX_STEPS) return outOfSteps();
    if (result.open.hold === null) {
      try {
        promptBound = models.promptBound(sizedCall());
        const request = holdRequest(deps, subject, plan.model, promptBound, plan.spending.nano);
        // A try whose answer was lost leaves a reservation behind, which the sweep of ended runs frees.
        result.open.hold = await untilStored(
          () => store.write((tx) => costs.hold(tx, request)),
          context.signal,
        );
      } catch (error) {
        if (error instanceof AppError && error.code === 'COST_EXCEEDED')
          return finishWith('cost_exceeded', error);
        throw error;
      }
    }

    const last = isLast();
    let answer: ModelCallResult;
    plan.spending.calls += 1;
    try {
      answer = await callModel();
    } catch (error) {
      if (!(error instanceof ModelCallError)) throw error;
      if (error.partial) {
        // Without streaming nothing of it has been shown yet.
        if (!plan.streaming) say(error.partial.content);
        charge(entryOf(error.ref, error.partial.usage, error.costNanoUsd, true));
      }
      if (error.kind === 'aborted') return finishWith('cancelled');
      const fault = toAppError(error);
      if (fault instanceof AppError) {
        result.model = error.ref;
        return finishWith('stop', fault);
      }
      throw error;
    }
    result.model = answer.ref;
    state.modelCalls += 1;
    charge(entryOf(answer.ref, answer.usage, answer.costNanoUsd, answer.estimated));
    // A model that calls all the same is not heard: the run would end without a word.
    if (last && answer.toolCalls.length > 0) return outOfSteps();
    if (answer.toolCalls.length === 0) {
      const fault = noAnswer(answer, state);
      if (fault !== null) return finishWith('stop', fault);
      return finishWith(answer.finishReason === 'length' ? 'length' : 'stop');
    }

    // Ids are what results are matched by: a model that gives none, or one twice, gets its own.
    const seen = new Set<string>();
    const asked = client?.single ? withOneOf(answer.toolCalls, client) : answer.toolCalls;
    state.asked = asked.map((call, i) => {
      const fresh = call.id === '' || seen.has(call.id) ? newId() : call.id;
      const id = isClients(client, call.name) ? handedCallId(runId, state.modelCalls * 100 + i) : fresh;
      seen.add(id);
      return { ...call, id };
    });
    state.lastText = answer.content;
    await writeSteps([
      ...(state.nextStep === 0 && plan.record !== null
        ? [{ kind: 'plan' as const, payload: plan.record }]
        : []),
      {
        kind: 'model',
        payload: {
          v: 1,
          content: answer.content,
          toolCalls: state.asked,
          usage: answer.usage,
          costNano: answer.costNanoUsd,
          modelId: answer.ref.id,
          firstTokenMs: state.firstTokenMs,
          journal: packJournal(events.all(), events.jumps()),
          text: state.content,
        },
      },
    ]);
  }
};

/** `loop`, and whatever happens in it: no reservation is left behind, and what has been used is on the ledger. */
export const executeRun = async (
  plan: RunPlan,
  state: RunState,
  subject: CostSubject,
  context: ToolContext,
  events: RunEvents,
  hooks: RunHooks | null,
  deps: RunDeps,
): Promise<RunResult> => {
  const result: RunResult = {
    state,
    finishReason: 'stop',
    model: plan.model,
    open: { hold: plan.firstHold, entries: [] },
    error: null,
  };
  /** Stopped while it waited for the store: what had come is kept, and what is open goes with the end. */
  const stoppedMeanwhile = (error: unknown): RunResult => {
    if (!context.signal.aborted || !isStoreUnavailable(error)) throw error;
    return { ...result, finishReason: 'cancelled' };
  };
  try {
    const ended = await loop(plan, state, subject, context, events, hooks, deps, result).catch(
      stoppedMeanwhile,
    );
    if (plan.record !== null) {
      // Calls to other agents that a cancel or a time limit gave up: what they had used by then is the run's all the same.
      await Promise.allSettled([...plan.spending.going]);
      takeWork(state, plan.spending.lost);
      for (const { costNano } of plan.spending.lost) state.costNano = addNano(state.costNano, costNano);
    }
    return ended;
  } catch (error) {
    const { hold, entries } = result.open;
    // Settling twice releases once; the entries are booked again only where the first try was undone or its answer lost.
    if (hold !== null) {
      await untilStored(() => deps.store.write((tx) => deps.costs.settle(tx, hold, entries)));
    }
    throw error;
  }
};
