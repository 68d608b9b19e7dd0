import type { AppError } from '../../../kernel/errors.ts';
import type { ToolSpec } from '../../../kernel/model.ts';
import { addNano } from '../../../kernel/money.ts';
import { CLEAN, joinTaint, type Taint } from '../../../kernel/taint.ts';
import { type AgentTool, taintOfDescriptions } from '../../../kernel/tools.ts';
import type { LedgerEntry } from '../../costs/index.ts';
import { offeredSpecs } from '../client-tools.rules.ts';
import { offeredTools } from '../offer.ts';
import type { FinishReason } from '../schema.ts';
import { modelToolName } from '../tools.rules.ts';
import { addUsage } from '../usage.rules.ts';
import type { RunDeps, RunLoop } from './run.ts';

/** What the steps of a loop do to it: text is told, what has been used is charged, and it ends with a reason. */

/**
 * Model calls in one run. The last one has to be the answer: it is asked for without further calls of tools. Where none comes
 * even so, the run ends with finish reason `length`, and says so.
 */
export const MAX_STEPS = 12;
/** Model calls of all agents that work for one run together: from there on each has one more, for its answer. */
export const MAX_RUN_CALLS = 120;
const NO_ANSWER = `I have not come to an answer: ${MAX_STEPS} steps with tools were not enough, and a run has no more. What the tools gave is kept with this answer; ask for a smaller part.`;

/** What a loop is given: where it stands, whose it is, and who is told. */
type LoopInput = Pick<RunLoop, 'plan' | 'state' | 'subject' | 'context' | 'events' | 'hooks'>;

/** What a loop has come to hold counts for every other of its run from now on, also while their calls go on. */
export const holdTaint = ({ plan }: Pick<RunLoop, 'plan'>, taint: Taint | undefined): void => {
  plan.spending.taint = joinTaint(plan.spending.taint, taint);
};

/** What the model is told of tools with its next call. */
export const specsOf = (
  { maxToolTokens }: Pick<RunDeps, 'maxToolTokens'>,
  { plan, state }: Pick<RunLoop, 'plan' | 'state'>,
): readonly ToolSpec[] => {
  const offer = { ...plan, maxTokens: maxToolTokens };
  return offeredSpecs(offeredTools(offer, state.messages), plan.record?.client);
};

export const openLoop = (deps: Pick<RunDeps, 'clock' | 'maxToolTokens'>, input: LoopInput): RunLoop => {
  const { plan, state } = input;
  state.taint = joinTaint(state.taint, taintOfDescriptions(plan.tools));
  holdTaint(input, state.taint);
  return {
    ...input,
    result: {
      state,
      finishReason: 'stop',
      model: plan.model,
      open: { hold: plan.firstHold, entries: [], kept: null },
      error: null,
    },
    specs: specsOf(deps, input),
    startedAt: deps.clock.now(),
    marked: plan.record?.taint ?? CLEAN,
    promptBound: plan.promptBound,
  };
};

export const agentIdOf = ({ plan }: RunLoop): string => plan.agent.definition.id;

export const runIdOf = ({ subject }: Pick<RunLoop, 'subject'>): string => subject.runId ?? '';

export const toolOf = ({ plan }: RunLoop, { name }: { name: string }): AgentTool | undefined =>
  plan.tools.find((candidate) => modelToolName(candidate) === name);

export const say = ({ clock }: Pick<RunDeps, 'clock'>, run: RunLoop, text: string): void => {
  if (text === '') return;
  const { state } = run;
  state.firstTokenMs ??= clock.now() - run.startedAt;
  state.content += text;
  run.events.delta(agentIdOf(run), text);
};

export const charge = ({ state, plan, result }: RunLoop, entry: LedgerEntry): void => {
  result.open.entries.push(entry);
  state.costNano = addNano(state.costNano, entry.costNanoUsd);
  plan.spending.nano = addNano(plan.spending.nano, entry.costNanoUsd);
  if (entry.usage) state.usage = addUsage(state.usage, entry.usage);
};

export const finish = (
  { result }: RunLoop,
  reason: FinishReason,
  error: AppError | null = null,
): RunLoop['result'] => {
  result.finishReason = reason;
  result.error = error;
  return result;
};

/** One more call, and there are no others. */
export const stepsAreOver = ({ state, plan }: Pick<RunLoop, 'state' | 'plan'>): boolean =>
  state.modelCalls >= MAX_STEPS - 1 || plan.spending.calls >= MAX_RUN_CALLS;

/** The last call that a run may make has to be its answer. */
export const isLast = ({ specs, state, plan }: RunLoop): boolean =>
  specs.length > 0 && (state.repaired === true || stepsAreOver({ state, plan }));

export const outOfSteps = (deps: Pick<RunDeps, 'clock'>, run: RunLoop): RunLoop['result'] => {
  if (run.state.content.trim() === '') say(deps, run, NO_ANSWER);
  return finish(run, 'length');
};
