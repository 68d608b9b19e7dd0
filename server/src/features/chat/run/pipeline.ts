import { isStoreUnavailable } from '../../../db/faults.ts';
import { AppError } from '../../../kernel/errors.ts';
import { addNano } from '../../../kernel/money.ts';
import type { ToolContext } from '../../../kernel/tools.ts';
import type { EffectiveAgent } from '../../agents/index.ts';
import { isHandedOver } from '../client-tools.rules.ts';
import { mustFit } from '../message-length.ts';
import { dropKept } from '../partials.ts';
import { inStep } from '../run-span.ts';
import { withdrawn } from '../settled-call.ts';
import { initialState, takeWork, tellResults, waiting } from '../steps.rules.ts';
import { untilStored } from '../until-stored.ts';
import { affordable } from './affordable.ts';
import { finish, MAX_STEPS, openLoop, outOfSteps, runIdOf, specsOf } from './loop.ts';
import { innerPlan } from './plan.ts';
import type { RunDeps, RunLoop, RunMessage, StartDeps, StartedRun } from './run.ts';
import { awaitApproval } from './steps/await-approval.ts';
import { promptFor, promptForTask } from './steps/build-prompt.ts';
import { callModel } from './steps/call-model.ts';
import { callTools } from './steps/call-tools.ts';
import { loadConversation } from './steps/load-conversation.ts';
import { fitHistory, loadHistory } from './steps/load-history.ts';
import { reserveBudget, reserveCall, setAside } from './steps/reserve-budget.ts';
import { retrieve, retrieveForTask } from './steps/retrieve.ts';
import { selectAgent } from './steps/select-agent.ts';

/**
 * A run is this list of steps, each a file in `steps/`:
 *
 *   load conversation → load history → select agent → retrieve → build prompt → reserve budget   `startRun`
 *   call model → call tools → await approval → reserve budget → call model → …                   `carryOut`
 *   store answer                                                                                 `service.ts`
 *
 * Nothing of the run is written before its budget is reserved, and from then on it can go on by itself. Every API takes the
 * list. A hand-off to another agent leaves steps out (`startHandOff`), and a run after a restart has its first ones in the store
 * (`resume.ts`); a message that waits for its conversation's turn is stored before them (`waiting.ts`).
 */
export const startRun = async (deps: StartDeps, message: RunMessage): Promise<StartedRun> => {
  const asking = await inStep('load conversation', () => loadConversation(deps, message));
  const history = await inStep('load history', () => loadHistory(deps, asking));
  return affordable(deps, asking, history, {
    select: (found, setAsideFor) =>
      inStep('select agent', () => selectAgent(deps, asking, history, found, setAsideFor)),
    prepare: async (agent, found) => {
      const retrieved = await inStep('retrieve', () => retrieve(deps, asking, history, agent, found));
      return mustFit(deps.models, promptFor(deps, asking, history, retrieved), asking.outputTokens);
    },
    reserve: (prompt, choice) =>
      inStep('reserve budget', async () => {
        const aside = setAside(deps, asking, history, prompt);
        const fitted = await fitHistory(deps, asking, history, prompt, aside);
        return reserveBudget(deps, asking, history, { prompt, choice, fitted });
      }),
  });
};

/**
 * A part of a task that another agent has handed on: no conversation and no history, its agent is named, and each of its calls is
 * reserved within the run that it belongs to. What waits for approval and what it answers is that run's to store.
 */
export const startHandOff = async (
  deps: Pick<StartDeps, 'search' | 'memory' | 'models' | 'toolSources' | 'clock'>,
  context: ToolContext,
  agent: EffectiveAgent,
  task: string,
  spending: RunLoop['plan']['spending'],
): Promise<Pick<RunLoop, 'plan' | 'state'>> => {
  const found = await retrieveForTask(deps, context, agent, task);
  const { messages, taint } = promptForTask(found, task, deps.clock.now());
  const { model, passages, memories, tools } = found;
  return {
    plan: innerPlan({
      agent,
      model,
      question: task,
      memories: memories.texts,
      grounded: passages !== null,
      tools,
      spending,
    }),
    state: initialState(messages, passages ?? [], taint),
  };
};

const isCostExceeded = (error: unknown): error is AppError =>
  error instanceof AppError && error.code === 'COST_EXCEEDED';

/** The calls that the model has asked for. The end of the run, or null where the model is told what they gave. */
const settle = async (deps: RunDeps, run: RunLoop, resumed: boolean): Promise<RunLoop['result'] | null> => {
  const { state } = run;
  try {
    await inStep('call tools', () => callTools(deps, run, resumed));
    if (!(await inStep('await approval', () => awaitApproval(deps, run))))
      return finish(run, 'awaiting_approval');
  } catch (error) {
    if (run.context.signal.aborted) {
      state.settled = state.settled.map(withdrawn);
      return finish(run, 'cancelled');
    }
    if (isCostExceeded(error)) return finish(run, 'cost_exceeded', error);
    throw error;
  }
  if (state.settled.some(isHandedOver)) {
    state.toolCalls.push(...state.settled.map((call) => call.item));
    state.settled = [];
    return finish(run, 'tool_calls');
  }
  tellResults(state);
  run.specs = specsOf(deps, run);
  return null;
};

/** The reservation of the next call, where the start has not taken it. The end of the run where there is no money for it. */
const reserveNext = async (deps: RunDeps, run: RunLoop): Promise<RunLoop['result'] | null> => {
  if (run.result.open.hold !== null) return null;
  try {
    await reserveCall(deps, run);
    return null;
  } catch (error) {
    if (isCostExceeded(error)) return finish(run, 'cost_exceeded', error);
    throw error;
  }
};

/**
 * Runs until the end, from where the state stands. Every finished step of a run with tools is written before the next one begins.
 * Throws for faults of our own only; what providers and tools do wrong is in the result.
 */
const loop = async (deps: RunDeps, run: RunLoop): Promise<RunLoop['result']> => {
  const { state } = run;
  let resumed = state.nextStep > 0;
  for (;;) {
    const stopped = state.asked === null ? null : await settle(deps, run, resumed);
    if (stopped !== null) return stopped;
    resumed = false;
    if (state.modelCalls >= MAX_STEPS) return outOfSteps(deps, run);
    const end =
      (await inStep('reserve budget', () => reserveNext(deps, run))) ??
      (await inStep('call model', () => callModel(deps, run)));
    if (end !== null) return end;
  }
};

type LoopInput = Parameters<typeof openLoop>[1];

/** The plan of a run after a restart was read before the servers of its tools were connected. */
const withTools = async ({ plan, state, context }: LoopInput): Promise<RunLoop['plan']> => {
  const { toolsAgain } = plan;
  if (toolsAgain === undefined) return plan;
  const asked = [...(state.asked ?? []), ...waiting(state).map(({ call }) => call)].map(({ name }) => name);
  const tools = await untilStored(() => toolsAgain(asked, context.signal), context.signal).catch(
    (error: unknown) => {
      if (!context.signal.aborted) throw error;
      return plan.tools;
    },
  );
  return { ...plan, tools };
};

/** `loop`, and whatever happens in it: no reservation is left behind, and what has been used is on the ledger. */
export const carryOut = async (deps: RunDeps, input: LoopInput): Promise<RunLoop['result']> => {
  const run = openLoop(deps, { ...input, plan: await withTools(input) });
  const { plan, state, result } = run;
  /** Stopped while it waited for the store: what had come is kept, and what is open goes with the end. */
  const stoppedMeanwhile = (error: unknown): RunLoop['result'] => {
    if (!run.context.signal.aborted || !isStoreUnavailable(error)) throw error;
    return { ...result, finishReason: 'cancelled' };
  };
  try {
    const ended = await loop(deps, run).catch(stoppedMeanwhile);
    if (plan.record !== null) {
      // Calls to other agents that a cancel or a time limit gave up: what they had used by then is the run's all the same.
      await Promise.allSettled([...plan.spending.going]);
      takeWork(state, plan.spending.lost);
      for (const { costNano } of plan.spending.lost) state.costNano = addNano(state.costNano, costNano);
    }
    return ended;
  } catch (error) {
    const { hold, entries, kept } = result.open;
    // Settling twice releases once; the entries are booked again only where the first try was undone or its answer lost.
    if (hold !== null) {
      await untilStored(() =>
        deps.store.write(async (tx) => {
          await deps.costs.settle(tx, hold, entries);
          // What is kept of a call that did not come to its end is booked with the end of the run.
          if (entries.length > 0) await dropKept(tx, runIdOf(run), kept);
        }),
      );
    }
    throw error;
  }
};
