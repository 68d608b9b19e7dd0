import { type Caller, ownScope } from '../../kernel/caller.ts';
import { isHandedOver } from './client-tools.rules.ts';
import { type PlanStep, type RunState, readSteps, replaySteps, tellResults } from './steps.rules.ts';
import type { ChatStore } from './store.ts';

/** A run that has ended by handing calls to its client, as it stands before their results. */
interface HandedRun {
  conversationId: string;
  answerId: string;
  plan: PlanStep;
  state: RunState;
  /** The calls whose results are missing. */
  callIds: readonly string[];
}

/** Null where the caller has no such run, or its steps are kept no longer. */
export const readHanded = async (
  store: Pick<ChatStore, 'run' | 'steps'>,
  caller: Caller,
  runId: string,
): Promise<HandedRun | null> => {
  const row = await store.run(ownScope(caller), runId);
  if (row === undefined || row.status !== 'completed') return null;
  const rows = await store.steps(runId);
  const replayed = replaySteps(readSteps(rows));
  if (replayed === null || replayed.state.asked === null) return null;
  const { plan, state } = replayed;
  const callIds = state.settled.filter(isHandedOver).map((call) => call.callId);
  if (callIds.length === 0) return null;
  return { conversationId: row.conversation_id, answerId: row.message_id, plan, state, callIds };
};

/** What its model is told next, once the results are there. */
export const withResults = ({ state }: HandedRun, results: Readonly<Record<string, string>>): RunState => {
  state.settled = state.settled.map((call) =>
    isHandedOver(call) ? { ...call, text: results[call.callId] ?? '' } : call,
  );
  tellResults(state);
  return state;
};
