import { toNodeHandler, toWebRequest } from '@modelcontextprotocol/node';
import {
  type AuthInfo,
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  ProtocolError,
} from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { bearerToken } from '../../../http/context.ts';
import { createSchemaChecker } from '../../../http/foreign-schema.ts';
import { parseJsonBody } from '../../../http/json-body.ts';
import type { Authenticate } from '../../../http/route.ts';
import type { Caller } from '../../../kernel/caller.ts';
import { AppError } from '../../../kernel/errors.ts';
import { addressAsAsked } from '../../../kernel/loopback.ts';
import { createAdmission } from './admit.ts';
import { paramsFault } from './params.ts';
import { createRefusal, refusalOf } from './refusal.ts';
import { metadataRoutes, metadataUrlOf, PATH } from './resource-metadata.ts';
import { createDoorSessions, type SharedSessions } from './sessions.ts';
import { createDoorServer, type DoorToolOptions, signatureOf, usableTools } from './tools.ts';
import { createToolWatch } from './watch.ts';

/**
 * The platform as an MCP server: `/mcp` over streamable HTTP. Clients of the 2026-07-28 revision are served request by
 * request, older ones in sessions. Refusals before the protocol starts are JSON-RPC errors with the HTTP status that the
 * protocol's transport part asks for: 401 with the address of the resource metadata, 403 for a foreign origin, 400
 * without a session, 404 for one that is gone.
 */
export interface McpDoorOptions extends Omit<DoorToolOptions, 'schemas' | 'onError' | 'asksSessions'> {
  authenticate: Authenticate;
  now(): number;
  /** Address under which clients reach the service, without a slash at the end; asked late, since the port may be free. */
  publicUrl(): string;
  /** Issuer of the tokens. */
  issuer(): string;
  /** Counts a stream that a client keeps open. Throws RATE_LIMITED above what its account or address may have. */
  admitStream(request: FastifyRequest, reply: FastifyReply, caller: Caller): void;
  /** What a client should ask the issuer for. */
  scopes: readonly string[];
  /** Origins of web pages that may call, besides the service's own. */
  corsOrigins: readonly string[];
  draining(): boolean;
  /** With several nodes; null for one by itself. */
  shared: SharedSessions | null;
  /** How often the tools of those who listen are looked at; default 5,000. */
  watchEveryMs?: number;
  /** Counts the request for its caller and sets the rate headers; the refusal, or null. */
  limit(request: FastifyRequest, reply: FastifyReply): AppError | null | Promise<AppError | null>;
}

/** A client that subscribes to changes (2026-07-28 revision). */
const isListening = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'method' in body && body.method === 'subscriptions/listen';

/** A change of rights must show on open streams within 5 s. */
const WATCH_EVERY_MS = 4_000;

/** The SDK reports by the same way what a client sent wrongly: that has been answered, and is no fault of this server. */
const isClientFault = (error: unknown): boolean =>
  error instanceof ProtocolError ||
  (error instanceof Error && /^(?:Rejected |Unsupported Media Type|Parse error)/.test(error.message));

export const createMcpDoor = (options: McpDoorOptions) => {
  const sessions = createDoorSessions(options.now, options.shared);
  const schemas = createSchemaChecker();
  const callers = new WeakMap<AuthInfo, Caller>();
  let onError: (error: unknown) => void = () => {};
  const toolOptions: DoorToolOptions = {
    ...options,
    schemas,
    asksSessions: options.shared === null,
    onError: (error) => onError(error),
  };

  const modern = createMcpHandler(
    ({ authInfo }) => {
      const caller = authInfo === undefined ? undefined : callers.get(authInfo);
      if (caller === undefined) throw new Error('a request came to the MCP server without its caller');
      return createDoorServer(toolOptions, () => caller);
    },
    { legacy: 'reject', onerror: (error) => onError(error) },
  );

  const watch = createToolWatch({
    authenticate: options.authenticate,
    signatureOf: async (caller) => signatureOf(await usableTools(options.sources, caller)),
    everyMs: options.watchEveryMs ?? WATCH_EVERY_MS,
    onError: (error) => onError(error),
  });

  /** Until the answer's stream closes. */
  const watchStream = (request: FastifyRequest, reply: FastifyReply, changed: () => void): void => {
    const stop = watch.add({
      token: bearerToken(request) ?? '',
      changed,
      end: () => reply.raw.destroy(),
    });
    reply.raw.once('close', stop);
  };

  const refuse = createRefusal(({ headers }) =>
    metadataUrlOf(addressAsAsked(headers.host, options.publicUrl())),
  );
  const admit = createAdmission(options);

  /** Hands the connection to the SDK, with the headers that the platform has set. */
  const takeOver = (reply: FastifyReply): void => {
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined && name !== 'content-type') reply.raw.setHeader(name, value);
    }
    reply.hijack();
  };

  const sendFault = async (reply: FastifyReply, fault: object): Promise<void> => {
    await reply.type('application/json').send(JSON.stringify(fault));
  };

  const serve = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { caller } = request.context;
    if (caller === null) throw new Error('the request was not signed in');
    const isPost = request.method === 'POST';
    const body: unknown = isPost ? parseJsonBody(request.body as Buffer) : undefined;

    const webRequest = isPost ? await toWebRequest(request.raw, body) : null;
    if (webRequest !== null && !(await isLegacyRequest(webRequest, body))) {
      const authInfo: AuthInfo = { token: '', clientId: caller.userId, scopes: [...caller.permissions] };
      callers.set(authInfo, caller);
      const fault = paramsFault(body);
      if (fault !== null) return sendFault(reply, fault);
      if (isListening(body)) options.admitStream(request, reply, caller);
      takeOver(reply);
      // The bus tells all who listen: one look too many at a list does no harm.
      if (isListening(body)) watchStream(request, reply, () => modern.notify.toolsChanged());
      const handler = toNodeHandler(
        { fetch: (incoming) => modern.fetch(incoming, { authInfo, parsedBody: body }) },
        { onerror: (error) => onError(error) },
      );
      return handler(request.raw, nodeResponse(reply), body);
    }

    const id = request.headers['mcp-session-id'];
    if (typeof id === 'string') {
      const session = await sessions.find(id, caller, (current) => createDoorServer(toolOptions, current));
      if (session === null) throw new AppError('NOT_FOUND', 'the session is not known; initialize a new one');
      const fault = paramsFault(body);
      if (fault !== null) return sendFault(reply, fault);
      if (request.method === 'DELETE') sessions.ended(id);
      if (request.method === 'GET') options.admitStream(request, reply, caller);
      takeOver(reply);
      if (request.method === 'GET') {
        watchStream(request, reply, () => void session.server.sendToolListChanged().catch(onError));
      }
      return session.transport.handleRequest(request.raw, reply.raw, body);
    }
    const messages = Array.isArray(body) ? body : [body];
    if (!isPost || !messages.some((message) => isInitializeRequest(message))) {
      throw new AppError('BAD_REQUEST', 'the header Mcp-Session-Id is missing; initialize a session first');
    }
    const session = await sessions.open(caller, (current) => createDoorServer(toolOptions, current));
    takeOver(reply);
    return session.transport.handleRequest(request.raw, reply.raw, body);
  };

  const plugin = (app: FastifyInstance): void => {
    onError = (error) => {
      if (isClientFault(error)) {
        const reason = error instanceof Error ? error.message.slice(0, 300) : '';
        app.log.info({ reason }, 'MCP server: a message was refused');
      } else app.log.error({ err: error }, 'MCP server');
    };
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    );
    app.setErrorHandler((error, request, reply) => {
      const refusal = refusalOf(error);
      if (refusal !== null) return refuse(reply, refusal);

      request.log.error({ err: error }, 'request failed');
      return refuse(reply, new AppError('INTERNAL_ERROR', 'something went wrong inside'));
    });
    const config = { access: 'public', surface: 'root' } as const;
    const notAllowed = async (reply: FastifyReply): Promise<never> => {
      reply.header('allow', 'DELETE, GET, POST');
      throw new AppError('METHOD_NOT_ALLOWED', 'this path takes DELETE, GET, POST');
    };
    app.route({
      method: ['GET', 'POST', 'DELETE'],
      url: PATH,
      config,
      // `consumes`: the body is this plugin's own affair.
      schema: { hide: true, consumes: ['application/json'] },
      onRequest: admit,
      handler: async (request, reply) => {
        await serve(request, reply);
        return reply;
      },
    });
    app.route({
      method: ['PUT', 'PATCH'],
      url: PATH,
      config,
      schema: { hide: true },
      // Before a body is read: what it holds does not matter.
      onRequest: (_request, reply) => notAllowed(reply),
      handler: (_request, reply) => notAllowed(reply),
    });
  };

  return {
    plugin,
    routes: metadataRoutes(options),
    /** Streams on which clients listen for changes. */
    openStreams: watch.size,
    close: async (): Promise<void> => {
      watch.close();
      await sessions.close();
      await modern.close();
    },
  };
};

/** The raw response in the narrow form that the SDK's adapter asks for. */
const nodeResponse = (reply: FastifyReply): Parameters<ReturnType<typeof toNodeHandler>>[1] => {
  const { raw } = reply;
  return {
    writeHead: (status, headers) => raw.writeHead(status, headers),
    write: (chunk) => raw.write(chunk),
    end: (chunk) => raw.end(chunk),
    on: (event, listener) => raw.on(event, listener),
    get destroyed() {
      return raw.destroyed;
    },
  };
};
