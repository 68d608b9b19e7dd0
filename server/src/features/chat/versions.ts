import type { Static } from 'typebox';
import type { MessageRow } from '../../db/tables/chat.ts';
import { type Caller, ownScope } from '../../kernel/caller.ts';
import { conflict, invalid, notFound } from '../../kernel/errors.ts';
import { attachmentsOf, isQueuedAt, picturesOf } from '../conversations/index.ts';
import type { LaunchOptions } from './request.ts';
import type { StartDeps } from './run/run.ts';
import { findConversation } from './run/steps/load-conversation.ts';
import type { ChatRequest, EditBody } from './schema.ts';
import type { ChatStore } from './store.ts';

/** Versions of a turn: the question in other words, or another answer to it. */

type Chosen = Pick<Static<typeof EditBody>, 'model' | 'agent_id' | 'attachments'>;

/** What was asked beside the question: of its run where that is kept, else what its message has kept of it. */
const contextOf = (
  metadata: string | null,
  request: string | undefined,
  { model, agent_id: agentId, attachments }: Chosen,
): ChatRequest['context'] => {
  const kept = JSON.parse(metadata ?? '{}') as Record<string, unknown>;
  const asked =
    request === undefined ? kept : (JSON.parse(request) as { context: Record<string, unknown> }).context;
  const { attached_documents: _replaced, ...others } = asked;
  const context = {
    ...(attachments === undefined ? asked : others),
    ...(model === undefined ? {} : { model }),
    ...(agentId === undefined ? {} : { agent_id: agentId }),
  };
  return Object.keys(context).length === 0 ? undefined : context;
};

export const createVersions = (store: ChatStore, documents: StartDeps['documents']) => {
  /** Throws NOT_FOUND, and CONFLICT where the conversation is archived or the message waits for its turn. */
  const find = async (caller: Caller, conversationId: string, messageId: string) => {
    await findConversation(store, caller, conversationId);
    const row = await store.message(messageId);
    if (row?.conversation_id !== conversationId) throw notFound('message');
    if (isQueuedAt(row.created_at)) throw conflict('this message waits for its turn; cancel its run instead');
    return row;
  };

  /** Documents of a question, as far as they are still there, and its pictures. */
  const keptOf = async (caller: Caller, question: Pick<MessageRow, 'attachments'>) => {
    const ids = attachmentsOf(question).map((one) => one.document_id);
    const found = await documents(caller, ids);
    return [
      ...found.map(({ id }) => ({ document_id: id })),
      ...picturesOf(question).map(({ id }) => ({ picture_id: id })),
    ];
  };

  const requestOf = async (
    caller: Caller,
    question: Awaited<ReturnType<typeof find>>,
    message: string,
    chosen: Chosen,
  ): Promise<ChatRequest> => {
    const run = question.run_id === null ? undefined : await store.run(ownScope(caller), question.run_id);
    const context = contextOf(question.metadata, run?.request, chosen);
    const attachments = chosen.attachments ?? (await keptOf(caller, question));
    return {
      message,
      conversation_id: question.conversation_id,
      parent_message_id: question.parent_id,
      ...(context === undefined ? {} : { context }),
      ...(attachments.length === 0 ? {} : { attachments }),
    };
  };

  return {
    /** The request of a question in other words, which stands beside the first. Throws NOT_FOUND, CONFLICT, VALIDATION_ERROR. */
    async edited(caller: Caller, conversationId: string, messageId: string, body: Static<typeof EditBody>) {
      const question = await find(caller, conversationId, messageId);
      if (question.role !== 'user') throw invalid({ field: '/message_id', reason: 'is not a question' });
      return requestOf(caller, question, body.message, body);
    },

    /** The request of another answer to a question, which the message is or has answered. Throws as `edited`. */
    async again(
      caller: Caller,
      conversationId: string,
      messageId: string,
      body: Chosen,
    ): Promise<{ request: ChatRequest; again: NonNullable<LaunchOptions['again']> }> {
      const named = await find(caller, conversationId, messageId);
      const question =
        named.role === 'assistant' && named.parent_id !== null ? await store.message(named.parent_id) : named;
      if (question?.role !== 'user')
        throw invalid({
          field: '/message_id',
          reason: 'answers no question; results of a client’s own tools are sent by that client alone',
        });
      const request = await requestOf(caller, question, question.content, body);
      const { id: questionId, created_at: askedAt, parent_id: parentId } = question;
      return { request, again: { questionId, askedAt, parentId } };
    },
  };
};
