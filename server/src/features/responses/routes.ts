import type { FastifyReply } from 'fastify';
import { type AnyRoute, route, type SignedInInput } from '../../http/route.ts';
import type { Caller } from '../../kernel/caller.ts';
import { CHAT_BODY_BYTES, type ChatService } from '../chat/index.ts';
import { createDoor, type DoorOptions, type DoorWire, refusal } from '../openai/index.ts';
import { responseOf, runOfId } from './answer.ts';
import { type Known, readResponses, referencesIn } from './request.ts';
import { ResponseAnswer, ResponseRequest } from './schema.ts';
import { type StoredResponses, storedResponseRoutes } from './stored.ts';
import { createResponseFrames, responseErrorFrame } from './stream.ts';

const MAX_REFERENCES = 100;

const notThere = (param: string): Error =>
  refusal(param, 'there is no such response of yours', 'previous_response_not_found');

/** The conversation of an earlier response. It goes on at its end: an older response has been gone on from already. */
const conversationOf = async (chat: ChatService, caller: Caller, id: string): Promise<string> => {
  const at = 'previous_response_id';
  const runId = runOfId(id);
  if (runId === null) throw notThere(at);
  const outcome = await chat.outcome(caller, runId);
  if (outcome === null) throw refusal(at, 'this response is still being made', 'invalid_value');
  if ('failed' in outcome) throw notThere(at);
  const { conversation_id: conversationId } = outcome.answer;
  const { turns } = await chat.turns(caller, { conversationId }, { limit: 1, before: null });
  if (turns[0]?.run.id !== runId)
    throw refusal(
      at,
      'this response is not the newest of its conversation: go on from that one',
      'invalid_value',
    );
  return conversationId;
};

const knownTo = async (chat: ChatService, caller: Caller, body: ResponseRequest): Promise<Known> => {
  const previous = body.previous_response_id;
  const conversationId =
    previous === undefined || previous === null ? null : await conversationOf(chat, caller, previous);
  const references = [...new Set(referencesIn(body))];
  if (references.length > MAX_REFERENCES)
    throw refusal('input', `at most ${MAX_REFERENCES} items can be referred to`, 'array_above_max_length');
  const texts = new Map<string, string>();
  for (const id of references) {
    const runId = runOfId(id);
    const outcome = runId === null ? null : await chat.outcome(caller, runId);
    if (outcome !== null && 'answer' in outcome) texts.set(id, outcome.answer.content);
  }
  return { conversationId, textOf: (id) => texts.get(id) };
};

/** `/v1/responses`: agents as models for programs that speak the newer API of OpenAI. */
export const responseRoutes = (options: DoorOptions & StoredResponses): AnyRoute[] => {
  const door = createDoor(options);

  const create = (
    input: SignedInInput<ResponseRequest, unknown, unknown>,
  ): Promise<ResponseAnswer | FastifyReply> => {
    const { body, caller } = input;
    const wire: DoorWire = {
      name: 'v1/responses',
      request: async () => readResponses(body, await knownTo(options.chat, caller, body)),
      answer: (response) => responseOf(body, response),
      frames: (runId) => createResponseFrames({ runId, body }),
      farewell: (fault) => responseErrorFrame(fault.message),
    };
    // Both are what the wire has written.
    return door.serve(input, wire, body.stream === true) as Promise<ResponseAnswer | FastifyReply>;
  };

  return [
    route({
      method: 'POST',
      path: '/v1/responses',
      surface: 'root',
      operationId: 'createResponse',
      modelNames: { response: 'OpenAiResponse' },
      summary: 'Ask an agent in the form of the OpenAI Responses API',
      description:
        'The history comes with the request, or with previous_response_id or conversation from the store. Each call is a run with conversation, ledger and governance like any other. With stream the answer is text/event-stream: response.created to response.completed.',
      tag: 'OpenAI compatible',
      access: 'chat:write',
      body: ResponseRequest,
      bodyLimitBytes: CHAT_BODY_BYTES,
      unknownFields: 'ignored',
      idempotency: 'own',
      produces: ['application/json', 'text/event-stream'],
      responses: { 200: ResponseAnswer },
      handler: create,
    }),
    ...storedResponseRoutes(options),
  ];
};
