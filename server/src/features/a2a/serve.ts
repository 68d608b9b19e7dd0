import { A2A_LEGACY_PROTOCOL_VERSION } from '@a2a-js/sdk/compat/v0_3';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { JsonRpcTransportHandler, ServerCallContext, type User, validateVersion } from '@a2a-js/sdk/server';
import type { FastifyReply } from 'fastify';
import { errorHeaders, errorStatus, rpcError } from '../../http/error-body.ts';
import { idempotencyKey } from '../../http/idempotency.ts';
import { prefersWaiting } from '../../http/prefer.ts';
import type { SignedInInput } from '../../http/route.ts';
import { openSse } from '../../http/sse.ts';
import type { Caller } from '../../kernel/caller.ts';
import { AppError } from '../../kernel/errors.ts';
import { type CardAgent, cardOf } from './cards.ts';
import { type A2aDoorOptions, cardOptionsOf, versionOf } from './door.ts';
import { createHandler } from './handler.ts';
import { requestFault } from './requests.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

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

const isStream = (value: object): value is AsyncGenerator<unknown, void, undefined> =>
  Symbol.asyncIterator in value;

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

/** How a request of the protocol is answered. */
interface Exchange {
  handler: A2ARequestHandler;
  version: string;
  legacy: boolean;
  context: ServerCallContext;
}

const mapErrorOf = (legacy: boolean) =>
  legacy ? LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError : JsonRpcTransportHandler.mapToJSONRPCError;

/** The transport's answer: one object, or a stream of updates. */
const exchange = async ({ handler, version, legacy, context }: Exchange, body: unknown) => {
  validateVersion(version, await handler.getAgentCard(), 'JSONRPC');
  const transport = legacy
    ? new LegacyJsonRpcTransportHandler(handler)
    : new JsonRpcTransportHandler(handler);
  return transport.handle(body as Record<string, unknown>, context);
};

type Updates = AsyncGenerator<unknown, void, undefined>;

/** Sends updates as they come; `first` has been taken from them already. */
const streamUpdates = async (
  options: Pick<A2aDoorOptions, 'draining' | 'streams'>,
  { request, reply, requestId, body }: SignedInInput<unknown, unknown, unknown>,
  first: unknown,
  updates: Updates,
  mapError: (error: unknown) => unknown,
): Promise<void> => {
  const id = rpcIdOf(body);
  const frame = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
  const stream = openSse(reply, {
    draining: options.draining(),
    watch: options.streams,
    farewell: (fault) => `event: error\n${frame(rpcError(fault, requestId, id))}`,
  });
  stream.send(frame(first));
  try {
    for await (const update of updates) if (!stream.send(frame(update))) break;
  } catch (error) {
    request.log.error({ err: error }, 'a stream of the A2A door broke off');
    stream.send(`event: error\n${frame({ jsonrpc: '2.0', id, error: mapError(error) })}`);
  }
  stream.end();
};

export const createServe =
  (options: A2aDoorOptions) =>
  async (input: SignedInInput<unknown, unknown, unknown>, agent: CardAgent | null): Promise<FastifyReply> => {
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
      push: options.push,
      clock: options.clock,
      caller,
      protocol: version,
      agentId: agent?.id ?? null,
      requestId: input.requestId,
      wait: prefersWaiting(request),
      idempotencyKey: idempotencyKey(request.headers['idempotency-key']),
      card: async () => cardOf(cardOptionsOf(options), agent),
      refused: (error) => refusals.push(error),
    });
    const mapError = mapErrorOf(legacy);
    const answer = (value: unknown): FastifyReply => {
      const [refusal] = refusals;
      if (refusal !== undefined) return refuse(reply, refusal, input.requestId, id);
      return sendJson(reply, value);
    };
    const context = new ServerCallContext({ user: userOf(caller), requestedVersion: version });
    try {
      const result = await exchange({ handler, version, legacy, context }, body);
      if (!isStream(result)) return answer(result);
      // The first update decides: a refusal known by then is an answer of its own and no stream.
      const first = await result.next();
      if (first.done) return answer({ jsonrpc: '2.0', id, result: null });
      await streamUpdates(options, input, first.value, result, mapError);
      return reply;
    } catch (error) {
      return answer({ jsonrpc: '2.0', id, error: mapError(error) });
    }
  };
