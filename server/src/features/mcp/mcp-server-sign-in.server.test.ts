import { afterAll, beforeAll, expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import { type Client, createClient } from '../../../test/support/client.ts';
import { createProtectedServer } from '../../../test/support/protected-mcp.ts';
import { startServer, type TestServer } from '../../../test/support/server.ts';

/** The sign-in at an MCP server that asks for OAuth, with the whole server: its answer comes without a token, from a browser. */

let remote: Awaited<ReturnType<typeof createProtectedServer>>;
let server: TestServer;
let admin: Client;
beforeAll(async () => {
  remote = await createProtectedServer();
  server = await startServer({ env: { WEBHOOK_ALLOW_PRIVATE: 'on' } });
  admin = await server.signIn();
  const made = await admin.post('/v2/mcp/servers', {
    name: 'remote',
    transport: 'http',
    url: remote.url,
    oauth: {},
    accept_tools: true,
  });
  expect(made.status).toBe(201);
});
afterAll(async () => {
  await server?.close();
  await remote?.close();
});

const state = async () =>
  (await admin.get('/v2/mcp/servers')).json<{ items: { name: string; status: string }[] }>().items[0];
const begin = async (client: Client) => {
  const began = await client.post('/v2/mcp/servers/remote/authorize', {});
  expect(began.status).toBe(200);
  const { authorization_url: address } = began.json<{ authorization_url: string }>();
  const there = await fetch(address, { redirect: 'manual' });
  const cookie = began.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
  return { back: there.headers.get('location') ?? '', cookie };
};
const come = ({ back, cookie }: { back: string; cookie: string }) => fetch(back, { headers: { cookie } });

it(req('MCP-12', 'is finished in the browser that began, and nowhere else without a token'), async () => {
  const began = await begin(admin);
  expect((await come({ ...began, cookie: '' })).status).toBe(202);
  expect((await state())?.status).toBe('error');
  const done = await come(began);
  expect([done.status, await done.text()]).toEqual([200, 'Signed in for remote. You can close this window.']);
  await expect.poll(async () => (await state())?.status, { timeout: 30_000 }).toBe('connected');
  expect((await come(began)).status).toBe(502);
});

it(req('MCP-12', 'is not finished for an account or key that may not any more'), async () => {
  const email = 'op@example.test';
  const password = 'correct horse battery staple';
  const made = await admin.post('/v2/users', { email, password, roles: ['operator'] });
  const { id } = made.json<{ id: string }>();
  const person = await server.signIn(email, password);
  const byKey = async () => {
    const { id: key, key: secret } = (
      await person.post('/v2/auth/api-keys', { name: 'k', permissions: ['mcp:manage', 'mcp:read'] })
    ).json<{ id: string; key: string }>();
    return { key, client: createClient(() => server.url, secret) };
  };
  const first = await byKey();
  const kept = await begin(first.client);
  expect((await come(kept)).status).toBe(200);
  const second = await byKey();
  const lost = await begin(second.client);
  expect((await person.delete(`/v2/auth/api-keys/${second.key}`)).status).toBe(204);
  expect((await come(lost)).status).toBe(403);
  const began = await begin(person);
  expect((await admin.patch(`/v2/users/${id}`, { roles: ['user'] })).status).toBe(200);
  expect((await come(began)).status).toBe(403);
  expect((await admin.delete(`/v2/users/${id}`)).status).toBe(204);
  expect((await come(began)).status).toBe(403);
});
