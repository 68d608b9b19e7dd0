import cors from '@fastify/cors';
import multipart from '@fastify/multipart';
import fastJsonStringify from 'fast-json-stringify';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { withinRequest } from '../db/scope.ts';
import type { Caller } from '../kernel/caller.ts';
import { AppError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { API_VERSION } from '../kernel/version.ts';
import type { Clients } from './clients.ts';
import type { Console } from './console.ts';
import { clientRequestId, contextOf, rewriteUrl } from './context.ts';
import { type DocumentPart, openApiDocument, openApiYaml, registerOpenApi } from './document/openapi.ts';
import { errorBody, errorHeaders, errorStatus, errorType, MAX_DRAINED_BYTES } from './error-body.ts';
import { createGuard } from './guard.ts';
import type { Idempotency } from './idempotency.ts';
import { decodeUtf8, parseJsonBody } from './json-body.ts';
import type { LimitOptions } from './limits-hook.ts';
import { mapError } from './map-error.ts';
import { type AuditRoute, mountRoutes, prefixesOf } from './mount.ts';
import type { OpenRequests } from './open-requests.ts';
import { createPathTable } from './path-table.ts';
import { answerExpectations, clientErrorHandler } from './raw-errors.ts';
import { mountReferencePage } from './reference-page.ts';
import { logWorkOf, requestLine } from './request-line.ts';
import { withLazyChildren } from './request-logger.ts';
import { endRequestSpan, openRequestSpan } from './request-span.ts';
import type { AnyRoute, Authenticate } from './route.ts';
import { securityHeaders } from './security-headers.ts';
import { IGNORED_HEADER } from './unknown-fields.ts';
import { createSerializerCompiler, createValidatorCompiler } from './validate.ts';

export interface AppOptions {
  routes: readonly AnyRoute[];
  authenticate: Authenticate;
  idempotency: Idempotency;
  limits: LimitOptions;
  logger: FastifyBaseLogger;
  corsOrigins: readonly string[];
  /** Addresses of proxies that may set X-Forwarded-*; empty = nobody. */
  trustProxy: readonly string[];
  tls: { cert: string; key: string } | null;
  maxUploadBytes: number;
  draining(): boolean;
  /** Told to stop: connections are not kept for further requests. */
  stopping?(): boolean;
  openRequests?: OpenRequests;
  /** Called once for each response, with the route's template. */
  observe(sample: { method: string; route: string; status: number; seconds: number }): void;
  /** Writes the rows of routes with `audit`. */
  audited?: AuditRoute;
  /** Called once for each response that turns a caller away (isRefusal). */
  refused?(sample: RefusedRequest): void;
  /** Packages of the clients; null where the operator hands out none. */
  clients?: Clients | null;
  /** The web console; none in tests of single features. */
  console?: Console;
  /** Other plugins that bring routes of their own (the identity provider, the MCP door). */
  plugins?: readonly ((app: FastifyInstance) => Promise<void> | void)[];
  /** What those plugins add to the OpenAPI document. */
  documents?: readonly DocumentPart[];
}

/** A request that was turned away: who, where and why, for the audit trail. */
export interface RefusedRequest {
  caller: Caller | null;
  address: string;
  requestId: string;
  method: string;
  /** Template of the path. */
  route: string;
  status: number;
  /** The error that was answered; null where another layer has answered. */
  fault: AppError | null;
}

/** No right, no room or no proof; RFC 6749 says 400 to a grant or assertion that is not good. */
const isRefusal = (status: number, request: FastifyRequest): boolean =>
  status === 401 ||
  status === 402 ||
  status === 403 ||
  status === 429 ||
  (status === 400 && request.context?.shape === 'oauth');

/** Whose rows a request may touch; null: those of all tenants, where nobody has signed in or the platform's own admins ask. */
const tenantOf = (request: FastifyRequest): string | null => {
  const { caller } = request.context;
  if (caller === null) return null;
  return caller.platformAdmin && request.routeOptions.config.acrossTenants === true ? null : caller.tenantId;
};

const BODY_LIMIT_BYTES = 1024 * 1024;

const sendError = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
  const fault = mapError(error);
  // That something is not served is an answer, and no fault.
  if (fault.status >= 500 && fault.code !== 'NOT_IMPLEMENTED' && !fault.logged)
    request.log.error({ err: fault.cause ?? fault, code: fault.code }, 'request failed');
  // A fault before the first hook (a path that cannot be decoded) has no context yet.
  const context = request.context ?? contextOf(request.raw.url ?? '/');
  context.fault = fault;
  if (fault.code === 'PAYLOAD_TOO_LARGE' && Number(request.headers['content-length']) <= MAX_DRAINED_BYTES) {
    reply.removeHeader('connection');
  }
  reply.headers({ 'x-api-version': API_VERSION, 'x-request-id': request.id, ...errorHeaders(fault) });
  return reply
    .code(errorStatus(fault, context.shape))
    .type(errorType(context.shape))
    .serializer((body: unknown) => String(body))
    .send(JSON.stringify(errorBody(fault, context.shape, request.id)));
};

/** RFC 8259, section 8.1: JSON between systems is UTF-8; another charset is refused and not read as something else. */
const isUtf8 = (contentType: string | undefined): boolean => {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '')?.[1];
  return charset === undefined || /^(utf-?8|us-ascii)$/i.test(charset);
};

const isEmpty = (body: unknown): boolean =>
  body === undefined || body === null || (typeof body === 'object' && Object.keys(body).length === 0);

const SCIM_JSON = 'application/scim+json';
const isScimJson = (request: FastifyRequest): boolean =>
  request.headers['content-type']?.toLowerCase().startsWith(SCIM_JSON) === true;

const LINES = 'application/x-ndjson';
const isLines = (request: FastifyRequest): boolean =>
  request.headers['content-type']?.toLowerCase().startsWith(LINES) === true;

/** Between parsing and validation: an absent body counts as an empty object, a stray one is refused. */
const settleBody = (request: FastifyRequest): void => {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'bodies are taken without Content-Encoding');
  }
  if (isScimJson(request) && request.context.shape !== 'scim') {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'this operation takes application/json');
  }
  const takes = request.routeOptions.schema?.body !== undefined;
  const ownParser = request.routeOptions.schema?.consumes !== undefined;
  if (typeof request.body === 'string' && !ownParser && isLines(request)) {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'this operation takes application/json');
  }
  if (takes && request.body === undefined) request.body = {};
  if (!takes && !ownParser && !isEmpty(request.body)) {
    throw new AppError('VALIDATION_ERROR', 'this operation takes no body', {
      details: { fields: [{ field: '/', reason: 'must be empty' }] },
    });
  }
};

/** What a page of another origin may read of an answer. */
const EXPOSED_HEADERS = [
  'X-Request-ID',
  'X-API-Version',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'Idempotent-Replayed',
  'Location',
  'Link',
  'X-Total-Count',
  IGNORED_HEADER,
  // Without these no MCP client in a browser could keep a session or find out where to sign in.
  'Mcp-Session-Id',
  'WWW-Authenticate',
];

/** Fastify with our limits, before anything is hung on it. */
const createServer = (options: AppOptions, freePerMinute: number): FastifyInstance => {
  const common = {
    loggerInstance: withLazyChildren(options.logger),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: (raw: { headers: Record<string, string | string[] | undefined> }) =>
      clientRequestId(raw.headers['x-request-id']) ?? newId(),
    requestIdHeader: false as const,
    rewriteUrl: (raw: { url?: string }) => rewriteUrl(raw.url ?? '/'),
    bodyLimit: BODY_LIMIT_BYTES,
    routerOptions: { maxParamLength: 512 },
    trustProxy: options.trustProxy.length === 0 ? false : [...options.trustProxy],
    requestTimeout: 120_000,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle' as const,
    // The guard refuses what comes then, with the body that the document promises.
    return503OnClosing: false,
    clientErrorHandler: clientErrorHandler(freePerMinute),
    frameworkErrors: (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      reply.headers({
        'x-ratelimit-limit': String(freePerMinute),
        'x-ratelimit-remaining': String(freePerMinute),
        'x-ratelimit-reset': String(Math.ceil(options.limits.clock.now() / 1000) + 60),
      });
      sendError(error, request, reply);
    },
  };
  // A request without Host is refused by the guard, with a body; Node's own refusal has none.
  return options.tls === null
    ? Fastify({ ...common, http: { requireHostHeader: false } })
    : (Fastify({
        ...common,
        https: { ...options.tls, requireHostHeader: false },
      }) as unknown as FastifyInstance);
};

const parseAs =
  (read: (body: Buffer, request: FastifyRequest) => unknown) =>
  (request: FastifyRequest, body: Buffer, done: (error: Error | null, value?: unknown) => void): void => {
    try {
      done(null, read(body, request));
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  };

const takeBodies = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    ['application/json', SCIM_JSON],
    { parseAs: 'buffer' },
    parseAs((body, request) => {
      if (!isUtf8(request.headers['content-type'])) {
        throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'JSON is taken in UTF-8 alone');
      }
      return body.length === 0 ? undefined : parseJsonBody(body);
    }),
  );
  // JSON Lines arrive as text: what a line may be is for the route that takes them to say.
  app.addContentTypeParser(
    [LINES],
    { parseAs: 'buffer' },
    parseAs((body) => decodeUtf8(body)),
  );
};

const allowOrigins = async (app: FastifyInstance, origins: readonly string[]): Promise<void> => {
  if (origins.length === 0) return;
  await app.register(cors, {
    origin: [...origins],
    credentials: true,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 600,
  });
};

/** From the first byte to the handler; the guard is the first that may refuse. */
const hookRequests = async (app: FastifyInstance, options: AppOptions): Promise<void> => {
  const described: Record<string, Record<string, unknown>> = Object.assign(
    {},
    ...(options.documents ?? []).map((part) => part.paths),
  );
  const paths = createPathTable(options.routes, prefixesOf, described);
  if (options.openRequests !== undefined) app.addHook('onRequest', options.openRequests.onRequest);
  app.addHook('onRequest', (request, _reply, done) => {
    openRequestSpan(request);
    done();
  });
  app.addHook(
    'onRequest',
    createGuard({ ...options, paths, securityHeaders: await securityHeaders(options.tls !== null) }),
  );
  app.addHook('preValidation', (request, _reply, done) => {
    try {
      settleBody(request);
      done();
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  });
  // After the body has been read, whose events would leave the scope again: handler and answer run within it.
  app.addHook('preHandler', (request, _reply, done) =>
    withinRequest(tenantOf(request), logWorkOf(request), () =>
      request.span === null ? done() : request.span.within(done),
    ),
  );
};

/** What is told of an answer once it is out: metrics, trace, log and audit trail. */
const hookAnswers = (app: FastifyInstance, options: AppOptions): void => {
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    options.observe({
      method: request.method,
      route,
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1000,
    });
    endRequestSpan(request, reply);
    const { level, line } = requestLine(request, reply, route);
    if (request.context?.log !== undefined) request.context.log.ended = true;
    options.logger[level](line, 'request');
    if (isRefusal(reply.statusCode, request)) {
      options.refused?.({
        caller: request.context?.caller ?? null,
        address: request.ip,
        requestId: request.id,
        method: request.method,
        route,
        status: reply.statusCode,
        fault: request.context?.fault ?? null,
      });
    }
    done();
  });
};

const mountAll = async (app: FastifyInstance, options: AppOptions): Promise<void> => {
  const takesForm = (route: AnyRoute): boolean => route.consumes?.includes('multipart/form-data') === true;
  mountRoutes(
    app,
    options.routes.filter((route) => !takesForm(route)),
    options.idempotency,
    options.audited,
  );
  // In a scope of their own: the plugin hangs asynchronous hooks on every route that it sees.
  await app.register(async (scope) => {
    await scope.register(multipart, {
      limits: {
        fileSize: options.maxUploadBytes,
        files: 1,
        fields: 20,
        fieldSize: 65_536,
        headerPairs: 100,
      },
      throwFileSizeLimit: false,
    });
    mountRoutes(scope, options.routes.filter(takesForm), options.idempotency, options.audited);
  });
};

/** Builds the whole HTTP side; nothing listens yet. */
export const buildApp = async (options: AppOptions): Promise<FastifyInstance> => {
  const freePerMinute = options.limits.tables.reference.free.perMinute ?? 60;
  const app = createServer(options, freePerMinute);
  app.setValidatorCompiler(createValidatorCompiler());
  app.setSerializerCompiler(createSerializerCompiler((schema) => fastJsonStringify(schema as never)));
  app.setErrorHandler(sendError);
  answerExpectations(app.server, { freePerMinute, maxBodyBytes: options.maxUploadBytes + BODY_LIMIT_BYTES });
  takeBodies(app);
  app.decorateRequest('context', null as never);
  app.decorateRequest('span', null);
  await allowOrigins(app, options.corsOrigins);
  await registerOpenApi(app);
  await hookRequests(app, options);
  hookAnswers(app, options);
  app.setNotFoundHandler((request, reply) => {
    if (options.console?.answers(request)) return options.console.sendPage(request, reply);
    throw new AppError('NOT_FOUND', 'this path does not exist');
  });
  await mountAll(app, options);
  mountDocument(app, options.routes, options.documents ?? []);
  options.console?.mount(app);
  options.clients?.mount(app);
  for (const plugin of options.plugins ?? []) await app.register(async (scope) => plugin(scope));
  return app;
};

/** `/openapi.json`, `/openapi.yaml` and the reference page `/docs`. */
const mountDocument = (
  app: FastifyInstance,
  routes: readonly AnyRoute[],
  parts: readonly DocumentPart[],
): void => {
  let document: Record<string, unknown> | null = null;
  const built = (): Record<string, unknown> => {
    document ??= openApiDocument(app, routes, parts);
    return document;
  };
  const config = { access: 'public', surface: 'root' } as const;
  app.get('/openapi.json', { config, schema: { hide: true } }, (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(JSON.stringify(built())),
  );
  app.get('/openapi.yaml', { config, schema: { hide: true } }, (_request, reply) =>
    reply.type('application/yaml; charset=utf-8').send(openApiYaml(built())),
  );
  mountReferencePage(app);
};
