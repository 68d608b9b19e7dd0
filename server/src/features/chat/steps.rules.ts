import type { ModelMessage, ModelToolCall, ModelUsage, Sampling } from '../../kernel/model.ts';
import { addNano, type NanoUsd } from '../../kernel/money.ts';
import { CLEAN, joinTaint, type Taint } from '../../kernel/taint.ts';
import type { AgentWork } from '../../kernel/tools.ts';
import type { RouteChoice } from '../agents/index.ts';
import type { ToolCall, Usage } from '../conversations/index.ts';
import type { NumberedPassage } from './citations.rules.ts';
import type { AnswerForm } from './form.ts';
import {
  type Jump,
  jumpsOf,
  numberAt,
  type packJournal,
  RESUME_JUMP,
  type RunEvent,
  unpackJournal,
} from './journal.rules.ts';
import { withoutSpecialTokens } from './prompt.rules.ts';
import type { ClientTools } from './tools.rules.ts';
import { addSums, addUsage, NO_USAGE } from './usage.rules.ts';

/**
 * What a run that uses tools writes down before it goes on, and how the state is read back from it. A payload says its
 * version; later releases read what this one wrote.
 *
 *   plan     once, with the first model step: all that the run was started with
 *   model    an answer that asks for tools; written before the first of them is called
 *   tools    what they gave; calls that wait for a decision stand in it as such
 *   decided  the outcome of a call that had waited
 */
export interface PlanStep {
  v: 1;
  agentId: string;
  modelId: string;
  messages: ModelMessage[];
  passages: NumberedPassage[];
  question: string;
  memories: readonly string[];
  grounded: boolean;
  streaming: boolean;
  choice: RouteChoice;
  agentIds: string[];
  title: string;
  requestId: string | null;
  /** What the choice of the agent has cost, where a model was asked. */
  spent: { costNano: NanoUsd; usage: Usage } | null;
  /** The request's context held data of the caller, or its program gave instructions: untrusted content. */
  contextData: boolean;
  /** Untrusted content in the conversation and in what the run begins with. Left out by earlier releases. */
  taint?: Taint;
  /** What the client has asked of the model's calls. */
  sampling?: { maxOutputTokens?: number } & Sampling;
  client?: ClientTools;
  form?: AnswerForm;
  /** It goes on with another run's question: nothing new was said. */
  continues?: true;
}

interface ModelStep {
  v: 1;
  content: string;
  toolCalls: ModelToolCall[];
  usage: ModelUsage;
  costNano: NanoUsd;
  modelId: string;
  firstTokenMs: number | null;
  /** Events of the run so far. */
  journal: ReturnType<typeof packJournal>;
  /** All text so far, which the journal's deltas are cut from. */
  text: string;
  /** What the model is told of an answer that does not have the form that was asked for. */
  repair?: string;
}

/** One tool call with what the model is told of it. */
export interface SettledCall {
  callId: string;
  name: string;
  item: ToolCall;
  text: string;
  passages: NumberedPassage[];
  /** What the call cost in all; it stands on the ledger. */
  costNano: NanoUsd;
  /** What other agents have done within it; its cost is in `costNano`. */
  work?: AgentWork[];
  /** Set while it waits. */
  proposalId: string | null;
  /** What its result has brought into the run. Left out by earlier releases. */
  taint?: Taint;
  /** Set while it waits: what its result will bring into the run. Left out by earlier releases. */
  laterTaint?: Taint;
  /** The loop of another agent that waits within the call. */
  handedOn?: SuspendedLoop;
  /** Approved, and the run's own to carry out: it goes on within the run. */
  toCarryOut?: true;
  /** Beside `handedOn`: what the call has cost without that loop. */
  ownNano?: NanoUsd;
}

/** A loop of another agent that waits for decisions, with all that it needs to go on. */
interface SuspendedLoop {
  v: 1;
  agentId: string;
  modelId: string;
  question: string;
  memories: readonly string[];
  grounded: boolean;
  startedAt: number;
  state: RunState;
}

interface ToolsStep {
  v: 1;
  calls: SettledCall[];
  /** The number of the event after those of these calls' ends. */
  nextEvent?: number;
}

interface DecidedStep {
  v: 1;
  call: SettledCall;
  /** Ids of the calls, from the outermost, within whose loops it stands; left out for a call of the run's own loop. */
  within?: readonly string[];
}

type Step =
  | { kind: 'plan'; payload: PlanStep }
  | { kind: 'model'; payload: ModelStep }
  | { kind: 'tools'; payload: ToolsStep }
  | { kind: 'decided'; payload: DecidedStep };

/** Where a run stands between two steps. */
export interface RunState {
  messages: ModelMessage[];
  content: string;
  toolCalls: ToolCall[];
  proposals: string[];
  passages: NumberedPassage[];
  /** With what other agents have used within the run. */
  usage: Usage;
  costNano: NanoUsd;
  /** What other agents have done within the run. */
  work: AgentWork[];
  modelCalls: number;
  firstTokenMs: number | null;
  /** The calls that the last answer asked for and whose results the model has not been told. */
  asked: ModelToolCall[] | null;
  /** Results of `asked`, as far as there are any. */
  settled: SettledCall[];
  /** Number of the next step row. */
  nextStep: number;
  /** Text that the last answer came with. */
  lastText: string;
  /** Where the untrusted content in the run came from. */
  taint: Taint;
  /** The answer has been asked for once more: it did not have its form. */
  repaired?: true;
}

export const initialState = (
  messages: readonly ModelMessage[],
  passages: readonly NumberedPassage[],
  taint: Taint = CLEAN,
): RunState => ({
  messages: [...messages],
  content: '',
  toolCalls: [],
  proposals: [],
  passages: [...passages],
  usage: NO_USAGE,
  costNano: 0,
  work: [],
  modelCalls: 0,
  firstTokenMs: null,
  asked: null,
  settled: [],
  nextStep: 0,
  lastText: '',
  taint,
});

/** A plan of an earlier release does not say what it held. */
const taintOfPlan = (plan: PlanStep): Taint => plan.taint ?? ['earlier'];

/** The state of a run that is about to call its model for the first time. */
export const startState = (plan: PlanStep): RunState => {
  const state = initialState(plan.messages, plan.passages, taintOfPlan(plan));
  return plan.spent === null ? state : { ...state, costNano: plan.spent.costNano, usage: plan.spent.usage };
};

/** An answer that does not have its form, and what is said to it. */
export const tellRepair = (state: RunState, content: string, words: string): void => {
  // Providers refuse an empty turn.
  state.messages.push({ role: 'assistant', content: content.trim() === '' ? '(nothing)' : content });
  state.messages.push({ role: 'user', content: words });
  state.asked = null;
  state.repaired = true;
};

/** Takes the results of all asked calls over into what the model is told next. */
export const tellResults = (state: RunState): void => {
  state.messages.push({ role: 'assistant', content: state.lastText, toolCalls: state.asked ?? [] });
  for (const call of state.settled) {
    state.messages.push({
      role: 'tool',
      toolCallId: call.callId,
      name: call.name,
      content: withoutSpecialTokens(call.text),
    });
    state.toolCalls.push(call.item);
  }
  state.asked = null;
  state.settled = [];
};

/** It waits for a decision, or the loop within it does, or it is approved and not yet made. */
export const isUnsettled = (call: SettledCall): boolean =>
  call.proposalId !== null || call.handedOn !== undefined || call.toCarryOut === true;

interface WaitingCall {
  call: SettledCall & { proposalId: string };
  /** As in `DecidedStep`. */
  within: readonly string[];
}

/** The calls that wait for a decision, in this loop and in those within it. */
export const waiting = (state: RunState, within: readonly string[] = []): WaitingCall[] =>
  state.settled.flatMap((call): WaitingCall[] => {
    const { proposalId, handedOn } = call;
    if (proposalId !== null) return [{ call: { ...call, proposalId }, within }];
    return handedOn === undefined ? [] : waiting(handedOn.state, [...within, call.callId]);
  });

const noteProposals = (state: RunState): void => {
  for (const { call } of waiting(state))
    if (!state.proposals.includes(call.proposalId)) state.proposals.push(call.proposalId);
};

/** Work of other agents counts to the tokens of the run; its cost is the caller's to add. */
export const takeWork = (state: RunState, work: readonly AgentWork[]): void => {
  state.work.push(...work);
  state.usage = addSums(
    state.usage,
    work.map((one) => one.usage),
  );
};

const takeCall = (state: RunState, call: SettledCall): void => {
  state.passages.push(...call.passages);
  state.costNano = addNano(state.costNano, call.costNano);
  takeWork(state, call.work ?? []);
  state.taint = joinTaint(state.taint, call.taint ?? ['tools']);
};

/** Adds results of tools; the same function for a live run and for one that is read back. */
export const applyTools = (state: RunState, calls: readonly SettledCall[]): void => {
  for (const call of calls) {
    state.settled.push(call);
    takeCall(state, call);
  }
  noteProposals(state);
};

/** What the call had used while it waited: its end counts all of it again. */
const giveBack = (state: RunState, call: SettledCall): void => {
  const work = call.work ?? [];
  state.costNano = addNano(state.costNano, -call.costNano);
  // By what they say: a state that was read back holds copies.
  const texts = work.map((one) => JSON.stringify(one));
  state.work = state.work.filter((one) => {
    const at = texts.indexOf(JSON.stringify(one));
    if (at >= 0) texts.splice(at, 1);
    return at < 0;
  });
  state.usage = addSums(
    state.usage,
    work.map((one) => one.usage),
    -1,
  );
};

export const applyDecided = (
  state: RunState,
  decided: SettledCall,
  [outer, ...within]: readonly string[] = [],
): void => {
  if (outer !== undefined) {
    const inner = state.settled.find((call) => call.callId === outer)?.handedOn;
    if (inner !== undefined) applyDecided(inner.state, decided, within);
    return;
  }
  const before = state.settled.find((call) => call.callId === decided.callId);
  if (before !== undefined) giveBack(state, before);
  state.settled = state.settled.map((call) => (call.callId === decided.callId ? decided : call));
  takeCall(state, decided);
  noteProposals(state);
};

/** Rows of this feature's own writing; `replaySteps` refuses what does not begin with a plan. */
export const readSteps = (rows: readonly { kind: string; payload: string }[]): Step[] =>
  rows.map(({ kind, payload }) => ({ kind, payload: JSON.parse(payload) as unknown }) as Step);

/** The state after the steps, and the events that had been told by the last of them; what comes next jumps over the lost ones. */
export const replaySteps = (
  steps: readonly Step[],
): { plan: PlanStep; state: RunState; events: RunEvent[]; jumps: Jump[] } | null => {
  const first = steps[0];
  if (first?.kind !== 'plan') return null;
  const state = startState(first.payload);
  let events: RunEvent[] = [];
  let jumps: Jump[] = [];
  for (const step of steps) {
    if (step.kind === 'model') {
      if (state.asked !== null) tellResults(state);
      state.content = step.payload.text;
      state.lastText = step.payload.content;
      state.asked = step.payload.toolCalls;
      state.usage = addUsage(state.usage, step.payload.usage);
      state.costNano = addNano(state.costNano, step.payload.costNano);
      state.modelCalls += 1;
      state.firstTokenMs ??= step.payload.firstTokenMs;
      events = unpackJournal(step.payload.journal, step.payload.text, null);
      jumps = jumpsOf(step.payload.journal);
      const { repair } = step.payload;
      if (repair !== undefined) tellRepair(state, step.payload.content, repair);
    } else if (step.kind === 'tools') {
      applyTools(state, step.payload.calls);
      const ended = step.payload.calls.filter((call) => !isUnsettled(call));
      // The events between the answer and these are lost; these keep the numbers under which they were told.
      const { nextEvent } = step.payload;
      if (nextEvent !== undefined && ended.length > 0)
        jumps.push({ at: events.length, n: nextEvent - ended.length });
      for (const call of ended) events.push({ event: 'tool.completed', data: call.item });
    } else if (step.kind === 'decided') applyDecided(state, step.payload.call, step.payload.within);
  }
  state.nextStep = steps.length;
  jumps.push({ at: events.length, n: numberAt(events.length, jumps) + RESUME_JUMP });
  return { plan: first.payload, state, events, jumps };
};
