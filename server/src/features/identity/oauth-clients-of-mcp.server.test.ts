import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import {
  authorizeUrl,
  CLI_REDIRECT,
  challengeOf,
  createBrowser,
  newVerifier,
  signIn,
  signInPage,
  tokenRequest,
} from '../../../test/support/browser.ts';
import { selfSigned } from '../../../test/support/certificate.ts';
import { startServer, type TestServer } from '../../../test/support/server.ts';

/** How MCP clients sign in that nobody has registered: by the address of a document; and requests that are sent first. */

let server: TestServer;
let folder: string;
let site: Server;
let origin: string;
const asked: string[] = [];
/** What stands at each path. */
const pages = new Map<string, { status?: number; headers?: Record<string, string>; body: object }>();

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'pentarch-client-documents-'));
  const tls = selfSigned('localhost');
  writeFileSync(path.join(folder, 'ca.pem'), tls.cert);
  site = createServer(tls, (request, response) => {
    asked.push(request.url ?? '');
    const page = pages.get(request.url ?? '');
    response.writeHead(page?.status ?? (page === undefined ? 404 : 200), {
      'content-type': 'application/json',
      ...page?.headers,
    });
    response.end(JSON.stringify(page?.body ?? {}));
  });
  await new Promise<void>((done) => site.listen(0, '127.0.0.1', done));
  origin = `https://localhost:${(site.address() as AddressInfo).port}`;
  server = await startServer({
    env: { WEBHOOK_ALLOW_PRIVATE: 'on', NODE_EXTRA_CA_CERTS: path.join(folder, 'ca.pem') },
  });
});
afterAll(async () => {
  await server?.close();
  site?.close();
  rmSync(folder, { recursive: true, force: true });
});

const REDIRECT = 'http://127.0.0.1/callback';
const publish = (at: string, more: object = {}): string => {
  const id = `${origin}${at}`;
  pages.set(at, {
    body: { client_id: id, client_name: 'Example editor', redirect_uris: [REDIRECT], ...more },
  });
  return id;
};
const meStatus = async (token: unknown): Promise<number> =>
  (await fetch(`${server.url}/v2/auth/me`, { headers: { authorization: `Bearer ${String(token)}` } })).status;

describe(req('AUTH-30', 'a client id metadata document'), () => {
  it('is announced, and signs a person in after their consent, with tokens that go on', async () => {
    const metadata = await server.anonymous().get('/.well-known/oauth-authorization-server');
    expect(metadata.json()).toMatchObject({ client_id_metadata_document_supported: true });
    const clientId = publish('/editor.json');
    const verifier = newVerifier();
    const redirectUri = 'http://127.0.0.1:53999/callback';
    const browser = createBrowser(server.url);
    const url = authorizeUrl(server.url, { clientId, redirectUri, verifier, scope: 'openid offline_access' });
    const login = await browser.open(url);
    const consent = await browser.submit(login, 'login', server.admin);
    expect(consent.text).toContain('Example editor (localhost:');
    expect(consent.text).toContain('Allow access?');
    const done = await browser.submit(consent, 'consent');
    const back = new URL(done.headers.get('location') ?? '').searchParams;
    const form = { client_id: clientId, redirect_uri: redirectUri, code_verifier: verifier };
    const tokens = await tokenRequest(server.url, {
      grant_type: 'authorization_code',
      code: back.get('code') ?? '',
      ...form,
    });
    expect(tokens.status, JSON.stringify(tokens.body)).toBe(200);
    expect(await meStatus(tokens.body.access_token)).toBe(200);
    const fresh = await tokenRequest(server.url, {
      grant_type: 'refresh_token',
      refresh_token: String(tokens.body.refresh_token),
      client_id: clientId,
    });
    expect(await meStatus(fresh.body.access_token)).toBe(200);
    expect(asked.filter((at) => at === '/editor.json')).toHaveLength(1);
    // Consent is asked each time, as for every program of a person's machine.
    expect((await browser.open(url)).text).toContain('Allow access?');
  });

  it('asks for consent each time, also at an address in the web, and never goes on without a page', async () => {
    const redirectUri = 'https://editor.example/callback';
    const clientId = publish('/asks.json', { redirect_uris: [redirectUri] });
    const browser = createBrowser(server.url);
    const url = authorizeUrl(server.url, { clientId, redirectUri, verifier: newVerifier() });
    const login = await browser.open(url);
    const consent = await browser.submit(login, 'login', server.admin);
    const done = await browser.submit(consent, 'consent');
    expect(new URL(done.headers.get('location') ?? '').searchParams.has('code')).toBe(true);
    expect((await browser.open(url)).text).toContain('Allow access?');
    const silent = await browser.open(`${url}&prompt=none`);
    const back = new URL(silent.headers.get('location') ?? '').searchParams;
    expect([back.get('code'), back.get('error')]).toEqual([null, 'consent_required']);
  });

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'admin:everything'])(
    'shows the person only what it gets: of the scope %s the page says nothing',
    async (word) => {
      const clientId = publish('/words.json');
      const url = authorizeUrl(server.url, {
        clientId,
        redirectUri: REDIRECT,
        verifier: newVerifier(),
        scope: `openid ${word} email`,
      });
      const browser = createBrowser(server.url);
      const consent = await browser.submit(await browser.open(url), 'login', server.admin);
      expect(consent.status, consent.text).toBe(200);
      expect(consent.text.match(/<li>.*?<\/li>/g)).toEqual([
        '<li>know who you are</li>',
        '<li>see your e-mail address</li>',
      ]);
    },
  );

  it('lets nobody be sent anywhere but where it says, exactly', async () => {
    const clientId = publish('/exact.json', { redirect_uris: ['https://editor.example/callback'] });
    const verifier = newVerifier();
    const open = (redirectUri: string) =>
      createBrowser(server.url).open(authorizeUrl(server.url, { clientId, redirectUri, verifier }));
    expect((await open('https://editor.example/callback')).text).toContain('/login"');
    for (const other of [
      'https://editor.example/callback/',
      'https://editor.example/callback?x=1',
      'https://editor.example.evil.example/callback',
      'https://editor.example:8443/callback',
      'http://127.0.0.1/callback',
    ]) {
      const refused = await open(other);
      expect([refused.status, refused.headers.get('location')], other).toEqual([400, null]);
    }
  });

  it('that is none, moved, or about somebody else is no client', async () => {
    publish('/good.json');
    pages.set('/moved.json', { status: 302, headers: { location: `${origin}/good.json` }, body: {} });
    pages.set('/other.json', { body: { client_id: `${origin}/good.json`, redirect_uris: [REDIRECT] } });
    const verifier = newVerifier();
    const before = asked.filter((at) => at === '/good.json').length;
    for (const at of ['/moved.json', '/other.json', '/none.json', '/x/../good.json', '/'])
      for (const clientId of [`${origin}${at}`]) {
        const url = authorizeUrl(server.url, { clientId, redirectUri: REDIRECT, verifier });
        const refused = await createBrowser(server.url).open(url);
        expect([refused.status, refused.headers.get('location')], at).toEqual([400, null]);
      }
    expect(asked.filter((at) => at === '/good.json')).toHaveLength(before);
  });

  it('is not asked for at addresses without encryption, nor where it is switched off', async () => {
    const off = await startServer({
      env: { CLIENT_ID_METADATA_DOCUMENTS: 'off', WEBHOOK_ALLOW_PRIVATE: 'on' },
    });
    try {
      const metadata = await off.anonymous().get('/.well-known/oauth-authorization-server');
      expect(metadata.json()).not.toHaveProperty('client_id_metadata_document_supported');
      const clientId = publish('/off.json');
      const url = authorizeUrl(off.url, { clientId, redirectUri: REDIRECT, verifier: newVerifier() });
      expect((await createBrowser(off.url).open(url)).status).toBe(400);
      expect(asked).not.toContain('/off.json');
    } finally {
      await off.close();
    }
  });
});

describe(req('AUTH-33', 'new clients of an address'), () => {
  let bounded: TestServer;
  beforeAll(async () => {
    bounded = await startServer({
      env: {
        RATE_LIMITS: 'on',
        TRUST_PROXY: '127.0.0.1',
        WEBHOOK_ALLOW_PRIVATE: 'on',
        NODE_EXTRA_CA_CERTS: path.join(folder, 'ca.pem'),
      },
    });
  });
  afterAll(() => bounded?.close());

  const ask = (clientId: string, address: string, more: RequestInit = {}): Promise<Response> =>
    fetch(
      authorizeUrl(bounded.url, {
        clientId,
        redirectUri: REDIRECT,
        verifier: newVerifier(),
        scope: 'openid',
      }),
      { redirect: 'manual', ...more, headers: { 'x-forwarded-for': address, ...more.headers } },
    );
  /** More than fit into two windows, so that one that ends meanwhile changes nothing. */
  const MANY = 25;
  const flood = async (name: string, address: string): Promise<Response[]> => {
    const answers: Response[] = [];
    for (let i = 0; i < MANY; i++) answers.push(await ask(publish(`/${name}-${i}.json`), address));
    return answers;
  };

  it('are so many in a minute: then 429 with the time to wait, and nothing is fetched; other addresses go on', async () => {
    const known = publish('/known.json');
    expect((await ask(known, '203.0.113.7')).status).toBe(303);
    const answers = await flood('flood', '203.0.113.7');
    expect(answers[0]?.status).toBe(303);
    const refused = answers.at(-1);
    expect(refused?.status).toBe(429);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused?.json()).toMatchObject({
      error: 'temporarily_unavailable',
      error_description: expect.stringContaining('new clients'),
    });
    expect(asked).not.toContain(`/flood-${MANY - 1}.json`);
    expect(asked.filter((at) => at.startsWith('/flood-')).length).toBeLessThanOrEqual(20);
    // Those that are known, registered or come from elsewhere are not counted.
    expect((await ask(known, '203.0.113.7')).status).toBe(303);
    expect((await ask('pentarch-cli', '203.0.113.7')).status).not.toBe(429);
    expect((await ask(publish('/elsewhere.json'), '203.0.113.8')).status).toBe(303);
  });

  it.each<[string, (id: string) => Promise<Response>]>([
    ['/oauth/v2/par', (id) => post('/oauth/v2/par', { client_id: id })],
    ['/oauth/v2/token', (id) => post('/oauth/v2/token', { client_id: id, grant_type: 'refresh_token' })],
    ['/oauth/v2/revoke', (id) => post('/oauth/v2/revoke', { client_id: id, token: 'x' })],
    [
      'a header',
      (id) =>
        post(
          '/oauth/v2/token',
          { grant_type: 'client_credentials' },
          {
            authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:x`).toString('base64')}`,
          },
        ),
    ],
    [
      'an assertion',
      (id) =>
        post('/oauth/v2/token', {
          grant_type: 'client_credentials',
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
          client_assertion: `${part({ alg: 'RS256' })}.${part({ iss: id, sub: id })}.x`,
        }),
    ],
    [
      'the end of a session',
      (id) =>
        fetch(`${bounded.url}/oidc/v1/end_session?${new URLSearchParams({ client_id: id })}`, {
          headers: FROM,
        }),
    ],
  ])('count wherever they are named: %s', async (where, name) => {
    await flood('first', '203.0.113.20');
    const at = `/named-in-${where.replaceAll(/\W/g, '-')}.json`;
    const answer = await name(publish(at));
    expect(answer.status).toBe(429);
    expect(asked).not.toContain(at);
  });
  const FROM = { 'x-forwarded-for': '203.0.113.20' };
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const post = (at: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(`${bounded.url}${at}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...FROM, ...headers },
      body: new URLSearchParams(fields).toString(),
    });

  it('are none of those by which somebody has signed in, also after a restart', async () => {
    const clientId = publish('/signed-in.json');
    const redirectUri = 'http://127.0.0.1:53998/callback';
    const url = authorizeUrl(bounded.url, {
      clientId,
      redirectUri,
      verifier: newVerifier(),
      scope: 'openid',
    });
    const browser = createBrowser(bounded.url);
    await browser.submit(await browser.submit(await browser.open(url), 'login', bounded.admin), 'consent');
    await bounded.end('SIGTERM');
    await bounded.start();
    expect((await flood('after', '203.0.113.30')).at(-1)?.status).toBe(429);
    expect((await ask(clientId, '203.0.113.30')).status).toBe(303);
  });
});

describe(req('AUTH-31', 'a pushed authorization request'), () => {
  const push = async (fields: Record<string, string>, type = 'application/x-www-form-urlencoded') => {
    const answer = await fetch(`${server.url}/oauth/v2/par`, {
      method: 'POST',
      headers: { 'content-type': type },
      body: new URLSearchParams(fields).toString(),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const request = (verifier: string, more: Record<string, string> = {}): Record<string, string> => ({
    client_id: 'pentarch-cli',
    response_type: 'code',
    redirect_uri: CLI_REDIRECT,
    scope: 'openid profile',
    state: 'pushed',
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    resource: `${server.url}/mcp`,
    ...more,
  });
  const urlOf = (requestUri: unknown, clientId = 'pentarch-cli'): string =>
    `${server.url}/oauth/v2/authorize?${new URLSearchParams({ client_id: clientId, request_uri: String(requestUri) })}`;

  it('is announced, and named once in the browser it signs a person in', async () => {
    const metadata = await server.anonymous().get('/.well-known/openid-configuration');
    expect(metadata.json()).toMatchObject({
      pushed_authorization_request_endpoint: `${server.url}/oauth/v2/par`,
    });
    const verifier = newVerifier();
    const pushed = await push(request(verifier));
    expect(pushed).toMatchObject({ status: 201, body: { request_uri: expect.any(String), expires_in: 60 } });
    const url = urlOf(pushed.body.request_uri);
    const back = await signIn(createBrowser(server.url), url, server.admin);
    expect(back.get('state')).toBe('pushed');
    const tokens = await tokenRequest(server.url, {
      grant_type: 'authorization_code',
      code: back.get('code') ?? '',
      client_id: 'pentarch-cli',
      redirect_uri: CLI_REDIRECT,
      code_verifier: verifier,
    });
    expect(await meStatus(tokens.body.access_token)).toBe(200);
    const again = await createBrowser(server.url).open(url);
    expect([again.status, again.headers.get('location')]).toEqual([400, null]);
  });

  it('is refused at once where it is wrong, and is of its client alone', async () => {
    const verifier = newVerifier();
    for (const [more, status, error] of [
      [{ redirect_uri: 'https://elsewhere.example/' }, 400, 'invalid_request'],
      [{ code_challenge: '' }, 400, 'invalid_request'],
      [{ client_id: 'nobody' }, 401, 'invalid_client'],
      [{ resource: 'https://other.example/' }, 400, 'invalid_target'],
      [{ request_uri: 'urn:ietf:params:oauth:request_uri:x' }, 400, 'request_uri_not_supported'],
    ] as const)
      expect(await push(request(verifier, more)), JSON.stringify(more)).toMatchObject({
        status,
        body: { error },
      });
    expect((await push(request(verifier), 'application/json')).status).toBe(415);
    const { body } = await push(request(verifier));
    const stolen = await createBrowser(server.url).open(urlOf(body.request_uri, 'pentarch-console'));
    expect([stolen.status, stolen.headers.get('location')]).toEqual([400, null]);
  });

  it('goes with a client that has a document', async () => {
    const clientId = publish('/pushing.json');
    const pushed = await push(request(newVerifier(), { client_id: clientId, redirect_uri: REDIRECT }));
    expect(pushed.status, JSON.stringify(pushed.body)).toBe(201);
    const page = await signInPage(
      createBrowser(server.url),
      urlOf(pushed.body.request_uri, clientId),
      server.admin,
    );
    expect(new URL(page.headers.get('location') ?? '').origin).toBe('http://127.0.0.1');
  });
});
