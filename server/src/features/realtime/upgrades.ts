import websocket from '@fastify/websocket';
import type { FastifyInstance } from 'fastify';
import { chosenProtocol } from './handshake.ts';
import type { Hub } from './hub.ts';

/** As large as the largest HTTP body, so that every chat message fits. */
const MAX_MESSAGE_BYTES = 1024 * 1024;
const CLOSE_WAIT_MS = 2_000;

/** Upgrades of other paths are answered as plain requests (RFC 9110, section 7.8: a server may ignore Upgrade). */
export const takeUpgradesOfSocketOnly = (app: FastifyInstance): void => {
  Object.assign(app.server, {
    shouldUpgradeCallback: (raw: { method?: string; url?: string; headers: { upgrade?: string } }) =>
      raw.method === 'GET' &&
      /^websocket$/i.test(raw.headers.upgrade ?? '') &&
      /^(\/api)?\/v2\/ws(\?|$)/.test(raw.url ?? ''),
  });
};

export const registerWebSockets = async (app: FastifyInstance, hub: Hub): Promise<void> => {
  await app.register(websocket, {
    options: {
      maxPayload: MAX_MESSAGE_BYTES,
      perMessageDeflate: false,
      clientTracking: true,
      handleProtocols: chosenProtocol,
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
};

/** Node marks requests that came by its `upgrade` event, which its types leave out. */
const isUpgrade = (raw: object): boolean => 'upgrade' in raw && raw.upgrade === true;

/** A refused upgrade has left the HTTP server's care: nobody else would ever close its socket. */
export const closeRefusedUpgrades = (app: FastifyInstance): void => {
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (isUpgrade(request.raw)) reply.header('connection', 'close');
    done();
  });
  app.addHook('onResponse', (request, _reply, done) => {
    if (isUpgrade(request.raw)) request.raw.socket.end();
    done();
  });
};
