import type { Caller } from '../../kernel/caller.ts';
import { AppError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { noteLogFields } from '../../kernel/log-fields.ts';
import type { SentPictures } from '../../kernel/picture.ts';
import type { ActiveRun } from './active-run.ts';
import { attachedBy } from './attachments.ts';
import { namedParent } from './follows.rules.ts';
import type { createLineUp, LineUpDeps } from './line-up.ts';
import { refuseTooLong } from './message-length.ts';
import { withPictures } from './pictures/sent.ts';
import type { AttachedDocument } from './ports.ts';
import { busy, TurnTaken } from './queue.ts';
import { type LaunchOptions, parseContext, withForm } from './request.ts';
import { startRun } from './run/pipeline.ts';
import type { RunMessage, StartedRun } from './run/run.ts';
import { checkParent, findConversation } from './run/steps/load-conversation.ts';
import { namedAgent } from './run/steps/select-agent.ts';
import { createRunEvents } from './run-events.ts';
import { startInSpan } from './run-span.ts';
import type { ChatRequest } from './schema.ts';
import { checkTemporary, withHistory } from './temporary.ts';

interface LaunchDeps extends LineUpDeps {
  lineUp: ReturnType<typeof createLineUp>;
}

/** A message gets its run: at once where its conversation is free, behind the others where it is busy. */
export const createLaunch = (options: LaunchDeps) => {
  const { store, queue, waiting, lineUp } = options;
  const { publish, begin } = options.running;

  /** What can be refused of a message before its turn comes. Throws VALIDATION_ERROR, CONFLICT. */
  const checkSettings = async (caller: Caller, { agentId, model }: RunMessage['context']): Promise<void> => {
    if (agentId !== null) await namedAgent(options.agents, caller, agentId);
    if (model !== null) options.models.pick(model);
  };

  /** Behind the message that its conversation is busy with. */
  const join = async (
    caller: Caller,
    request: ChatRequest & { conversation_id: string },
    context: RunMessage['context'],
    how: LaunchOptions & { attached: readonly AttachedDocument[]; pictures?: SentPictures },
  ): Promise<ActiveRun> => {
    if (!how.wait || how.again !== undefined) throw busy();
    const here = queue.announce(request.conversation_id);
    try {
      await checkSettings(caller, context);
      await checkParent(store, request.conversation_id, namedParent(request));
      const accepted = await waiting.accept(caller, request, how);
      noteLogFields({ run_id: accepted.run.runId, conversation_id: request.conversation_id });
      return lineUp(accepted);
    } finally {
      here();
    }
  };

  /** Starts a run and returns it once it is stored; refusals known before the first byte are thrown here. */
  const launch = async (caller: Caller, request: ChatRequest, asked: LaunchOptions): Promise<ActiveRun> => {
    const context = parseContext(request.context);
    checkTemporary(request, asked);
    namedParent(request);
    await refuseTooLong(options, caller, request.message, context);
    const attached = await attachedBy(options.documents, caller, request);
    const how = await withPictures(
      options,
      { caller, request, context },
      { ...withHistory(request, withForm(request, asked)), attached },
    );
    const { conversation_id: conversationId } = request;
    const behind = (): Promise<ActiveRun> =>
      join(caller, { ...request, conversation_id: conversationId ?? newConversationId }, context, how);
    const newConversationId = newId();
    let leave: (() => void) | null;
    if (conversationId === undefined) leave = queue.enterNew(newConversationId);
    else {
      await findConversation(store, caller, conversationId);
      leave = await queue.tryEnter(conversationId);
      if (leave === null) return behind();
    }
    const abort = new AbortController();
    let started: StartedRun;
    try {
      const { signal } = abort;
      const message = { ...how, caller, request, context, newConversationId, signal };
      started = await startInSpan(() => startRun(options, message), caller);
    } catch (error) {
      leave();
      if (error instanceof TurnTaken) return behind();
      // It was deleted for good in between, which the store only tells as a broken reference.
      if (!(error instanceof AppError)) await findConversation(store, caller, conversationId);
      throw error;
    }
    noteLogFields({ run_id: started.runId, conversation_id: started.conversationId });
    const events = createRunEvents(started.events);
    const { agentId } = started.plan.record.choice;
    publish(started, 'run.started', { agent_id: agentId, question_id: started.questionId });
    return begin(caller, started, events, abort, leave);
  };

  return launch;
};
