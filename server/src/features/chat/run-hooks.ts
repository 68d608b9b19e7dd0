import type { RunProposals } from '../../kernel/decisions.ts';
import type { createDecisionWaits } from './decision-waits.ts';
import { type createConversationQueue, inTurn } from './queue.ts';
import type { RunLoop, StartDeps, StartedRun } from './run/run.ts';
import { storeAnswer } from './run/steps/store-answer.ts';
import type { RunEvents } from './run-events.ts';
import type { ChatResponse } from './schema.ts';
import { waiting } from './steps.rules.ts';
import { untilStored } from './until-stored.ts';

interface RunHooksDeps extends Pick<StartDeps, 'clock' | 'store' | 'costs'> {
  decisionWaits: ReturnType<typeof createDecisionWaits>;
  queue: ReturnType<typeof createConversationQueue>;
  runProposals: RunProposals;
}

/** Around a run that waits: its answer so far is stored, and its conversation is free for other messages. */
export const createRunHooks =
  (deps: RunHooksDeps) =>
  (
    run: StartedRun,
    events: RunEvents,
    abort: AbortController,
    turn: { leave(): void },
    told: (response: ChatResponse) => void,
  ): NonNullable<RunLoop['hooks']> => ({
    async waiting(state) {
      const result: RunLoop['result'] = {
        state,
        finishReason: 'awaiting_approval',
        model: run.plan.model,
        open: { hold: null, entries: [], kept: null },
        error: null,
      };
      const response = await storeAnswer(deps, run, result, 'awaiting_approval', events);
      for (const id of new Set(waiting(state).map(({ call }) => call.proposalId))) {
        events.emit('proposal.created', await deps.runProposals.show(run.subject, id));
      }
      turn.leave();
      told(response);
    },
    decision: (proposalId) =>
      deps.decisionWaits.wait(run.subject, proposalId, deps.runProposals, abort.signal),
    async resumed() {
      const place = { begun: run.runId };
      await inTurn(
        turn,
        () => deps.queue.enter(run.conversationId, { place, signal: abort.signal }),
        () => untilStored(() => deps.store.goOn(run.runId, run.conversationId), abort.signal),
      );
      run.stored.status = 'running';
    },
  });
