import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Type } from 'typebox';
import { expect, it } from 'vitest';
import { buildTestApp, createTestAccounts, listen } from '../../test/support/app.ts';
import { route } from './route.ts';

it('a request on an open connection of a server that closes is refused in the words of the API', async () => {
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let isDraining = false;
  const slow = route({
    method: 'GET',
    path: '/slow',
    surface: 'v2',
    operationId: 'slow',
    summary: 'Waits',
    tag: 'Test',
    access: 'public',
    responses: { 200: Type.Object({ whole: Type.Boolean() }) },
    handler: async () => {
      begun.resolve();
      await gate.promise;
      return { whole: true };
    },
  });
  const app = await buildTestApp({
    routes: [slow],
    accounts: createTestAccounts(),
    draining: () => isDraining,
  });
  const socket = connect(await listen(app), '127.0.0.1');
  await once(socket, 'connect');
  const ask = 'GET /v2/slow HTTP/1.1\r\nHost: here\r\n\r\n';
  socket.write(ask);
  await begun.promise;
  isDraining = true;
  const closed = app.close();
  const seen = new Promise<void>((resolve) => app.server.once('request', () => resolve()));
  socket.write(ask);
  await seen;
  gate.resolve();
  const [first, second] = (await text(socket)).split(/(?<=\})(?=HTTP)/);
  expect(first).toMatch(/^HTTP\/1.1 200 [\s\S]*\{"whole":true\}$/);
  expect(second).toMatch(/^HTTP\/1.1 503 [\s\S]*retry-after: \d+\r\n/i);
  expect(JSON.parse(second?.split('\r\n\r\n')[1] ?? '')).toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    request_id: expect.any(String),
  });
  await closed;
});
