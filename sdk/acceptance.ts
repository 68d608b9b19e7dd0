import { connect, createServer, type Server, type Socket } from 'node:net';
import { CLI_REDIRECT, createBrowser, signIn } from '../server/test/support/browser.ts';
import { startServer, type TestServer } from '../server/test/support/server.ts';
import { authorizeUrl, challengeOf, createPkce } from './typescript/src/index.ts';

/**
 * What the acceptance suites of all three languages run against: a really started server, a way to it that breaks
 * streams, and the keys and codes that only a person or an administrator can get.
 */
export interface AcceptanceServer {
  server: TestServer;
  /** The settings with a fresh authorization code of the administrator, which lives for a minute. */
  freshEnv(): Promise<Record<string, string>>;
  close(): Promise<void>;
}

/**
 * Breaks every answer to POST chat/stream after the first delta, and the first WebSocket after its first event; everything
 * else passes.
 */
const startBreakingProxy = (
  target: URL,
): Promise<{ url: string; server: Server; close(): Promise<void> }> => {
  const open = new Set<Socket>();
  let sockets = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let breaking = false;
    let breakingSocket = false;
    open.add(client).add(upstream);
    client.on('data', (chunk) => {
      const head = chunk.toString('latin1');
      if (head.startsWith('POST /api/v1/chat/stream ')) breaking = true;
      if (head.startsWith('GET /v2/ws ')) breakingSocket = sockets++ === 0;
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      client.write(chunk);
      const event = breakingSocket && chunk.includes('"message.created"');
      if (event || (breaking && chunk.includes('event: message.delta'))) {
        upstream.destroy();
        // After what was written: the client sees the first events, then the break.
        client.end();
      }
    });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket.on('error', () => {});
      socket.on('close', () => {
        open.delete(socket);
        other.end();
      });
    }
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('no port');
      const close = (): Promise<void> => {
        for (const socket of open) socket.destroy();
        return new Promise((done) => server.close(() => done()));
      };
      resolve({ url: `http://127.0.0.1:${address.port}`, server, close });
    });
  });
};

export const startAcceptanceServer = async (): Promise<AcceptanceServer> => {
  const server = await startServer();
  try {
    const admin = await server.signIn();
    const account = await admin.post('/v2/users', {
      email: 'robot@acceptance.test',
      type: 'service',
      roles: ['operator'],
    });
    const { id } = account.json<{ id: string }>();
    const made = await admin.post(`/management/v1/users/${id}/machine_keys`, {
      type: 'KEY_TYPE_JSON',
      expirationDate: new Date(Date.now() + 86_400_000).toISOString(),
    });
    if (made.status !== 200 && made.status !== 201)
      throw new Error(`machine key: ${made.status} ${made.text}`);
    const key = await admin.post('/v2/auth/api-keys', { name: 'acceptance' });
    const codeEnv = async (): Promise<Record<string, string>> => {
      const pkce = await createPkce();
      const url = authorizeUrl({
        authUrl: server.url,
        clientId: 'pentarch-cli',
        redirectUri: CLI_REDIRECT,
        pkce: { ...pkce, challenge: await challengeOf(pkce.verifier) },
      });
      const back = await signIn(createBrowser(server.url), url, server.admin);
      return { PENTARCH_CODE: back.get('code') ?? '', PENTARCH_VERIFIER: pkce.verifier };
    };
    const proxy = await startBreakingProxy(new URL(server.url));
    return {
      server,
      freshEnv: async () => ({
        PENTARCH_URL: server.url,
        PENTARCH_BREAKING_URL: proxy.url,
        PENTARCH_EMAIL: server.admin.email,
        PENTARCH_PASSWORD: server.admin.password,
        PENTARCH_API_KEY: key.json<{ key: string }>().key,
        PENTARCH_MACHINE_KEY: made.text,
        PENTARCH_SERVICE_USER: id,
        PENTARCH_CLIENT_ID: 'pentarch-cli',
        PENTARCH_REDIRECT_URI: CLI_REDIRECT,
        ...(await codeEnv()),
      }),
      close: async () => {
        await proxy.close();
        await server.close();
      },
    };
  } catch (error) {
    await server.close();
    throw error;
  }
};
