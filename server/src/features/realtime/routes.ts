import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authenticate } from '../../http/route.ts';
import { AppError } from '../../kernel/errors.ts';
import { createHandshake, type Handshake } from './handshake.ts';
import type { Hub } from './hub.ts';
import { closeRefusedUpgrades, registerWebSockets, takeUpgradesOfSocketOnly } from './upgrades.ts';

export interface SocketRouteOptions {
  hub: Hub;
  authenticate: Authenticate;
}

/** `/api/v2/ws` is this path too, after rewriting. */
const PATH = '/v2/ws';

const lastEventIdOf = (request: FastifyRequest): string | null => {
  const { query } = request;
  const given =
    typeof query === 'object' && query !== null && 'last_event_id' in query ? query.last_event_id : null;
  return typeof given === 'string' ? given : null;
};

const socketRoute = (app: FastifyInstance, hub: Hub, handshake: Handshake): void => {
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
    preHandler: handshake.check,
    handler: (_request, reply) => reply.send(),
    wsHandler: (socket, request) => {
      const { admission, proved } = handshake.take(request);
      const connection = hub.connect(socket, request.ip, admission ?? hub.admit(request.ip, null));
      socket.on('message', (data: Buffer, isBinary: boolean) => void connection.receive(data, isBinary));
      socket.on('pong', () => connection.pong());
      socket.on('close', () => hub.disconnect(connection));
      if (proved !== null) connection.open(proved.caller, proved.token, lastEventIdOf(request));
    },
  });
};

const otherMethods = (app: FastifyInstance): void => {
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

/** The WebSocket door as a plugin of the app: it brings its route, and takes upgrades of no other path. */
export const socketPlugin =
  ({ hub, authenticate }: SocketRouteOptions) =>
  async (app: FastifyInstance): Promise<void> => {
    takeUpgradesOfSocketOnly(app);
    await registerWebSockets(app, hub);
    closeRefusedUpgrades(app);
    socketRoute(app, hub, createHandshake(hub, authenticate));
    otherMethods(app);
  };
