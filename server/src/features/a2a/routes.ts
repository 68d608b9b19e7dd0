import { A2A_VERSION_HEADER } from '@a2a-js/sdk';
import { A2A_LEGACY_PROTOCOL_VERSION } from '@a2a-js/sdk/compat/v0_3';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { JsonRpcTransportHandler, ServerCallContext, type User, validateVersion } from '@a2a-js/sdk/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { errorHeaders, errorStatus, rpcError } from '../../http/error-body.ts';
import { type Idempotency, idempotencyKey } from '../../http/idempotency.ts';
import { prefersWaiting } from '../../http/prefer.ts';
import { type AnyRoute, route, type SignedInInput } from '../../http/route.ts';
import { openSse } from '../../http/sse.ts';
import type { StreamWatch } from '../../http/stream-watch.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { AppError, notFound } from '../../kernel/errors.ts';
import { AnyObject, AnyValue, Strict } from '../../kernel/schema.ts';
import { CHAT_BODY_BYTES, type ChatService } from '../chat/index.ts';
import { A2A_PATH, type CardAgent, type CardOptions, cardJson, cardOf, legacyCardJson } from './cards.ts';
import { createHandler } from './handler.ts';
import { requestFault } from './requests.ts';

/**
 * The door of the agent-to-agent protocol: `/a2a` is the network, `/a2a/<agent>` one agent, both over JSON-RPC in the
 * versions 1.0 and 0.3 by the official SDK. Cards are public; all else needs a token.
 */
export interface A2aDoorOptions {
  chat: ChatService;
  idempotency: Idempotency;
  clock: Clock;
  agents: readonly CardAgent[];
  version: string;
  /** Address under which clients reach the service; asked late, since the port may be free. */
  publicUrl(): string;
  issuer(): string;
  streams: StreamWatch;
  draining(): boolean;
}

const tag = 'A2A';
const JSON_TYPE = 'application/json; charset=utf-8';
const WELL_KNOWN = '/.well-known/agent-card.json';
const CARD_MAX_AGE_S = 300;
const AgentParams = Strict({ agent: Type.String({ minLength: 1, maxLength: 64, description: 'Agent id' }) });

type RpcId = string | number | null;

/** `message/stream`, `tasks/resubscribe` and their names in version 1. */
const asksForStream = (body: unknown): boolean =>
  typeof body === 'object' &&
  body !== null &&
  'method' in body &&
  typeof body.method === 'string' &&
  /stream|subscribe/i.test(body.method);

const rpcIdOf = (body: unknown): RpcId => {
  const id = typeof body === 'object' && body !== null && 'id' in body ? body.id : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
};

const userOf = (caller: Caller): User => ({ isAuthenticated: true, userName: caller.userId });

const versionOf = (request: FastifyRequest): string => {
  const header = request.headers[A2A_VERSION_HEADER.toLowerCase()];
  return typeof header === 'string' && header !== '' ? header : A2A_LEGACY_PROTOCOL_VERSION;
};

const isStream = (value: object): value is AsyncGenerator<unknown, void, undefined> =>
  Symbol.asyncIterator in value;

export const a2aRoutes = (options: A2aDoorOptions): AnyRoute[] => {
  const cardOptions = (): CardOptions => ({
    publicUrl: options.publicUrl(),
    issuer: options.issuer(),
    version: options.version,
    agents: options.agents,
  });
  const findAgent = (id: string): CardAgent => {
    const agent = options.agents.find((candidate) => candidate.id === id);
    if (agent === undefined) throw notFound('agent');
    return agent;
  };

  const sendCard = (request: FastifyRequest, reply: FastifyReply, agent: CardAgent | null) => {
    const card = cardOf(cardOptions(), agent);
    reply.header('cache-control', `public, max-age=${CARD_MAX_AGE_S}`).header('vary', A2A_VERSION_HEADER);
    return versionOf(request) === A2A_LEGACY_PROTOCOL_VERSION
      ? legacyCardJson(card, options.issuer())
      : cardJson(card);
  };

  const refuse = (reply: FastifyReply, error: AppError, requestId: string, id: RpcId): FastifyReply =>
    reply
      .headers(errorHeaders(error))
      .code(errorStatus(error, 'jsonrpc'))
      .type(JSON_TYPE)
      .serializer((body: unknown) => JSON.stringify(body))
      .send(rpcError(error, requestId, id));

  const sendJson = (reply: FastifyReply, value: unknown): FastifyReply =>
    reply
      .type(JSON_TYPE)
      .serializer((result: unknown) => JSON.stringify(result))
      .send(value);

  const serve = async (
    input: SignedInInput<unknown, unknown, unknown>,
    agent: CardAgent | null,
  ): Promise<FastifyReply> => {
    const { request, reply, caller, body } = input;
    const id = rpcIdOf(body);
    const version = versionOf(request);
    const legacy = version === A2A_LEGACY_PROTOCOL_VERSION;
    const fault = requestFault(body);
    if (fault !== null) return sendJson(reply, { jsonrpc: '2.0', id, error: fault });
    if (asksForStream(body)) {
      try {
        options.streams.admit(request, reply);
      } catch (error) {
        if (error instanceof AppError) return refuse(reply, error, input.requestId, id);
        throw error;
      }
    }
    const refusals: AppError[] = [];
    const handler = createHandler({
      chat: options.chat,
      idempotency: options.idempotency,
      clock: options.clock,
      caller,
      agentId: agent?.id ?? null,
      requestId: input.requestId,
      wait: prefersWaiting(request),
      idempotencyKey: idempotencyKey(request.headers['idempotency-key']),
      card: async () => cardOf(cardOptions(), agent),
      refused: (error) => refusals.push(error),
    });
    const mapError = legacy
      ? LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError
      : JsonRpcTransportHandler.mapToJSONRPCError;
    const answer = (value: unknown): FastifyReply => {
      const [refusal] = refusals;
      if (refusal !== undefined) return refuse(reply, refusal, input.requestId, id);
      return sendJson(reply, value);
    };
    const context = new ServerCallContext({ user: userOf(caller), requestedVersion: version });
    try {
      validateVersion(version, await handler.getAgentCard(), 'JSONRPC');
      const transport = legacy
        ? new LegacyJsonRpcTransportHandler(handler)
        : new JsonRpcTransportHandler(handler);
      const result = await transport.handle(body as Record<string, unknown>, context);
      if (!isStream(result)) return answer(result);
      // The first update decides: a refusal known by then is an answer of its own and no stream.
      const first = await result.next();
      if (first.done) return answer({ jsonrpc: '2.0', id, result: null });
      const frame = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
      const stream = openSse(reply, {
        draining: options.draining(),
        watch: options.streams,
        farewell: (fault) => `event: error\n${frame(rpcError(fault, input.requestId, id))}`,
      });
      stream.send(frame(first.value));
      try {
        for await (const update of result) if (!stream.send(frame(update))) break;
      } catch (error) {
        request.log.error({ err: error }, 'a stream of the A2A door broke off');
        stream.send(`event: error\n${frame({ jsonrpc: '2.0', id, error: mapError(error) })}`);
      }
      stream.end();
      return reply;
    } catch (error) {
      return answer({ jsonrpc: '2.0', id, error: mapError(error) });
    }
  };

  const Card = AnyObject({ description: 'An agent card: of version 1.0 with A2A-Version: 1.0, else of 0.3' });
  const Rpc = AnyValue({ description: 'A JSON-RPC 2.0 request of the A2A protocol' });
  const Answer = AnyObject({ description: 'A JSON-RPC 2.0 answer, or text/event-stream of such' });
  const methods =
    'Methods of 1.0 (with A2A-Version: 1.0): SendMessage, SendStreamingMessage, GetTask, ListTasks, CancelTask, SubscribeToTask; of 0.3: message/send, message/stream, tasks/get, tasks/cancel, tasks/resubscribe. Sending and cancelling need chat:write.';

  return [
    ...(['', A2A_PATH] as const).map((prefix) =>
      route({
        method: 'GET',
        path: `${prefix}${WELL_KNOWN}`,
        surface: 'root',
        operationId: prefix === '' ? 'getAgentCard' : 'getNetworkCard',
        summary: 'Card of the network of agents (A2A)',
        tag,
        access: 'public',
        responses: { 200: Card },
        handler: ({ request, reply }) => sendCard(request, reply, null),
      }),
    ),
    route({
      method: 'GET',
      path: `${A2A_PATH}/:agent${WELL_KNOWN}`,
      surface: 'root',
      operationId: 'getCardOfAgent',
      summary: 'Card of one agent (A2A)',
      tag,
      access: 'public',
      params: AgentParams,
      responses: { 200: Card },
      handler: ({ request, reply, params }) => sendCard(request, reply, findAgent(params.agent)),
    }),
    route({
      method: 'POST',
      path: A2A_PATH,
      surface: 'root',
      operationId: 'callNetwork',
      summary: 'The network by the agent-to-agent protocol',
      description: methods,
      tag,
      access: 'conversations:read',
      body: Rpc,
      bodyLimitBytes: CHAT_BODY_BYTES,
      idempotency: 'own',
      produces: ['application/json', 'text/event-stream'],
      responses: { 200: Answer },
      handler: (input) => serve(input, null),
    }),
    route({
      method: 'POST',
      path: `${A2A_PATH}/:agent`,
      surface: 'root',
      operationId: 'callAgent',
      summary: 'One agent by the agent-to-agent protocol',
      description: methods,
      tag,
      access: 'conversations:read',
      params: AgentParams,
      body: Rpc,
      bodyLimitBytes: CHAT_BODY_BYTES,
      idempotency: 'own',
      produces: ['application/json', 'text/event-stream'],
      responses: { 200: Answer },
      handler: (input) => serve(input, findAgent(input.params.agent)),
    }),
  ];
};
