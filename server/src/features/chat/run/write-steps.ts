import type { Tx } from '../../../db/db.ts';
import { taintText } from '../../../kernel/taint.ts';
import { dropKept } from '../partials.ts';
import type { readSteps } from '../steps.rules.ts';
import { hasStep, insertStep, markConversation } from '../store.ts';
import { untilStored } from '../until-stored.ts';
import { runIdOf } from './loop.ts';
import type { RunDeps, RunLoop } from './run.ts';

/** Settles what is open and writes the steps, in one transaction. */
export const writeSteps = async (
  deps: RunDeps,
  run: RunLoop,
  steps: readonly ReturnType<typeof readSteps>[number][],
): Promise<void> => {
  const { store, costs, clock } = deps;
  const { plan, state, subject, result } = run;
  const runId = runIdOf(run);
  const { hold, entries, kept } = result.open;
  const now = clock.now();
  // Of a temporary chat only what it costs is written.
  const stored = plan.record !== null && run.context.temporary !== true;
  const marks = stored && state.taint.length > run.marked.length;
  const first = steps[0] === undefined || !stored ? null : state.nextStep;
  const write = async (tx: Tx, again: boolean): Promise<void> => {
    if (stored) await store.hold(tx, runId);
    // The answer to an earlier try may have been lost on the way, and not the try.
    if (again && first !== null && (await hasStep(tx, { run_id: runId, n: first })).length > 0) return;
    // An inner loop keeps nothing: if it is lost, the call of its tool is told as unknown.
    for (const [i, step] of (stored ? steps : []).entries()) {
      await insertStep(tx, {
        run_id: runId,
        n: state.nextStep + i,
        kind: step.kind,
        payload: JSON.stringify(step.payload),
        created_at: now,
      });
    }
    if (hold !== null) await costs.settle(tx, hold, entries);
    await dropKept(tx, runId, kept);
    if (marks && subject.conversationId !== null)
      await markConversation(tx, { id: subject.conversationId, taint: taintText(state.taint) });
  };
  await untilStored((again) => store.write((tx) => write(tx, again)), run.context.signal);
  run.marked = state.taint;
  state.nextStep += steps.length;
  result.open = { hold: null, entries: [], kept: null };
};
