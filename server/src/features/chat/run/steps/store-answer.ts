import type { Queryable, Tx } from '../../../../db/db.ts';
import type { MessageRow } from '../../../../db/tables/chat.ts';
import { together } from '../../../../db/together.ts';
import type { NewEvent, PlatformEvent } from '../../../../kernel/events.ts';
import { ACTIVE, activateBranch, brokenReason } from '../../../conversations/index.ts';
import { citationsOf } from '../../citations.rules.ts';
import { endEvents, errorData, failedEvent, metLimitHalfWay, type statusOf } from '../../ending.ts';
import { textsIn } from '../../form.ts';
import { packJournal, type RunEvent } from '../../journal.rules.ts';
import { dropKept } from '../../partials.ts';
import type { RunEvents } from '../../run-events.ts';
import { eventOfRest } from '../../run-state.rules.ts';
import { moveRun } from '../../run-state.store.ts';
import type { ChatResponse } from '../../schema.ts';
import { finishConversation, insertMessage, RunLost, replaceAnswer } from '../../store.ts';
import { untilStored } from '../../until-stored.ts';
import { chatResponseOf, metadataText } from '../../wire.ts';
import type { RunLoop, StartDeps, StartedRun } from '../run.ts';

/** What a run has come to, and how that is called. */
interface Rest {
  result: RunLoop['result'];
  status: ReturnType<typeof statusOf>;
}

const answerRow = (run: StartedRun, { result, status }: Rest, now: number): MessageRow => {
  const { state } = result;
  const items = [...state.toolCalls, ...state.settled.map((call) => call.item)];
  // A whole one has been held against its form before it was told.
  const structured =
    run.plan.record.form !== undefined && status === 'completed' && result.finishReason === 'stop';
  const metadata = metadataText({
    model: result.model.id,
    built_in: result.model.provider === 'builtin',
    finish_reason: status === 'failed' ? brokenReason(result.error) : result.finishReason,
    proposals: state.proposals,
    ...(structured ? { structured } : {}),
    ...(status === 'failed' ? { failed: true } : {}),
  });
  const said = structured ? textsIn(JSON.parse(state.content)).join('\n') : state.content;
  const citations = citationsOf(said, state.passages);
  return {
    id: run.messageId,
    tenant_id: run.subject.tenantId,
    user_id: run.subject.userId,
    conversation_id: run.conversationId,
    role: 'assistant',
    content: state.content,
    agent_id: run.plan.agent.definition.id,
    tool_calls: items.length === 0 ? null : JSON.stringify(items),
    citations: citations.length === 0 ? null : JSON.stringify(citations),
    usage: JSON.stringify(state.usage),
    metadata,
    cost_nano: state.costNano,
    run_id: run.runId,
    created_at: Math.max(now, run.askedAt + 1),
    parent_id: run.questionId,
    active: ACTIVE,
    attachments: null,
  };
};

const workersOf = (run: StartedRun, { result }: Rest): string[] => [
  ...new Set([run.plan.agent.definition.id, ...result.state.work.map((one) => one.agentId)]),
];

/** The run's row: with what it has used so far where it waits, with all of its end where it has ended. */
const restRun = (
  tx: Queryable,
  nodeId: string,
  run: StartedRun,
  rest: Rest,
  end: { events: RunEvents; now: number },
): Promise<boolean> => {
  const { result, status } = rest;
  const { state, error } = result;
  const move = { id: run.runId, nodeId, from: run.stored.status, event: eventOfRest(status) };
  const used = {
    agent_ids: JSON.stringify(workersOf(run, rest)),
    usage: JSON.stringify(state.usage),
    cost_nano: state.costNano,
  };
  if (status === 'awaiting_approval') return moveRun(tx, move, used);
  const last: RunEvent =
    error === null ? { event: 'message.completed', data: null } : { event: 'error', data: errorData(error) };
  return moveRun(tx, move, {
    ...used,
    delegated: state.work.length === 0 ? null : JSON.stringify(state.work),
    error: error === null ? null : JSON.stringify(errorData(error)),
    journal: JSON.stringify(packJournal([...end.events.all(), last], end.events.jumps())),
    tool_call_count: state.toolCalls.length,
    first_token_ms: state.firstTokenMs,
    finished_at: end.now,
  });
};

/**
 * Last step, and the second write: answer, run, conversation and ledger in one transaction; of a run that waits, what stands by
 * then. Gives the stored answer. Throws `RunLost`.
 */
export const storeAnswer = async (
  deps: Pick<StartDeps, 'clock' | 'store' | 'costs'>,
  run: StartedRun,
  result: RunLoop['result'],
  status: Rest['status'],
  events: RunEvents,
): Promise<ChatResponse> => {
  const { store, costs, clock } = deps;
  const now = clock.now();
  const { state, open } = result;
  const rest = { result, status };
  const row = answerRow(run, rest, now);
  const response = chatResponseOf(row);
  if (run.temporary) {
    const { hold } = open;
    if (hold !== null) await untilStored(() => store.write((tx) => costs.settle(tx, hold, open.entries)));
    run.stored.status = status;
    return response;
  }
  const waits = status === 'awaiting_approval';
  // A failed run that said nothing leaves the question alone: an empty answer would only confuse the history.
  const answers = status !== 'failed' || state.content.trim() !== '';
  const completes =
    !waits && answers && status !== 'failed' && (result.error === null || metLimitHalfWay(result));
  const ends: NewEvent[] = completes ? endEvents(run, row, response, state.taint) : [];
  if (completes && result.error !== null) ends.unshift(failedEvent(run, result.error));
  let emitted: PlatformEvent[] = [];
  const write = async (tx: Tx): Promise<void> => {
    const [kept, told] = await together(
      // The run's row first: what follows is written by the one node whose run it is.
      restRun(tx, store.nodeId, run, rest, { events, now }),
      together(...ends.map((event) => tx.emit(event))),
      run.stored.answered ? replaceAnswer(tx, row) : answers ? insertMessage(tx, row) : null,
      finishConversation(tx, {
        id: run.conversationId,
        added_messages: answers && !run.stored.answered ? 1 : 0,
        added_cost: state.costNano - run.stored.costNano,
        agent_ids: JSON.stringify([...new Set([...run.plan.record.agentIds, ...workersOf(run, rest)])]),
        title: run.plan.record.title,
        now,
      }),
      open.hold === null ? null : costs.settle(tx, open.hold, open.entries),
      open.kept === null ? null : dropKept(tx, run.runId, open.kept),
    );
    // Nothing of it stands then: it is all one transaction.
    if (!kept) throw new RunLost();
    // A new answer to a question that had one leads the active branch from now on.
    if (run.again && answers && !run.stored.answered)
      await activateBranch(tx, run.conversationId, run.messageId);
    emitted = told;
  };
  const tell = (tx: Tx) => together(...emitted.map((event) => tx.emit(event, { webhooks: false })));
  await untilStored(async (again) => {
    // The answer to an earlier try may have been lost on the way, and not the try: its events are recorded, and not told.
    if (again && !waits && (await store.endedHere(run.runId))) {
      if (emitted.length > 0) await store.write(tell);
      return;
    }
    await store.write(write, { repeatable: true });
  });
  run.stored = { status, answered: run.stored.answered || answers, costNano: state.costNano };
  return response;
};
