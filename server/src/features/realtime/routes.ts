import websocket from '@fastify/websocket';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { bearerToken } from '../../http/context.ts';
import type { Authenticate } from '../../http/route.ts';
import type { Caller } from '../../kernel/caller.ts';
import { AppError, unauthorized } from '../../kernel/errors.ts';
import type { Admission, Hub } from './hub.ts';

export interface SocketRouteOptions {
  hub: Hub;
  authenticate: Authenticate;
}

/** As large as the largest HTTP body, so that every chat message fits. */
const MAX_MESSAGE_BYTES = 1024 * 1024;
/** `/api/v2/ws` is this path too, after rewriting. */
const PATH = '/v2/ws';
/** The subprotocol that is chosen where it is offered; the token's own is echoed otherwise, as browsers require one. */
export const SUBPROTOCOL = 'pentarch.v2';
const TOKEN_PROTOCOL = 'bearer.';
const CLOSE_WAIT_MS = 2_000;

const HTTP_TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

const protocolsOf = (request: FastifyRequest): string[] =>
  String(request.headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((part) => part.trim());

/** The token of the upgrade request: header, or subprotocol `bearer.<token>`. Null: the first message brings it. */
const tokenOf = (request: FastifyRequest): string | null => {
  const header = bearerToken(request);
  if (header !== null) return header;
  const offered = protocolsOf(request).find((protocol) => protocol.startsWith(TOKEN_PROTOCOL));
  return offered?.slice(TOKEN_PROTOCOL.length) ?? null;
};

const lastEventIdOf = (request: FastifyRequest): string | null => {
  const { query } = request;
  const given =
    typeof query === 'object' && query !== null && 'last_event_id' in query ? query.last_event_id : null;
  return typeof given === 'string' ? given : null;
};

/** Node marks requests that came by its `upgrade` event, which its types leave out. */
const isUpgrade = (raw: object): boolean => 'upgrade' in raw && raw.upgrade === true;

interface Proved {
  caller: Caller;
  token: string;
}

/** The WebSocket door as a plugin of the app: it brings its route, and takes upgrades of no other path. */
export const socketPlugin = (options: SocketRouteOptions) => {
  const { hub } = options;
  /** What the handshake has proved, until the socket is open. */
  const proved = new WeakMap<FastifyRequest, Proved>();
  const admitted = new WeakMap<FastifyRequest, Admission>();

  /** Refusals of the handshake are ordinary HTTP errors. */
  const handshake = async (request: FastifyRequest, _reply: FastifyReply): Promise<void> => {
    if (!request.ws) {
      throw new AppError('UPGRADE_REQUIRED', 'this path is a WebSocket', {
        headers: { upgrade: 'websocket', connection: 'upgrade' },
      });
    }
    if (request.headers['sec-websocket-version'] !== '13') {
      throw new AppError('UPGRADE_REQUIRED', 'this server speaks WebSocket version 13', {
        headers: { 'sec-websocket-version': '13', upgrade: 'websocket' },
      });
    }
    if (!/^[A-Za-z0-9+/]{22}==$/.test(String(request.headers['sec-websocket-key'] ?? ''))) {
      throw new AppError('BAD_REQUEST', 'Sec-WebSocket-Key is missing or malformed');
    }
    if (request.headers['sec-websocket-protocol'] !== undefined) {
      const offered = protocolsOf(request);
      if (!offered.every((one) => HTTP_TOKEN.test(one)) || new Set(offered).size !== offered.length) {
        throw new AppError('BAD_REQUEST', 'Sec-WebSocket-Protocol is malformed');
      }
    }
    const token = tokenOf(request);
    if (token === '') throw unauthorized('TOKEN_INVALID', 'the token is empty');
    const who = token === null ? null : { caller: await options.authenticate(token), token };
    const admission = hub.admit(request.ip, who?.caller ?? null);
    // The socket of the request is the WebSocket's own: it ends with it, or with a handshake that came to nothing.
    request.raw.socket.once('close', admission.ended);
    admitted.set(request, admission);
    if (who !== null) proved.set(request, who);
  };

  return async (app: FastifyInstance): Promise<void> => {
    // Upgrades of other paths are answered as plain requests (RFC 9110, section 7.8: a server may ignore Upgrade).
    Object.assign(app.server, {
      shouldUpgradeCallback: (raw: { method?: string; url?: string; headers: { upgrade?: string } }) =>
        raw.method === 'GET' &&
        /^websocket$/i.test(raw.headers.upgrade ?? '') &&
        /^(\/api)?\/v2\/ws(\?|$)/.test(raw.url ?? ''),
    });
    await app.register(websocket, {
      options: {
        maxPayload: MAX_MESSAGE_BYTES,
        perMessageDeflate: false,
        clientTracking: true,
        handleProtocols: (offered: Set<string>) => {
          if (offered.has(SUBPROTOCOL)) return SUBPROTOCOL;
          for (const protocol of offered) if (protocol.startsWith(TOKEN_PROTOCOL)) return protocol;
          return false;
        },
      },
      errorHandler: (_error, socket) => socket.terminate(),
      preClose(done) {
        hub.close();
        const { clients } = app.websocketServer;
        const cut = setTimeout(() => {
          for (const client of clients) client.terminate();
        }, CLOSE_WAIT_MS);
        app.websocketServer.close(() => {
          clearTimeout(cut);
          done();
        });
      },
    });
    // A refused upgrade has left the HTTP server's care: nobody else would ever close its socket.
    app.addHook('onSend', (request, reply, _payload, done) => {
      if (isUpgrade(request.raw)) reply.header('connection', 'close');
      done();
    });
    app.addHook('onResponse', (request, _reply, done) => {
      if (isUpgrade(request.raw)) request.raw.socket.end();
      done();
    });
    app.route({
      method: 'GET',
      url: PATH,
      config: { access: 'public', surface: 'v2' },
      schema: {
        operationId: 'openSocket',
        summary: 'WebSocket: events as they happen, and chat.send',
        description:
          'Token in Authorization, as subprotocol bearer.<token>, or in a first message {"type":"auth","payload":{"token"}} within 10 s. last_event_id replays what was missed in the last 10 minutes. See docs/events.md.',
        tags: ['Events'],
        querystring: {
          type: 'object',
          additionalProperties: false,
          properties: { last_event_id: { type: 'string', maxLength: 64 } },
        },
        response: { 101: { type: 'null', description: 'Switching to WebSocket' } },
      },
      preHandler: handshake,
      handler: (_request, reply) => reply.send(),
      wsHandler: (socket, request) => {
        const admission = admitted.get(request) ?? hub.admit(request.ip, null);
        const connection = hub.connect(socket, request.ip, admission);
        socket.on('message', (data: Buffer, isBinary: boolean) => void connection.receive(data, isBinary));
        socket.on('pong', () => connection.pong());
        socket.on('close', () => hub.disconnect(connection));
        const who = proved.get(request);
        proved.delete(request);
        if (who !== undefined) connection.open(who.caller, who.token, lastEventIdOf(request));
      },
    });
    app.route({
      method: ['POST', 'PUT', 'PATCH', 'DELETE'],
      url: PATH,
      config: { access: 'public', surface: 'v2' },
      schema: { hide: true },
      // Before the body is read: there is nothing here that takes one.
      onRequest: async () => {
        throw new AppError('METHOD_NOT_ALLOWED', 'this path takes GET', { headers: { allow: 'GET, HEAD' } });
      },
      handler: (_request, reply) => reply.send(),
    });
  };
};
