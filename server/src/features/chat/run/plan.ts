import type { ModelRef } from '../../../kernel/model.ts';
import { addNano, type NanoUsd } from '../../../kernel/money.ts';
import { CLEAN } from '../../../kernel/taint.ts';
import type { AgentTool } from '../../../kernel/tools.ts';
import type { EffectiveAgent } from '../../agents/index.ts';
import { titleFrom } from '../../conversations/index.ts';
import type { Hold } from '../../costs/index.ts';
import type { ChooseAgent } from '../ports.ts';
import { bringsContext } from '../request.ts';
import type { PlanStep } from '../steps.rules.ts';
import { addUsage, NO_USAGE } from '../usage.rules.ts';
import type { Asking, Prompt, RunLoop, StartedRun } from './run.ts';
import { messagesOf } from './steps/build-prompt.ts';
import type { fitHistory, History } from './steps/load-history.ts';

type RunPlan = RunLoop['plan'];
type FittedHistory = Awaited<ReturnType<typeof fitHistory>>;

/** The plan of a run, and the record of it that its first step row keeps. */

export const noSpending = (nano: NanoUsd = 0): RunPlan['spending'] => ({
  nano,
  calls: 0,
  kept: 0,
  going: new Set(),
  lost: [],
  taint: CLEAN,
});

interface Planned {
  agent: EffectiveAgent;
  model: ModelRef;
  tools: readonly AgentTool[];
  noted?: readonly string[];
  firstHold: Hold | null;
  promptBound: number | null;
  spentNano: NanoUsd;
}

export const planOf = (
  record: PlanStep,
  { agent, model, tools, noted = [], firstHold, promptBound, spentNano }: Planned,
): StartedRun['plan'] => ({
  agent,
  model,
  question: record.question,
  memories: record.memories,
  noted,
  grounded: record.grounded,
  tools,
  firstHold,
  promptBound,
  streaming: record.streaming,
  record,
  spending: noSpending(spentNano),
});

/** Of a loop inside of another's tool: its run keeps no record of it, and shows none of its text. */
export const innerPlan = (
  plan: Pick<RunPlan, 'agent' | 'model' | 'question' | 'memories' | 'grounded' | 'tools' | 'spending'>,
): RunPlan => ({ ...plan, firstHold: null, promptBound: null, streaming: false, record: null });

/** What has been spent before the first call: on embeddings, on the choice of the agent, and on a summary. */
const sumOf = (embeddedNano: NanoUsd, ...calls: (FittedHistory['spent'] | null)[]): PlanStep['spent'] => {
  const made = calls.filter((call) => call !== null);
  if (made.length === 0 && embeddedNano === 0) return null;
  return made.reduce(
    (sum, call) => ({
      costNano: addNano(sum.costNano, call.costNano),
      usage: addUsage(sum.usage, call.usage),
    }),
    { costNano: embeddedNano, usage: NO_USAGE },
  );
};

/** What a run has of the one that it goes on with. Results of others' tools are untrusted content. */
const goneOnWith = ({ question, memories, grounded }: PlanStep) => ({
  question,
  memories,
  grounded,
  contextData: true,
  continues: true as const,
});

/** Those of the conversation so far, and this one. */
const agentIdsOf = ({ conversation }: Asking, agentId: string): string[] => [
  ...new Set([...(conversation === null ? [] : (JSON.parse(conversation.agent_ids) as string[])), agentId]),
];

/** A run with its prompt and the agent that it was made for: all that its record keeps. */
interface Ready {
  prompt: Prompt;
  choice: Awaited<ReturnType<ChooseAgent>>;
  fitted: FittedHistory;
}

export const recordOf = (asking: Asking, history: History, { prompt, choice, fitted }: Ready): PlanStep => {
  const { message, given, sampling } = asking;
  const { agent, model, passages, parts, taint } = prompt;
  const { continued } = history;
  return {
    v: 1,
    agentId: agent.definition.id,
    modelId: model.id,
    messages: messagesOf(asking, history, prompt, fitted),
    passages: passages ?? [],
    question: message.request.message,
    memories: [...parts.preferences, ...parts.memories],
    grounded: passages !== null,
    streaming: message.streaming,
    choice: {
      agentId: choice.agentId,
      reason: choice.reason,
      confidence: choice.confidence,
      candidates: choice.candidates,
    },
    agentIds: agentIdsOf(asking, agent.definition.id),
    title: titleFrom(history.questions[0] ?? message.request.message),
    requestId: message.requestId,
    contextData: bringsContext(message.context, given),
    ...(sampling === null ? {} : { sampling }),
    ...(given.client === undefined ? {} : { client: given.client }),
    ...(given.form === undefined ? {} : { form: given.form }),
    spent: sumOf(asking.embedded.nano, choice.spent ?? null, fitted.spent),
    ...(continued === null ? {} : goneOnWith(continued.plan)),
    taint,
  };
};
