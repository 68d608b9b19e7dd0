import type { Along, Tx } from '../../../../db/db.ts';
import { newId } from '../../../../kernel/ids.ts';
import { activateBranch } from '../../../conversations/index.ts';
import type { Hold } from '../../../costs/index.ts';
import { holdRequest, reserveOfRun } from '../../budget.ts';
import { LONGEST_SUMMARY_BYTES } from '../../history.rules.ts';
import type { RunEvent } from '../../journal.rules.ts';
import { encoded } from '../../pictures/sent.ts';
import { takenBackBefore } from '../../queued.rules.ts';
import { placeMessage } from '../../queued.store.ts';
import { startState } from '../../steps.rules.ts';
import { isTemporary } from '../../temporary.ts';
import { untilStored } from '../../until-stored.ts';
import { sizedCall } from '../model-call.ts';
import { planOf, recordOf } from '../plan.ts';
import type { Asking, Prompt, RunDeps, RunLoop, StartDeps, StartedRun } from '../run.ts';
import { beginQueued, storeQuestion } from '../store-question.ts';
import { boundOf, messagesOf } from './build-prompt.ts';
import type { History } from './load-history.ts';

type Ready = Parameters<typeof recordOf>[2];
type Question = Parameters<typeof storeQuestion>[3];

/** What a call before the answer sets aside for it: an answer by this agent, with all of the history that could go along. */
export const setAside = ({ models }: StartDeps, asking: Asking, history: History, prompt: Prompt): Along =>
  asking.reserve.of(() => {
    const { known } = history;
    const whole = { turns: known.turns, summary: known.summary?.content ?? null };
    const messages = messagesOf(asking, history, prompt, whole);
    const bound = boundOf(models, asking, messages, prompt) + (known.cut ? LONGEST_SUMMARY_BYTES : 0);
    const whose = { ...asking.subject, agentId: prompt.agent.definition.id };
    const priced = { models, maxOutputTokens: asking.outputTokens };
    const request = holdRequest(priced, whose, prompt.model, bound, 0);
    return { ...request, worstNano: request.leastNano ?? request.worstNano };
  });

const startEvents = (
  { runId, conversationId }: Asking,
  messageId: string,
  choice: Ready['choice'],
): RunEvent[] => [
  {
    event: 'run.started',
    data: { run_id: runId, conversation_id: conversationId, message_id: messageId },
  },
  {
    event: 'agent.selected',
    data: {
      agent_id: choice.agentId,
      reason: choice.reason,
      confidence: choice.confidence,
      candidates: choice.candidates,
    },
  },
];

/** Where the question stands: behind what was taken back before it, which keeps to the end of the active branch. */
const placeOf = (
  { message: { queued, again }, now }: Asking,
  known: History['known'],
): Pick<Question, 'questionId' | 'askedAt' | 'parentId' | 'takenBack' | 'lastSaid'> => {
  if (again !== undefined) return { ...again, takenBack: [], lastSaid: undefined };
  const waits = known.atLeaf && known.queued.length > 0;
  const takenBack = waits ? takenBackBefore(known.queued, queued ?? null) : [];
  return {
    questionId: queued?.questionId ?? newId(),
    takenBack,
    parentId: takenBack.at(-1)?.id ?? known.last?.id ?? null,
    // What others have said elsewhere does not matter to who names the message to follow.
    lastSaid: known.atLeaf ? known.last : undefined,
    // A conversation is in the order in which it was held, also where the clock was set back since its last message.
    askedAt: Math.max(now, (known.last?.created_at ?? 0) + 1) + takenBack.length,
  };
};

const questionOf = (
  asking: Asking,
  { known }: History,
  { prompt, choice }: Ready,
  title: string,
): Question => {
  const { queued, again } = asking.message;
  const messageId = queued?.messageId ?? newId();
  return {
    ...placeOf(asking, known),
    messageId,
    branches: again !== undefined || !known.atLeaf || asking.conversation?.branched === 1,
    agentId: prompt.agent.definition.id,
    title,
    taint: prompt.taint,
    events: startEvents(asking, messageId, choice),
  };
};

/**
 * Sixth step, and the first that writes of the run: the reservation of its first call with the question and the run, in one
 * transaction. Nothing is stored when it throws. Throws COST_EXCEEDED, `TurnTaken`, `RunLost`.
 */
export const reserveBudget = async (
  deps: StartDeps,
  asking: Asking,
  history: History,
  ready: Ready,
): Promise<StartedRun> => {
  const { store, models, costs } = deps;
  const temporary = isTemporary(asking.message.request);
  const { message, runId, conversationId, spending } = asking;
  const { agent, model, tools, noted } = ready.prompt;
  const subject = { ...asking.subject, agentId: agent.definition.id };
  const record = recordOf(asking, history, ready);
  const promptBound = boundOf(models, asking, record.messages, ready.prompt);
  const priced = { models, maxOutputTokens: asking.outputTokens };
  const request = holdRequest(priced, subject, model, promptBound, spending.nano);
  const question = questionOf(asking, history, ready, record.title);
  const { askedAt, takenBack, questionId, messageId, events } = question;
  const write = async (tx: Tx): Promise<Hold> => {
    // First what may refuse: nothing is written when the reservation does not fit.
    await asking.reserve.give(tx);
    const taken = await reserveOfRun(costs, tx, request);
    if (temporary) return taken;
    if (message.queued !== undefined) await beginQueued(tx, deps, asking, question);
    else await storeQuestion(tx, deps, { ...asking, subject }, question);
    // Not sooner: the claim of the turn looks for what others have said.
    for (const [i, { id }] of takenBack.entries()) {
      const parentId = takenBack[i - 1]?.id ?? history.known.last?.id ?? null;
      await placeMessage(tx, id, { at: askedAt - takenBack.length + i, parentId });
    }
    if (question.branches && message.again === undefined)
      await activateBranch(tx, conversationId, questionId);
    return taken;
  };
  // An answer in one piece is told of with the write that ends the run; a stream names the run at once.
  const firstHold = await store.write(write, { repeatable: true, deferred: !message.streaming });
  const spentNano = spending.nano;
  return {
    runId,
    messageId,
    conversationId,
    questionId,
    parentId: question.parentId,
    askedAt,
    plan: {
      ...planOf(record, { agent, model, tools, noted, firstHold, promptBound, spentNano }),
      ...(message.pictures === undefined ? {} : { pictures: encoded(message.pictures) }),
    },
    state: startState(record),
    events,
    subject,
    again: message.again !== undefined,
    temporary,
    stored: { status: 'running', answered: false, costNano: 0 },
  };
};

/** The same for each later call of the loop. Throws COST_EXCEEDED. */
export const reserveCall = async (deps: RunDeps, run: RunLoop): Promise<void> => {
  const { plan, subject, context } = run;
  run.promptBound = deps.models.promptBound(sizedCall(run), plan.model);
  const request = holdRequest(deps, subject, plan.model, run.promptBound, plan.spending.nano);
  // A try whose answer was lost leaves a reservation behind, which the sweep of ended runs frees.
  run.result.open.hold = await untilStored(
    () => deps.store.write((tx) => reserveOfRun(deps.costs, tx, request)),
    context.signal,
  );
};
