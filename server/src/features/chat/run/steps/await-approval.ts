import { goOnWithCalls } from '../../go-on-within.ts';
import { decidedCall, lostWithin } from '../../settled-call.ts';
import { applyDecided, isUnsettled, waiting } from '../../steps.rules.ts';
import { holdTaint, toolOf } from '../loop.ts';
import type { RunDeps, RunLoop } from '../run.ts';
import { writeSteps } from '../write-steps.ts';
import { contextOfCalls } from './call-tools.ts';

const awaitDecisions = async (
  deps: RunDeps,
  run: RunLoop,
  hooks: NonNullable<RunLoop['hooks']>,
): Promise<void> => {
  const { state, events } = run;
  await hooks.waiting(state);
  for (const { call, within } of waiting(state)) {
    const decision = await hooks.decision(call.proposalId);
    const decided = decidedCall(call, toolOf(run, call), decision);
    applyDecided(state, decided, within);
    holdTaint(run, decided.taint);
    const payload = { v: 1 as const, call: decided, ...(within.length === 0 ? {} : { within }) };
    await writeSteps(deps, run, [{ kind: 'decided', payload }]);
    events.emit('proposal.decided', decision.proposal);
    if (!isUnsettled(decided)) events.emit('tool.completed', decided.item);
  }
  await hooks.resumed(state);
};

/** The loops within calls, once what they waited for is decided. */
const goOnWithin = async (deps: RunDeps, run: RunLoop): Promise<void> => {
  const { state, events, context } = run;
  const open = state.settled.filter(isUnsettled);
  await writeSteps(
    deps,
    run,
    open.map((call) => ({ kind: 'decided', payload: { v: 1, call: lostWithin(call) } })),
  );
  const first = state.passages.length + 1;
  const now = await contextOfCalls(deps, run);
  const options = {
    gate: deps.gate,
    toolLedger: deps.toolLedger,
    clock: deps.clock,
    timeoutMs: deps.toolTimeoutMs,
  };
  const { calls, exceeded } = await goOnWithCalls(open, (call) => toolOf(run, call), now, first, options);
  for (const call of calls) {
    applyDecided(state, call);
    if (!isUnsettled(call)) events.emit('tool.completed', call.item);
  }
  context.signal.throwIfAborted();
  await writeSteps(
    deps,
    run,
    calls.map((call) => ({ kind: 'decided', payload: { v: 1, call } })),
  );
  if (exceeded !== null) throw exceeded;
};

/**
 * Waits until every call is decided: approved ones have been carried out by then (governance does it), others are told as
 * refused. False where calls wait on, and those outside of this loop see to it.
 */
export const awaitApproval = async (deps: RunDeps, run: RunLoop): Promise<boolean> => {
  const { state, hooks } = run;
  while (state.settled.some(isUnsettled)) {
    if (waiting(state).length > 0) {
      if (hooks === null) return false;
      await awaitDecisions(deps, run, hooks);
    }
    if (state.settled.some(isUnsettled)) await goOnWithin(deps, run);
  }
  return true;
};
