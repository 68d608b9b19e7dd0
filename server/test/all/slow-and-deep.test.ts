import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import type { Client } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** Clients that take their time, and bodies that go down for ever: others are served meanwhile, and nothing is a 5xx. */

const SLOW = 300;
const DEEP = 500_000;

describe('a server with hostile clients', () => {
  let server: TestServer;
  let admin: Client;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    server = await startServer();
    admin = await server.signIn();
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await server.close();
  });

  const open = (): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(server.url);
      const socket = connect(Number(port), hostname, () => resolve(socket));
      socket.once('error', reject);
      sockets.push(socket);
    });

  it(req(
    'BAD-02',
    `serves others while ${SLOW} connections never finish their request, and cuts these off`,
  ), {
    timeout: 240_000,
  }, async () => {
    const slow = await Promise.all(Array.from({ length: SLOW }, open));
    let cut = 0;
    const answers: string[] = [];
    for (const [i, socket] of slow.entries()) {
      socket.on('error', () => {});
      socket.on('data', (bytes) => answers.push(bytes.toString()));
      socket.once('close', () => {
        cut += 1;
      });
      // Half of them stop in the headers, half in the body.
      socket.write(
        i % 2 === 0
          ? `POST /v2/chat HTTP/1.1\r\nHost: x\r\nX-Slow: `
          : `POST /v2/chat HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${admin.token}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"message": "`,
      );
    }
    const drip = setInterval(() => {
      for (const socket of slow) if (socket.writable) socket.write('a');
    }, 1_000);
    try {
      const question = { message: 'How are you?', context: { agent_id: 'zeus' } };
      expect((await admin.post('/v2/chat', question)).status).toBe(200);
      expect((await server.anonymous().get('/health')).status).toBe(200);
      await expect.poll(() => cut, { timeout: 200_000, interval: 1_000 }).toBe(SLOW);
    } finally {
      clearInterval(drip);
    }
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect((await admin.get('/v2/conversations')).status).toBe(200);
  });

  it(req('BAD-01', `refuses JSON of ${DEEP} brackets at every door that takes a body`), async () => {
    const bodies = ['['.repeat(DEEP), `{"message":${'['.repeat(DEEP)}`, '{"a":'.repeat(DEEP / 5)];
    for (const path of ['/v2/chat', '/v1/chat/completions', '/v2/memory/entities', '/mcp', '/v2/auth/login'])
      for (const body of bodies) {
        const answer = await admin.send('POST', path, body, {
          headers: { 'content-type': 'application/json' },
        });
        expect([path, answer.status >= 400 && answer.status < 500, answer.status]).toEqual([
          path,
          true,
          answer.status,
        ]);
      }
    expect((await admin.get('/v2/conversations')).status).toBe(200);
  });
});
