import type { ConversationRow } from '../../../../db/tables/chat.ts';
import { type Caller, ownScope } from '../../../../kernel/caller.ts';
import { conflict, notFound } from '../../../../kernel/errors.ts';
import { newId } from '../../../../kernel/ids.ts';
import { isQueuedAt } from '../../../conversations/index.ts';
import { createReserve } from '../../budget.ts';
import { namedParent } from '../../follows.rules.ts';
import { samplingOf } from '../../request.ts';
import type { ChatStore } from '../../store.ts';
import type { Asking, RunMessage, StartDeps } from '../run.ts';

/** The caller's conversation, checked; null for a new one. Throws NOT_FOUND, CONFLICT. */
export const findConversation = async (
  store: Pick<ChatStore, 'conversation'>,
  caller: Caller,
  id: string | undefined,
): Promise<ConversationRow | null> => {
  if (id === undefined) return null;
  const row = await store.conversation(ownScope(caller), id);
  if (row === undefined) throw notFound('conversation');
  if (row.status === 'archived') throw conflict('this conversation is archived; restore it to go on');
  return row;
};

/** Throws NOT_FOUND where the message that is named is not of the conversation, CONFLICT where it waits for its turn. */
export const checkParent = async (
  store: Pick<ChatStore, 'message'>,
  conversationId: string,
  parent: string | null | undefined,
): Promise<void> => {
  if (typeof parent !== 'string') return;
  const row = await store.message(parent);
  if (row?.conversation_id !== conversationId) throw notFound('message');
  if (isQueuedAt(row.created_at)) throw conflict('the message to follow waits for its turn itself');
};

/** First step: the conversation of a message, and what will pay for its answer. Throws NOT_FOUND, CONFLICT, VALIDATION_ERROR. */
export const loadConversation = async (deps: StartDeps, message: RunMessage): Promise<Asking> => {
  const { caller, request, context, queued } = message;
  const given = message.given ?? {};
  const conversation = await findConversation(deps.store, caller, request.conversation_id);
  if (conversation !== null) await checkParent(deps.store, conversation.id, namedParent(request));
  const conversationId = conversation?.id ?? message.newConversationId ?? newId();
  const runId = queued?.runId ?? newId();
  const sampling = samplingOf(given, deps.maxOutputTokens);
  return {
    message,
    given,
    runId,
    conversation,
    conversationId,
    now: deps.clock.now(),
    requestedModel: context.model === null ? null : deps.models.pick(context.model),
    sampling,
    outputTokens: sampling?.maxOutputTokens ?? deps.maxOutputTokens,
    subject: {
      tenantId: caller.tenantId,
      userId: caller.userId,
      agentId: context.agentId,
      conversationId,
      runId,
      requestId: message.requestId,
    },
    spending: { nano: 0 },
    embedded: { nano: 0 },
    reserve: createReserve(deps.costs, deps.store),
  };
};
