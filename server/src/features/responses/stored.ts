import type { FastifyReply } from 'fastify';
import { type AnyRoute, route } from '../../http/route.ts';
import { IGNORED_HEADER, ignoredNames } from '../../http/unknown-fields.ts';
import type { Caller } from '../../kernel/caller.ts';
import { AppError } from '../../kernel/errors.ts';
import type { ChatService } from '../chat/index.ts';
import type { ConversationService } from '../conversations/index.ts';
import { refusal } from '../openai/index.ts';
import { emptyResponse, failedResponse, inputItem, responseId, responseOf, runOfId } from './answer.ts';
import {
  InputItems,
  InputItemsQuery,
  ResponseAnswer,
  ResponseDeleted,
  ResponseParams,
  ResponseQuery,
  type ResponseRequest,
} from './schema.ts';

/** What is stored of responses: each is a run of the caller, and is gone with its conversation. */

export interface StoredResponses {
  chat: ChatService;
  conversations: Pick<ConversationService, 'get' | 'deleteForGood'>;
}

const tag = 'OpenAI compatible';
/** A question and its answer. */
const MESSAGES_OF_ONE = 2;

const notThere = (): AppError =>
  refusal('response_id', 'there is no such response of yours', 'not_found', 'NOT_FOUND');

type Outcome = NonNullable<Awaited<ReturnType<ChatService['outcome']>>>;

/** A run of the caller's own; null while it goes on. Throws NOT_FOUND. */
const findOwn = async (
  chat: ChatService,
  caller: Caller,
  id: string,
): Promise<{ runId: string; outcome: Outcome | null }> => {
  const runId = runOfId(id);
  if (runId === null) throw notThere();
  const outcome = await chat.outcome(caller, runId);
  if (outcome !== null && 'failed' in outcome && outcome.failed.code === 'NOT_FOUND') throw notThere();
  return { runId, outcome };
};

/** What was asked for beyond its text is not kept. */
const askedOf = (agentId: string | undefined): ResponseRequest => ({
  model: agentId === undefined ? 'pentarch' : `pentarch/${agentId}`,
  input: '',
});

const read = async ({ chat }: StoredResponses, caller: Caller, id: string): Promise<ResponseAnswer> => {
  const { runId, outcome } = await findOwn(chat, caller, id);
  if (outcome !== null && 'answer' in outcome)
    return responseOf(askedOf(outcome.answer.agent_id), outcome.answer);
  const run = await chat.getRun(caller, runId);
  const empty = emptyResponse(askedOf(run.agent_ids.at(-1)), runId);
  return outcome === null ? empty : failedResponse(empty, outcome.failed);
};

const inputOf = async ({ chat }: StoredResponses, caller: Caller, id: string, after?: string) => {
  const { runId } = await findOwn(chat, caller, id);
  const { question } = await chat.turn(caller, runId);
  const data = question === null || after !== undefined ? [] : [inputItem(question)];
  return {
    object: 'list' as const,
    data,
    first_id: data[0]?.id ?? null,
    last_id: data[0]?.id ?? null,
    has_more: false,
  };
};

/** The conversation that holds this response and nothing else. Throws NOT_FOUND, CONFLICT. */
const conversationOfOne = async (
  { chat, conversations }: StoredResponses,
  caller: Caller,
  id: string,
): Promise<string> => {
  const { runId } = await findOwn(chat, caller, id);
  const { conversation_id: conversationId } = await chat.getRun(caller, runId);
  const [{ total }, { message_count: messages }] = await Promise.all([
    chat.turns(caller, { conversationId }, { limit: 1, before: null }),
    conversations.get(caller, conversationId),
  ]);
  if (total > 1 || messages > MESSAGES_OF_ONE)
    throw new AppError(
      'CONFLICT',
      `its conversation ${conversationId} holds more than this response: delete the conversation`,
    );
  return conversationId;
};

const tellIgnored = (reply: FastifyReply, query: ResponseQuery): void => {
  if (query.include !== undefined || query['include[]'] !== undefined)
    reply.header(IGNORED_HEADER, ignoredNames(['include']));
};

export const storedResponseRoutes = (options: StoredResponses): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/v1/responses/:id',
    surface: 'root',
    operationId: 'getResponse',
    modelNames: { response: 'OpenAiResponse' },
    summary: 'A stored response of the caller',
    description:
      'Of what was asked for only the text is kept: the other settings have their defaults. What was not stored is 404.',
    tag,
    access: 'conversations:read',
    params: ResponseParams,
    query: ResponseQuery,
    responses: { 200: ResponseAnswer },
    handler: ({ caller, params, query, reply }) => {
      tellIgnored(reply, query);
      return read(options, caller, params.id);
    },
  }),
  route({
    method: 'DELETE',
    path: '/v1/responses/:id',
    surface: 'root',
    operationId: 'deleteResponse',
    summary: 'Delete a stored response for good, with its conversation',
    description:
      'Where the conversation holds more than this response it is 409: conversations are deleted as a whole.',
    tag,
    access: 'conversations:write',
    params: ResponseParams,
    audit: { action: 'conversation.deleted', targetType: 'conversation', each: true },
    responses: { 200: ResponseDeleted },
    handler: async ({ caller, params, noteOn }) => {
      const conversationId = await conversationOfOne(options, caller, params.id);
      await options.conversations.deleteForGood(caller, conversationId, (tx) => noteOn(tx, conversationId));
      return { id: responseId(runOfId(params.id) ?? ''), object: 'response' as const, deleted: true };
    },
  }),
  route({
    method: 'GET',
    path: '/v1/responses/:id/input_items',
    surface: 'root',
    operationId: 'listResponseInputItems',
    summary: 'What a stored response answers',
    description:
      'One item: the message that the run answers. History that came with the request is not stored.',
    tag,
    access: 'conversations:read',
    params: ResponseParams,
    query: InputItemsQuery,
    responses: { 200: InputItems },
    handler: ({ caller, params, query, reply }) => {
      tellIgnored(reply, query);
      return inputOf(options, caller, params.id, query.after);
    },
  }),
];
