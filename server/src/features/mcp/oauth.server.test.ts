import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { caller, type Platform, serve, startPlatform } from '../../../test/mcp/harness.ts';
import { req } from '../../../test/requirements.ts';
import { createProtectedServer } from '../../../test/support/protected-mcp.ts';

describe('servers that ask for OAuth', () => {
  let platform: Platform;
  let remote: Awaited<ReturnType<typeof createProtectedServer>>;
  beforeEach(async () => {
    remote = await createProtectedServer();
    platform = await startPlatform({ builtins: false });
  });
  afterEach(async () => {
    await platform.close();
    await remote.close();
  });

  const register = (oauth: object | undefined) =>
    platform.request('POST', '/mcp/servers', {
      body: {
        name: 'remote',
        transport: 'http',
        url: remote.url,
        headers: { 'X-Api-Key': 'key-for-the-server' },
        ...(oauth === undefined ? {} : { oauth }),
      },
    });
  const call = () => platform.request('POST', '/mcp/remote/call', { as: 'user', body: { tool: 'whoami' } });
  const isConnected = () =>
    vi.waitFor(async () => expect((await call()).status).toBe(200), { timeout: 20_000 });
  const state = async () => (await platform.request('GET', '/mcp/servers')).body.items[0];
  /** Where the browser is sent back to, and the cookie of the one that began. */
  const begin = async (as = 'admin') => {
    const { status, body, headers } = await platform.request('POST', '/mcp/servers/remote/authorize', {
      as,
      body: {},
    });
    expect(status).toBe(200);
    const there = await fetch(body.authorization_url, { redirect: 'manual' });
    const [given = ''] = headers.getSetCookie();
    return { back: there.headers.get('location') ?? '', given, cookie: given.split(';', 1)[0] ?? '' };
  };
  const come = ({ back, cookie }: { back: string; cookie: string }) => fetch(back, { headers: { cookie } });

  it('are signed in at by a person, once, and renewed once for all calls at a time', async () => {
    const created = await register({});
    expect(created.body).toMatchObject({
      status: 'error',
      last_error: expect.stringContaining('authorization needed'),
    });
    expect((await call()).status).toBe(503);

    const began = await begin();
    expect(began.back).toContain(`${platform.url}/mcp/oauth/callback?`);
    expect((await come(began)).status).toBe(200);
    await isConnected();
    expect(platform.audit.at(-1)).toMatchObject({ action: 'mcp.server.authorized', subject: 'remote' });
    // The answer of the browser is good once.
    expect((await come(began)).status).toBeGreaterThanOrEqual(400);

    remote.expire();
    const statuses = await Promise.all(Array.from({ length: 10 }, async () => (await call()).status));
    expect(statuses).toEqual(Array.from({ length: 10 }, () => 200));
    expect(remote.seen).toMatchObject({ refreshes: 1, reused: 0, registrations: 1, foreignHeaders: 0 });

    expect(remote.issued.length).toBeGreaterThanOrEqual(4);
    for (const file of ['p.sqlite', 'p.sqlite-wal']) {
      const at = path.join(platform.folder, file);
      if (!existsSync(at)) continue;
      const bytes = readFileSync(at);
      for (const secret of remote.issued) expect(bytes.includes(secret)).toBe(false);
    }
  });

  it('stay signed in over a restart of the session', async () => {
    await register({});
    await come(await begin());
    await isConnected();
    await platform.request('PATCH', '/mcp/servers/remote', { body: { enabled: false } });
    const again = await platform.request('PATCH', '/mcp/servers/remote', { body: { enabled: true } });
    expect(again.body.status).toBe('connected');
    expect((await call()).status).toBe(200);
  });

  it('are not called connected once a call has found the sign-in revoked', async () => {
    await register({});
    await come(await begin());
    await isConnected();
    expect((await state()).status).toBe('connected');
    remote.revoke();
    expect((await call()).status).toBe(502);
    const seen = await state();
    expect(seen.status).toBe('error');
    expect(seen.last_error).toMatch(/sign|authoriz/i);
    // Signed in again, it is connected at once and not after its back-off.
    await come(await begin());
    await isConnected();
  });

  it('do not lose a sign-in that waits in a browser to a try in the background', async () => {
    await register({});
    const began = await begin();
    await platform.request('PATCH', '/mcp/servers/remote', { body: { enabled: false } });
    await platform.request('PATCH', '/mcp/servers/remote', { body: { enabled: true } });
    expect((await come(began)).status).toBe(200);
    await isConnected();
  });

  it('lose their tokens when they move to another origin', async () => {
    await register({});
    await come(await begin());
    await isConnected();
    const seen: (string | undefined)[] = [];
    const elsewhere = await serve((request, response) => {
      seen.push(request.headers.authorization, request.headers['x-api-key']?.toString());
      response.writeHead(500).end();
    });
    const home = remote.url;
    const move = (body: object) => platform.request('PATCH', '/mcp/servers/remote', { body });
    expect((await move({ url: `http://127.0.0.1:${elsewhere.port}/mcp` })).status).toBe(422);
    expect((await call()).status).toBe(200);
    expect((await move({ url: `http://127.0.0.1:${elsewhere.port}/mcp`, headers: {} })).status).toBe(200);
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(0));
    expect(seen.filter((value) => value !== undefined)).toEqual([]);
    // Back home, the person is asked again.
    await move({ url: home, headers: {} });
    expect((await state()).last_error).toContain('authorization needed');
    await elsewhere.close();
  });

  it('take no answer that the platform did not ask for', async () => {
    await register({});
    const at = (query: string) => fetch(`${platform.url}/mcp/oauth/callback${query}`);
    expect((await at('')).status).toBe(422);
    expect((await at('?code=x&state=forged')).status).toBe(422);
    const began = await begin();
    const back = new URL(began.back);
    back.searchParams.set('code', 'another');
    expect((await come({ ...began, back: back.href })).status).toBe(502);
    expect((await state()).status).toBe('error');
  });

  it(
    req('MCP-12', 'do not take the account of a person whose browser did not begin the sign-in'),
    async () => {
      await register({});
      const began = await begin();
      expect(began.given).toMatch(/; Path=\/mcp\/oauth\/callback; Max-Age=600; HttpOnly; SameSite=Lax$/);
      const other = await begin();
      for (const cookie of ['', 'pentarch_mcp_sign_in_x=y', `${began.cookie}x`, other.cookie]) {
        const answer = await come({ back: began.back, cookie });
        expect([cookie, answer.status]).toEqual([cookie, 202]);
        expect(await answer.text()).toContain('this browser did not begin');
      }
      expect((await state()).status).toBe('error');
      expect((await call()).status).toBe(503);
      expect(platform.audit.map(({ action }) => action)).not.toContain('mcp.server.authorized');
    },
  );

  it(
    req('MCP-12', 'are finished elsewhere by the person who began, with what their browser was shown'),
    async () => {
      await register({});
      const { back } = await begin();
      const page = await (await fetch(back)).text();
      const answer = /--answer (\S+)/.exec(page)?.[1] ?? '';
      const handIn = (as: string, sealed: string) =>
        platform.request('POST', '/mcp/servers/remote/authorize', { as, body: { answer: sealed } });
      expect((await handIn('operator', answer)).status).toBe(422);
      expect((await handIn('user', answer)).status).toBe(403);
      expect((await handIn('admin', `x${answer}`)).status).toBe(422);
      expect((await handIn('admin', new URL(back).searchParams.get('state') ?? '')).status).toBe(422);
      expect((await call()).status).toBe(503);
      const done = await handIn('admin', answer);
      expect([done.status, done.body]).toEqual([200, { authorization_url: null }]);
      await isConnected();
      // Without a body a sign-in begins, as ever.
      expect((await platform.request('POST', '/mcp/servers/remote/authorize')).status).toBe(200);
    },
  );

  it(
    req('MCP-12', 'take the answer of a browser once, also when it comes several times at one moment'),
    async () => {
      await register({});
      for (let round = 0; round < 3; round++) {
        const began = await begin();
        const before = remote.seen.codes;
        const all = await Promise.all(Array.from({ length: 4 }, () => come(began)));
        expect(all.map(({ status }) => status).sort()).toEqual([200, 502, 502, 502]);
        // Authorization servers take back what they gave for a code that comes twice (RFC 6749, 4.1.2).
        expect(remote.seen.codes).toBe(before + 1);
        await isConnected();
      }
    },
  );

  it(
    req('MCP-12', 'are not signed in at for a person who may not do so any more when the browser comes back'),
    async () => {
      await register({});
      const began = await begin();
      platform.gone.add(caller('admin').userId);
      expect((await come(began)).status).toBe(403);
      expect((await state()).status).toBe('error');
      platform.gone.clear();
      expect((await come(began)).status).toBe(200);
    },
  );

  it('are signed in at by the platform itself with client credentials', async () => {
    const created = await register({
      grant: 'client_credentials',
      client_id: 'robot',
      client_secret: 's3cret-of-robot',
    });
    expect(created.body.status).toBe('connected');
    expect((await call()).status).toBe(200);
    remote.expire();
    expect((await call()).status).toBe(200);
    expect(JSON.stringify((await platform.request('GET', '/mcp/servers')).body)).not.toContain('s3cret');
  });

  it('say what is wrong with the credentials', async () => {
    const created = await register({
      grant: 'client_credentials',
      client_id: 'robot',
      client_secret: 'wrong-secret',
    });
    expect(created.body.status).toBe('error');
    expect(created.body.last_error).not.toContain('wrong-secret');
    const without = await platform.request('PATCH', '/mcp/servers/remote', {
      body: { oauth: { grant: 'client_credentials' } },
    });
    expect(without.status).toBe(422);
  });

  it('cannot be signed in at when they were registered without it: 409', async () => {
    expect((await register(undefined)).body.status).toBe('error');
    const answer = await platform.request('POST', '/mcp/servers/remote/authorize', { body: {} });
    expect(answer.status).toBe(409);
    const denied = await platform.request('POST', '/mcp/servers/remote/authorize', { as: 'user', body: {} });
    expect(denied.status).toBe(403);
  });
});
