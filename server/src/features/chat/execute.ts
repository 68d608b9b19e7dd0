import type { Clock } from '../../kernel/clock.ts';
import { AppError } from '../../kernel/errors.ts';
import type { Grounding, ModelMessage, ModelRef } from '../../kernel/model.ts';
import { addNano, type NanoUsd } from '../../kernel/money.ts';
import type { AgentTool, ToolContext, ToolGate } from '../../kernel/tools.ts';
import type { EffectiveAgent } from '../agents/index.ts';
import type { ToolCall, Usage } from '../conversations/index.ts';
import type { CostSubject, Hold, HoldRequest, LedgerEntry } from '../costs/index.ts';
import { ModelCallError, type ModelCallResult, type Models, toAppError } from '../models/index.ts';
import type { NumberedPassage } from './citations.rules.ts';
import type { RunCosts } from './ports.ts';
import type { RunEvents } from './run-events.ts';
import type { FinishReason } from './schema.ts';
import type { ChatStore } from './store.ts';
import { runToolCall } from './tool-call.ts';
import { toolSpecs } from './tools.rules.ts';
import { addUsage, NO_USAGE } from './wire.ts';

/** The loop of one run: model, tools, model, … until an answer stands, a limit is met or somebody stops it. */
export interface RunPlan {
  agent: EffectiveAgent;
  model: ModelRef;
  messages: ModelMessage[];
  passages: NumberedPassage[];
  /** The person's own words. */
  question: string;
  memories: readonly string[];
  /** The documents were searched for this run. */
  grounded: boolean;
  tools: readonly AgentTool[];
  /** The reservation of the first call, taken in the same write as the question. */
  firstHold: Hold;
  streaming: boolean;
}

export interface RunDeps {
  models: Models;
  costs: RunCosts;
  gate: ToolGate;
  store: Pick<ChatStore, 'write'>;
  clock: Clock;
  maxOutputTokens: number;
  toolTimeoutMs: number;
}

export interface RunResult {
  content: string;
  finishReason: FinishReason;
  toolCalls: ToolCall[];
  proposals: string[];
  passages: NumberedPassage[];
  usage: Usage;
  costNano: NanoUsd;
  /** The model that answered last. */
  model: ModelRef;
  /** The last call's reservation and ledger rows, to be settled in the same write as the answer. */
  open: { hold: Hold; entries: LedgerEntry[] };
  /** Set where the run failed; what had come by then is in the other fields. */
  error: AppError | null;
  firstTokenMs: number | null;
}

/** Model calls in one run; a loop of tools that does not end is cut here, with finish reason `length`. */
export const MAX_STEPS = 12;
/** Under this many tokens a lowered output cap is of no use: the call is refused instead. */
const MIN_USEFUL_OUTPUT = 64;

type SizedCall = { messages: ModelMessage[]; tools?: ReturnType<typeof toolSpecs>; signal: AbortSignal };

/** What to reserve for a call: its worst case with the full output cap, and with the least that is of use. */
export const holdRequest = (
  deps: Pick<RunDeps, 'models' | 'maxOutputTokens'>,
  subject: CostSubject,
  model: ModelRef,
  call: SizedCall,
  runUsedNano: NanoUsd,
): HoldRequest => ({
  ...subject,
  kind: 'model',
  worstNano: deps.models.worstCase(model, call, deps.maxOutputTokens),
  leastNano: deps.models.worstCase(model, call, Math.min(MIN_USEFUL_OUTPUT, deps.maxOutputTokens)),
  runUsedNano,
});

/** The output cap that a reservation pays for. */
const capOf = (
  deps: Pick<RunDeps, 'models' | 'maxOutputTokens'>,
  model: ModelRef,
  call: SizedCall,
  hold: Hold,
): number =>
  hold.id === null
    ? deps.maxOutputTokens
    : Math.max(1, Math.min(deps.maxOutputTokens, deps.models.affordableOutput(model, call, hold.amountNano)));

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

export const executeRun = async (
  plan: RunPlan,
  subject: CostSubject,
  context: ToolContext,
  events: RunEvents,
  deps: RunDeps,
): Promise<RunResult> => {
  const { models, costs, clock } = deps;
  const agentId = plan.agent.definition.id;
  const specs = toolSpecs(plan.tools);
  const messages = [...plan.messages];
  const startedAt = clock.now();
  const result: RunResult = {
    content: '',
    finishReason: 'stop',
    toolCalls: [],
    proposals: [],
    passages: [...plan.passages],
    usage: NO_USAGE,
    costNano: 0,
    model: plan.model,
    open: { hold: plan.firstHold, entries: [] },
    error: null,
    firstTokenMs: null,
  };

  const say = (text: string): void => {
    if (text === '') return;
    result.firstTokenMs ??= clock.now() - startedAt;
    result.content += text;
    events.delta(agentId, text);
  };
  const charge = (entry: LedgerEntry): void => {
    result.open.entries.push(entry);
    result.costNano = addNano(result.costNano, entry.costNanoUsd);
    if (entry.usage) result.usage = addUsage(result.usage, entry.usage);
  };

  const sizedCall = (): SizedCall => ({
    messages,
    ...(specs.length === 0 ? {} : { tools: specs }),
    signal: context.signal,
  });

  const callModel = async (step: number): Promise<ModelCallResult> => {
    const sized = sizedCall();
    const call = {
      ...sized,
      grounding: groundingOf(plan, result.passages),
      maxOutputTokens: capOf(deps, plan.model, sized, result.open.hold),
    };
    if (step > 0 && result.content !== '') say('\n\n');
    if (plan.streaming) return models.stream(plan.model, call, say);
    const answer = await models.generate(plan.model, call);
    say(answer.content);
    return answer;
  };

  const finishWith = (reason: FinishReason, error: AppError | null = null): RunResult => {
    result.finishReason = reason;
    result.error = error;
    return result;
  };

  for (let step = 0; step < MAX_STEPS; step++) {
    if (step > 0) {
      try {
        const { hold, entries } = result.open;
        const request = holdRequest(deps, subject, plan.model, sizedCall(), result.costNano);
        await deps.store.write((tx) => costs.settle(tx, hold, entries));
        result.open = { hold: { ...hold, id: null, amountNano: 0 }, entries: [] };
        result.open.hold = await deps.store.write((tx) => costs.hold(tx, request));
      } catch (error) {
        if (error instanceof AppError && error.code === 'COST_EXCEEDED')
          return finishWith('cost_exceeded', error);
        throw error;
      }
    }

    let answer: ModelCallResult;
    try {
      answer = await callModel(step);
    } catch (error) {
      if (!(error instanceof ModelCallError)) throw error;
      if (error.partial) {
        // Without streaming nothing of it has been shown yet.
        if (!plan.streaming) say(error.partial.content);
        charge(entryOf(error.ref, error.partial.usage, error.costNanoUsd, true));
      }
      if (error.kind === 'aborted') return finishWith('cancelled');
      const fault = toAppError(error);
      if (fault instanceof AppError) return finishWith('stop', fault);
      throw error;
    }
    result.model = answer.ref;
    charge(entryOf(answer.ref, answer.usage, answer.costNanoUsd, answer.estimated));
    if (answer.toolCalls.length === 0)
      return finishWith(answer.finishReason === 'length' ? 'length' : 'stop');

    messages.push({ role: 'assistant', content: answer.content, toolCalls: answer.toolCalls });
    const outcomes = await Promise.all(
      answer.toolCalls.map((call) =>
        runToolCall(
          call,
          plan.tools,
          agentId,
          {
            ...context,
            tainted: context.tainted || result.passages.length > 0 || result.toolCalls.length > 0,
          },
          { gate: deps.gate, clock, timeoutMs: deps.toolTimeoutMs },
          (item) => events.emit('tool.started', item),
        ),
      ),
    );
    for (const [i, outcome] of outcomes.entries()) {
      const call = answer.toolCalls[i] ?? { id: '', name: outcome.item.name, arguments: '' };
      let text = outcome.answer;
      for (const passage of outcome.outcome?.passages ?? []) {
        const n = result.passages.length + 1;
        result.passages.push({ n, ...passage });
        if (passage === outcome.outcome?.passages?.[0]) text = '';
        text += `[${n}] ${passage.title}${passage.page === null ? '' : `, page ${passage.page}`}\n${passage.text}\n\n`;
      }
      result.toolCalls.push(outcome.item);
      if (outcome.outcome?.costNanoUsd) {
        charge({
          kind: 'tool',
          model: null,
          tool: `${outcome.item.server}.${outcome.item.name}`,
          usage: null,
          costNanoUsd: outcome.outcome.costNanoUsd,
          estimated: false,
        });
      }
      events.emit('tool.completed', outcome.item);
      messages.push({ role: 'tool', toolCallId: call.id, name: call.name, content: text });
      if (outcome.proposalId !== null) result.proposals.push(outcome.proposalId);
    }
    if (result.proposals.length > 0) {
      say(`${result.content === '' ? '' : '\n\n'}This step waits for approval.`);
      return finishWith('awaiting_approval');
    }
  }
  return finishWith('length');
};
