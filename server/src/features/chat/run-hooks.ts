import type { ApprovalPort, WaitingRoom } from './approvals.ts';
import type { Ending } from './ending.ts';
import type { RunHooks, RunResult } from './execute.ts';
import { type ConversationQueue, inTurn } from './queue.ts';
import type { RunEvents } from './run-events.ts';
import type { ChatResponse } from './schema.ts';
import type { StartedRun } from './start.ts';
import { waiting } from './steps.rules.ts';
import type { ChatStore } from './store.ts';
import { untilStored } from './until-stored.ts';

export interface RunHooksDeps {
  ending: Ending;
  room: WaitingRoom;
  queue: ConversationQueue;
  store: Pick<ChatStore, 'goOn'>;
  approvals: ApprovalPort;
}

/** Around a run that waits: its answer so far is stored, and its conversation is free for other messages. */
export const createRunHooks =
  ({ ending, room, queue, store, approvals }: RunHooksDeps) =>
  (
    run: StartedRun,
    events: RunEvents,
    abort: AbortController,
    turn: { leave(): void },
    told: (response: ChatResponse) => void,
  ): RunHooks => ({
    async waiting(state) {
      const result: RunResult = {
        state,
        finishReason: 'awaiting_approval',
        model: run.plan.model,
        open: { hold: null, entries: [] },
        error: null,
      };
      const { response } = await ending.write(run, result, 'awaiting_approval', events);
      for (const id of new Set(waiting(state).map(({ call }) => call.proposalId))) {
        events.emit('proposal.created', await approvals.show(run.subject, id));
      }
      turn.leave();
      told(response);
    },
    decision: (proposalId) => room.wait(run.subject, proposalId, approvals, abort.signal),
    async resumed() {
      const place = { begun: run.runId };
      await inTurn(
        turn,
        () => queue.enter(run.conversationId, { place, signal: abort.signal }),
        () => untilStored(() => store.goOn(run.runId, run.conversationId), abort.signal),
      );
      run.stored.status = 'running';
    },
  });
