import type { FastifyReply, FastifyRequest } from 'fastify';
import { anthropicError } from '../../http/error-body.ts';
import { type AnyRoute, route, type SignedInInput } from '../../http/route.ts';
import { CHAT_BODY_BYTES } from '../chat/index.ts';
import { createDoor, type DoorOptions, type DoorWire, refusal } from '../openai/index.ts';
import { messageAnswerOf } from './answer.ts';
import { countTokens, readMessages } from './request.ts';
import { CountAnswer, CountRequest, MessageAnswer, MessageRequest } from './schema.ts';
import { createMessageFrames, messageErrorFrame } from './stream.ts';

const tag = 'Anthropic compatible';
/** What these doors read and write is the same in both. */
const VERSIONS: ReadonlySet<unknown> = new Set(['2023-06-01', '2026-10-21']);

/** Every client sends it; one of another version would read something else into the answer. */
const checkVersion = (request: FastifyRequest): void => {
  const version = request.headers['anthropic-version'];
  if (version !== undefined && !VERSIONS.has(version))
    throw refusal(
      'anthropic-version',
      `versions that are spoken here: ${[...VERSIONS].join(', ')}`,
      'invalid_value',
    );
};

/** `/v1/messages`: agents as models for programs that speak the Anthropic API. */
export const anthropicRoutes = (options: DoorOptions): AnyRoute[] => {
  const door = createDoor(options);

  const create = (
    input: SignedInInput<MessageRequest, unknown, unknown>,
  ): Promise<MessageAnswer | FastifyReply> => {
    const { body, request, requestId } = input;
    checkVersion(request);
    const wire: DoorWire = {
      name: 'v1/messages',
      request: () => readMessages(body),
      answer: (response) => messageAnswerOf(response, body.model),
      frames: (runId) => createMessageFrames({ runId, model: body.model, requestId }),
      farewell: (fault) => messageErrorFrame(anthropicError(fault, requestId)),
    };
    // Both are what the wire has written.
    return door.serve(input, wire, body.stream === true) as Promise<MessageAnswer | FastifyReply>;
  };

  return [
    route({
      method: 'POST',
      path: '/v1/messages',
      surface: 'root',
      operationId: 'createMessage',
      modelNames: { response: 'AnthropicMessage' },
      summary: 'Ask an agent in the form of the Anthropic API',
      description:
        'The history comes with the request, or with metadata.conversation_id from the store. Each call is a run with conversation, ledger and governance like any other. The token may also come as x-api-key. With stream the answer is text/event-stream: message_start to message_stop.',
      tag,
      access: 'chat:write',
      body: MessageRequest,
      bodyLimitBytes: CHAT_BODY_BYTES,
      unknownFields: 'ignored',
      idempotency: 'own',
      produces: ['application/json', 'text/event-stream'],
      responses: { 200: MessageAnswer },
      handler: create,
    }),
    route({
      method: 'POST',
      path: '/v1/messages/count_tokens',
      surface: 'root',
      operationId: 'countMessageTokens',
      summary: 'About how many tokens a request of the Anthropic API has; costs nothing',
      tag,
      access: 'chat:write',
      body: CountRequest,
      unknownFields: 'ignored',
      responses: { 200: CountAnswer },
      handler: async ({ body, caller, request }) => {
        checkVersion(request);
        await door.agentOf(caller, body.model);
        return { input_tokens: countTokens(body) };
      },
    }),
  ];
};
