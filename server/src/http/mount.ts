import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import '@fastify/swagger';
import type { Along, Queryable } from '../db/db.ts';
import type { Caller } from '../kernel/caller.ts';
import { Strict } from '../kernel/schema.ts';
import { describeRoute } from './document/describe.ts';
import {
  fingerprintOf,
  type Idempotency,
  idempotencyKey,
  replayOwner,
  type StoredAnswer,
} from './idempotency.ts';
import type { AnyRoute, NoteTarget, RouteAudit } from './route.ts';
import { shownOnceFields, withoutSecrets } from './shown-once.ts';
import { droppingUnknown } from './unknown-fields.ts';

const PREFIXES = { all: ['/api/v1', '/v2'], v1: ['/api/v1'], v2: ['/v2'], root: [''] } as const;

/** Prefixes that a route stands under; `/api/v2` is `/v2` after rewriting. */
export const prefixesOf = (route: AnyRoute): readonly string[] => PREFIXES[route.surface ?? 'all'];

/** Writes what a route's `audit` asks for: in the given transaction, or in one of its own. */
export type AuditRoute = (
  entry: {
    caller: Caller;
    action: string;
    targetType: string;
    targetId: string | null;
    requestId: string;
    address: string;
  },
  tx: Queryable | null,
) => Promise<void>;

const NO_PARAMETERS = Strict({});

const successOf = (route: AnyRoute): number => Number(Object.keys(route.responses)[0] ?? 200);

/** RFC 9745 and RFC 8594. */
const deprecationHeaders = (deprecated: NonNullable<AnyRoute['deprecated']>): Record<string, string> => ({
  deprecation: `@${Math.floor(Date.parse(deprecated.since) / 1000)}`,
  sunset: new Date(deprecated.sunset).toUTCString(),
});

const REPLAYED_HEADERS = ['location', 'content-type', 'x-total-count', 'link'];

const storedAnswer = (reply: FastifyReply, status: number, body: string): StoredAnswer | null => {
  if (status < 200 || status > 299) return null;
  const headers: Record<string, string> = {};
  for (const name of REPLAYED_HEADERS) {
    const value = reply.getHeader(name);
    if (value !== undefined) headers[name] = String(value);
  }
  return { status, headers, body };
};

/** Sends a stored answer as it went out the first time. */
export const replayAnswer = (reply: FastifyReply, answer: StoredAnswer): FastifyReply => {
  reply.headers(answer.headers).header('idempotent-replayed', 'true').code(answer.status);
  if (reply.getHeader('content-type') === undefined) reply.type('application/json; charset=utf-8');
  return reply.serializer((text: unknown) => String(text)).send(answer.body);
};

/**
 * Puts the routes on their prefixes. Binding only: who may call, limits and errors are settled by the hooks of `app.ts`.
 */
export const mountRoutes = (
  app: FastifyInstance,
  routes: readonly AnyRoute[],
  idempotency: Idempotency,
  audited?: AuditRoute,
): void => {
  const operations = new Set<string>();
  for (const route of routes) {
    if (operations.has(route.operationId))
      throw new Error(`operation ${route.operationId} is declared twice`);
    operations.add(route.operationId);
    for (const prefix of prefixesOf(route)) app.route(optionsOf(route, prefix, idempotency, audited));
  }
};

const NOTHING_TO_NOTE: Along = () => Promise.resolve();

const noteOf = (route: AnyRoute, request: FastifyRequest, audited: AuditRoute | undefined): Along => {
  const { audit } = route;
  const { caller } = request.context;
  if (audit === undefined || audited === undefined || caller === null) return NOTHING_TO_NOTE;
  return async (tx) => {
    await audited(entryOf(audit, caller, request), tx);
    request.context.noted = true;
  };
};

const noteOnOf =
  (route: AnyRoute, request: FastifyRequest, audited: AuditRoute | undefined): NoteTarget =>
  async (tx, targetId) => {
    const { audit } = route;
    const { caller } = request.context;
    if (audit === undefined || audited === undefined || caller === null) return;
    await audited({ ...entryOf(audit, caller, request), targetId }, tx);
  };

const call = (
  route: AnyRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  audited: AuditRoute | undefined,
): unknown => {
  // The compiled schemas have checked what the route's types promise; `caller` is set wherever access asks for one.
  const input = {
    body: request.body,
    query: request.query,
    params: request.params,
    caller: request.context.caller,
    note: noteOf(route, request, audited),
    noteOn: noteOnOf(route, request, audited),
    request,
    reply,
    requestId: request.id,
  } as never;
  return route.handler(input);
};

const sendEmpty = async (
  route: AnyRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  audited: AuditRoute | undefined,
): Promise<FastifyReply> => {
  await call(route, request, reply, audited);
  return reply.send();
};

const targetOf = (audit: RouteAudit, request: FastifyRequest): string | null => {
  const { params } = request;
  if (audit.target === undefined || typeof params !== 'object' || params === null) return null;
  const value: unknown = Object.entries(params).find(([name]) => name === audit.target)?.[1];
  return typeof value === 'string' ? value : null;
};

const actionOf = ({ action }: RouteAudit, { query }: FastifyRequest): string => {
  if (typeof action === 'string') return action;
  const asked =
    typeof query === 'object' &&
    query !== null &&
    Object.entries(query).some(([name, value]) => name === action.query && value === true);
  return asked ? action.asked : action.plain;
};

const entryOf = (audit: RouteAudit, caller: Caller, request: FastifyRequest): Parameters<AuditRoute>[0] => ({
  caller,
  action: actionOf(audit, request),
  targetType: audit.targetType,
  targetId: targetOf(audit, request),
  requestId: request.id,
  address: request.ip,
});

/** Before the first byte of a success: what cannot be written into the chain is not answered. */
const auditing = (audit: RouteAudit, write: AuditRoute): NonNullable<RouteOptions['onSend']> =>
  async function noteSuccess(request: FastifyRequest, reply: FastifyReply) {
    const { caller, noted } = request.context;
    if (noted === true || reply.statusCode > 299 || caller === null) return;
    if (reply.getHeader('idempotent-replayed') === 'true') return;
    if (audit.onlyAs !== undefined) {
      const type = reply.getHeader('content-type');
      if (typeof type !== 'string' || !type.startsWith(audit.onlyAs)) return;
    }
    await write(entryOf(audit, caller, request), null);
  };

/** What a route takes and gives, for validation, serialization and the OpenAPI document. */
const schemaOf = (route: AnyRoute, prefix: string): NonNullable<RouteOptions['schema']> => {
  const response: Record<number, unknown> = {};
  for (const [status, schema] of Object.entries(route.responses))
    if (schema) response[Number(status)] = schema;
  return {
    operationId: prefix === '/v2' && route.surface !== 'v2' ? `${route.operationId}V2` : route.operationId,
    ...(route.undocumented === true ? { hide: true } : {}),
    summary: route.summary,
    tags: [route.tag],
    description: describeRoute(route),
    ...(route.deprecated === undefined ? {} : { deprecated: true }),
    ...(route.consumes === undefined ? {} : { consumes: [...route.consumes] }),
    ...(route.produces === undefined ? {} : { produces: [route.produces].flat() }),
    ...(route.body === undefined || route.consumes !== undefined ? {} : { body: route.body }),
    querystring: route.query ?? NO_PARAMETERS,
    ...(route.params === undefined ? {} : { params: route.params }),
    response,
  };
};

const optionsOf = (
  route: AnyRoute,
  prefix: string,
  idempotency: Idempotency,
  audited: AuditRoute | undefined,
): RouteOptions => {
  const success = successOf(route);
  const secrets = Object.values(route.responses).flatMap(shownOnceFields);
  const deprecated = route.deprecated === undefined ? null : deprecationHeaders(route.deprecated);

  const once = (
    request: FastifyRequest,
    reply: FastifyReply,
    key: string,
    callerId: string,
  ): Promise<FastifyReply> =>
    idempotency.once<FastifyReply>(
      {
        callerId,
        key,
        fingerprint: fingerprintOf(request.method, route.path, {
          params: request.params,
          query: request.query,
          body: request.body,
        }),
      },
      async () => {
        const result = await call(route, request, reply, audited);
        const status = reply.statusCode;
        const body = result === undefined || result === null ? '' : String(reply.serialize(result as object));
        reply.serializer((text: unknown) => String(text)).type('application/json; charset=utf-8');
        return {
          send: () => reply.send(body),
          answer: storedAnswer(reply, status, withoutSecrets(body, secrets)),
        };
      },
      (answer) => replayAnswer(reply, answer),
    );

  return {
    method: route.method,
    url: prefix + route.path,
    ...(route.bodyLimitBytes === undefined ? {} : { bodyLimit: route.bodyLimitBytes }),
    config: {
      access: route.access,
      surface: prefix === '/api/v1' ? 'v1' : prefix === '/v2' ? 'v2' : 'root',
      acrossTenants: route.acrossTenants === true,
    },
    schema: schemaOf(route, prefix),
    ...(route.audit === undefined || route.audit.each === true || audited === undefined
      ? {}
      : { onSend: auditing(route.audit, audited) }),
    ...(route.unknownFields === undefined || route.body === undefined
      ? {}
      : { preValidation: droppingUnknown(route.body) }),
    handler: (request, reply) => {
      if (deprecated !== null) reply.headers(deprecated);
      reply.code(success);
      if (route.method === 'POST' && route.idempotency !== 'own') {
        const key = idempotencyKey(request.headers['idempotency-key']);
        const caller = request.context.caller;
        if (key !== null && caller !== null) return once(request, reply, key, replayOwner(caller));
      }
      if (success === 204) return sendEmpty(route, request, reply, audited);
      return call(route, request, reply, audited);
    },
  };
};
