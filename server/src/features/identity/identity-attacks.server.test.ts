import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import {
  authorizeUrl,
  type Browser,
  CLI_REDIRECT,
  challengeOf,
  createBrowser,
  newVerifier,
  signIn,
  tokenRequest,
} from '../../../test/support/browser.ts';
import { type Client, sendRaw } from '../../../test/support/client.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { withServer } from '../../../test/support/suite.ts';

/** What somebody tries who should not come in: the identity provider of a real server, from outside. */

const PASSWORD = 'a long password of a person';

let server: TestServer;
let admin: Client;

const it = withServer();
it.beforeAll(({ world }) => {
  ({ server, admin } = world);
});

let count = 0;
const makePerson = async (roles: string[] = ['user'], maker: Client = admin) => {
  count += 1;
  const email = `person${count}@example.test`;
  const made = await maker.post('/v2/users', { email, password: PASSWORD, roles });
  expect(made.status, made.text).toBe(201);
  return { id: made.json<{ id: string }>().id, email, password: PASSWORD };
};
const makeTenant = async () => {
  count += 1;
  const boss = { email: `boss${count}@other.test`, password: PASSWORD };
  const made = await admin.post('/v2/tenants', { name: 'Other', slug: `other-${count}`, admin: boss });
  expect(made.status, made.text).toBe(201);
  return { id: made.json<{ id: string }>().id, boss, client: await server.signIn(boss.email, boss.password) };
};
const meStatus = async (token: string): Promise<number> =>
  (await server.anonymous().get('/v2/auth/me', { headers: { authorization: `Bearer ${token}` } })).status;

/** A code for the command line's client, by the real page. */
const codeFor = async (
  browser: Browser,
  person: { email: string; password: string },
  verifier: string,
  extra: Record<string, string> = {},
): Promise<string> => {
  const back = await signIn(browser, authorizeUrl(server.url, { verifier, extra }), person);
  const code = back.get('code');
  if (code === null) throw new Error(`no code: ${back}`);
  return code;
};
const exchange = (code: string, verifier: string | null, more: Record<string, string> = {}) =>
  tokenRequest(server.url, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: CLI_REDIRECT,
    client_id: 'pentarch-cli',
    ...(verifier === null ? {} : { code_verifier: verifier }),
    ...more,
  });
const tokensOf = async (browser: Browser, person: { email: string; password: string }) => {
  const verifier = newVerifier();
  const { body } = await exchange(await codeFor(browser, person, verifier), verifier);
  return {
    access: String(body.access_token),
    refresh: String(body.refresh_token),
    id: String(body.id_token),
  };
};
/** Whether a browser gets a code without anybody giving a password. */
const isSignedIn = async (browser: Browser): Promise<boolean> => {
  const redirectUri = `${server.url}/callback`;
  const page = await browser.request(
    authorizeUrl(server.url, { verifier: newVerifier(), clientId: 'pentarch-console', redirectUri }),
  );
  return page.headers.get('location')?.startsWith(`${redirectUri}?code=`) ?? false;
};

describe('tokens', () => {
  it(req('AUTH-01', 'are good for what they are and for nothing else'), async () => {
    const person = await makePerson();
    const tokens = await tokensOf(createBrowser(server.url), person);
    const client = await server.signIn(person.email, person.password);
    const key = (await client.post('/v2/auth/api-keys', { name: 'k' })).json<{ key: string }>().key;
    const verifier = newVerifier();
    const code = await codeFor(createBrowser(server.url), person, verifier);
    // As bearer: what is no access token.
    for (const [what, token] of Object.entries({ id: tokens.id, refresh: tokens.refresh, code })) {
      expect([what, await meStatus(token)]).toEqual([what, 401]);
    }
    // As refresh token: what is none.
    for (const [what, token] of Object.entries({ access: tokens.access, id: tokens.id, code, key })) {
      const answer = await server
        .anonymous()
        .post('/v2/auth/refresh', { refresh_token: token.slice(0, 512) });
      expect([what, answer.status]).toEqual([what, 401]);
      const form = { grant_type: 'refresh_token', refresh_token: token, client_id: 'pentarch-cli' };
      expect([what, (await tokenRequest(server.url, form)).body.error]).toEqual([what, 'invalid_grant']);
    }
    // As code and as assertion.
    for (const token of [tokens.refresh, tokens.access, key])
      expect((await exchange(token, verifier)).body.error).toBe('invalid_grant');
    for (const assertion of [tokens.id, tokens.access, tokens.refresh, key]) {
      const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
      const { body } = await tokenRequest(server.url, { grant_type: grant, assertion });
      expect(body.error).toBe('invalid_grant');
    }
    // None of that has spoilt the real ones.
    expect(await meStatus(tokens.access)).toBe(200);
    expect((await exchange(code, verifier)).status).toBe(200);
  });

  it(req('AUTH-01', 'of one client are no other client’s'), async () => {
    const person = await makePerson();
    const tokens = await tokensOf(createBrowser(server.url), person);
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh };
    expect((await tokenRequest(server.url, { ...form, client_id: 'pentarch-console' })).body.error).toBe(
      'invalid_grant',
    );
    const verifier = newVerifier();
    const code = await codeFor(createBrowser(server.url), person, verifier);
    expect((await exchange(code, verifier, { client_id: 'pentarch-console' })).body.error).toBe(
      'invalid_grant',
    );
  });

  it(req('AUTH-01', 'of a narrowed key do not reach the sign-ins of its owner'), async () => {
    const person = await makePerson();
    const client = await server.signIn(person.email, person.password);
    const made = await client.post('/v2/auth/api-keys', { name: 'k', permissions: ['costs:read'] });
    const key = { headers: { authorization: `Bearer ${made.json<{ key: string }>().key}` } };
    const nobody = server.anonymous();
    const { session_id: session } = (await client.get('/v2/auth/me')).json<{ session_id: string }>();
    expect((await nobody.get('/v2/costs/usage', key)).status).toBe(200);
    expect((await nobody.get('/v2/users/me/sessions', key)).status).toBe(403);
    expect((await nobody.delete(`/v2/users/me/sessions/${session}`, key)).status).toBe(403);
    const change = { current_password: PASSWORD, new_password: 'taken over by a key' };
    expect((await nobody.post('/v2/users/me/password', change, key)).status).toBe(403);
    expect((await client.get('/v2/auth/me')).status).toBe(200);
  });
});

describe('the authorization endpoint', () => {
  const ask = async (parameters: [string, string][]) => {
    const query = new URLSearchParams(parameters);
    return createBrowser(server.url).request(`${server.url}/oauth/v2/authorize?${query}`);
  };
  const base = (over: Record<string, string | null> = {}): [string, string][] =>
    Object.entries({
      client_id: 'pentarch-cli',
      redirect_uri: CLI_REDIRECT,
      response_type: 'code',
      scope: 'openid',
      state: 's',
      code_challenge: challengeOf(newVerifier()),
      code_challenge_method: 'S256',
      ...over,
    }).filter((entry): entry is [string, string] => entry[1] !== null);

  it(req('AUTH-02', 'takes no weaker proof than PKCE S256, and a code needs its own verifier'), async () => {
    const weaker: Record<string, string | null>[] = [
      { code_challenge: null, code_challenge_method: null },
      { code_challenge_method: null },
      { code_challenge_method: 'plain' },
      { code_challenge_method: 's256' },
      { code_challenge: '' },
      { code_challenge: 'short' },
    ];
    for (const over of weaker) {
      const page = await ask(base(over));
      const location = page.headers.get('location') ?? '';
      expect([over, location.includes('error=') || page.status === 400]).toEqual([over, true]);
      expect(location).not.toContain('/interaction/');
    }
    const person = await makePerson();
    for (const verifier of [null, '', newVerifier()]) {
      const right = newVerifier();
      const code = await codeFor(createBrowser(server.url), person, right);
      expect((await exchange(code, verifier)).body.error).toMatch(/^invalid_(grant|request)$/);
    }
    const right = newVerifier();
    const code = await codeFor(createBrowser(server.url), person, right);
    // The challenge itself is no verifier, and another address than that of the request is refused.
    expect((await exchange(code, challengeOf(right))).body.error).toBe('invalid_grant');
    const other = await codeFor(createBrowser(server.url), person, right);
    const moved = { redirect_uri: 'http://127.0.0.1:9/other' };
    expect((await exchange(other, right, moved)).body.error).toBe('invalid_grant');
  });

  it(req('AUTH-03', 'sends nobody to an address that is not the client’s'), async () => {
    const redirectUri = 'https://app.example.test/back';
    const made = await admin.post('/v2/oauth/clients', {
      name: 'App',
      type: 'public',
      redirect_uris: [redirectUri],
    });
    const registered = made.json<{ client_id: string }>().client_id;
    const own = new URL(server.url);
    const tricks = [
      'https://evil.test/',
      'https://evil.test\\@127.0.0.1/callback',
      'http://127.0.0.1.evil.test/callback',
      'http://localhost.evil.test/callback',
      'http://127.0.0.1@evil.test/callback',
      'http://evil.test#@127.0.0.1/callback',
      'http://127.0.0.1:53682/callback#fragment',
      `http://user:pass@127.0.0.1:53682/callback`,
      '//evil.test/callback',
      '/callback',
      'javascript:alert(1)//http://127.0.0.1/',
      'data:text/html,x',
      'http://[::ffff:7f00:1]/callback',
      `https://${own.host}.evil.test/`,
      `http://${own.hostname}:${own.port}.evil.test/`,
      'http://evil.test/\r\nLocation: http://127.0.0.1/',
      '\u0000http://evil.test/',
      'http://evil。test/',
      '',
      'x'.repeat(5000),
    ];
    const forRegistered = [
      `${redirectUri}/../evil`,
      `${redirectUri}?next=https://evil.test`,
      'https://APP.example.test/back/',
      'https://app.example.test:8443/back',
      'https://app.example.test@evil.test/back',
      `${CLI_REDIRECT}`,
    ];
    const cases: [string, string][] = [
      ...tricks.map((uri): [string, string] => ['pentarch-cli', uri]),
      ...tricks.map((uri): [string, string] => ['pentarch-console', uri]),
      ...[...tricks, ...forRegistered].map((uri): [string, string] => [registered, uri]),
    ];
    for (const [clientId, uri] of cases) {
      const page = await ask(base({ client_id: clientId, redirect_uri: uri }));
      const location = page.headers.get('location');
      // Either refused on a page of ours, or (where a browser reads the same address) never to a foreign host.
      const host = location === null ? own.hostname : new URL(location, server.url).hostname;
      expect([clientId, uri, page.status, host]).toEqual([clientId, uri, 400, own.hostname]);
    }
  });

  it(
    req('AUTH-03', 'refuses doubled parameters, other flows, and requests fetched from elsewhere'),
    async () => {
      for (const doubled of ['redirect_uri', 'client_id', 'response_type', 'scope', 'state'] as const) {
        const page = await ask([...base(), [doubled, 'https://evil.test/']]);
        expect([doubled, page.status < 500]).toEqual([doubled, true]);
        const location = page.headers.get('location') ?? server.url;
        expect([doubled, location.includes('/interaction/')]).toEqual([doubled, false]);
        expect(new URL(location, server.url).hostname).not.toBe('evil.test');
      }
      const others: Record<string, string>[] = [
        { response_type: 'token' },
        { response_type: 'id_token', nonce: 'n' },
        { response_type: 'code token' },
        { response_type: 'none' },
        { request: 'eyJhbGciOiJub25lIn0.e30.' },
        { request_uri: `${server.url}/health` },
        { resource: 'https://other.example.test/' },
        { scope: 'openid admin' },
      ];
      for (const over of others) {
        const page = await ask(base(over));
        const location = page.headers.get('location') ?? '';
        expect([over, page.status < 500]).toEqual([over, true]);
        if ('scope' in over) continue;
        expect([over, location.includes('error=') || page.status === 400]).toEqual([over, true]);
      }
    },
  );

  it(
    req('AUTH-03', 'takes the address of the MCP endpoint as resource, as its clients send it'),
    async () => {
      const person = await makePerson();
      const verifier = newVerifier();
      const metadata = await server.anonymous().get('/.well-known/oauth-protected-resource');
      const { resource } = metadata.json<{ resource: string }>();
      const code = await codeFor(createBrowser(server.url), person, verifier, { resource });
      const { status, body } = await exchange(code, verifier, { resource });
      expect([status, body.error_description]).toEqual([200, undefined]);
      expect(await meStatus(String(body.access_token))).toBe(200);
      const again = await tokenRequest(server.url, {
        grant_type: 'refresh_token',
        refresh_token: String(body.refresh_token),
        client_id: 'pentarch-cli',
        resource,
      });
      expect(again.status).toBe(200);
    },
  );

  it(req('AUTH-03', 'a client that one tenant registered cannot ask people of another'), async () => {
    const other = await makeTenant();
    const redirectUri = 'https://phish.example.test/back';
    const made = await other.client.post('/v2/oauth/clients', {
      name: 'Pentarch Support',
      type: 'public',
      redirect_uris: [redirectUri],
    });
    const clientId = made.json<{ client_id: string }>().client_id;
    const person = await makePerson();
    const browser = createBrowser(server.url);
    const url = authorizeUrl(server.url, { clientId, redirectUri, verifier: newVerifier() });
    const refused = await browser.submit(await browser.open(url), 'login', person);
    expect(refused.status).toBe(403);
    // Signed in already: the consent page is what is left.
    await tokensOf(browser, person);
    const page = await browser.open(url);
    if (page.text.includes('/consent"')) {
      const answer = await browser.submit(page, 'consent');
      expect([answer.status, answer.headers.get('location')]).toEqual([403, null]);
    } else expect(page.headers.get('location') ?? '').not.toContain('code=');
    // Its own people may use it.
    const back = await signIn(createBrowser(server.url), url, other.boss);
    expect(back.get('code')).not.toBeNull();
  });
});

describe('the sign-in page', () => {
  it(req('AUTH-04', 'cannot be finished in another browser, nor with another sign-in’s form'), async () => {
    const attacker = createBrowser(server.url);
    const victim = createBrowser(server.url);
    const page = await attacker.open(authorizeUrl(server.url, { verifier: newVerifier() }));
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const person = await makePerson();
    const ridden = await victim.request(`${page.url}/login`, { ...person, csrf });
    expect([ridden.status, ridden.headers.get('location')]).toEqual([400, null]);
    const own = await victim.open(authorizeUrl(server.url, { verifier: newVerifier() }));
    expect((await victim.request(`${own.url}/login`, { ...person, csrf })).status).toBe(400);
    expect((await victim.request(`${own.url}/login`, { ...person })).status).toBe(400);
    // A looked-up page does not change anything either.
    expect((await victim.request(`${page.url}/abort`, { csrf })).status).toBe(400);
    expect((await attacker.submit(page, 'login', person)).text).toContain('/consent"');
  });

  it(
    req('AUTH-04', 'gives a new session at sign-in, in cookies that scripts and other sites do not get'),
    async () => {
      const person = await makePerson();
      const browser = createBrowser(server.url);
      const page = await browser.open(authorizeUrl(server.url, { verifier: newVerifier() }));
      const cookies = page.headers.getSetCookie();
      const before = browser.cookies.get('pentarch_session')?.value;
      const answer = await browser.submit(page, 'login', person);
      const after = browser.cookies.get('pentarch_session')?.value;
      expect(after).toBeTruthy();
      expect(after).not.toBe(before);
      // And another one when another person signs in there.
      for (const line of [...cookies, ...answer.headers.getSetCookie()]) {
        if (/=;/.test(line)) continue;
        expect(line).toMatch(/httponly/i);
        expect(line).toMatch(/samesite=lax/i);
      }
    },
  );

  it(req('AUTH-04', 'cannot be signed out by another site'), async () => {
    const person = await makePerson();
    const browser = createBrowser(server.url);
    await tokensOf(browser, person);
    await browser.open(`${server.url}/oidc/v1/end_session`);
    const forged = await browser.request(`${server.url}/oidc/v1/end_session/confirm`, {
      logout: 'yes',
      xsrf: 'made up',
    });
    expect(forged.status).toBe(400);
    const away = await browser.request(
      `${server.url}/oidc/v1/end_session?client_id=pentarch-cli&post_logout_redirect_uri=https%3A%2F%2Fevil.test%2F`,
    );
    expect([away.status, away.headers.get('location')]).toEqual([400, null]);
    expect(await isSignedIn(browser)).toBe(true);
  });

  it(req('AUTH-04', 'says whether somebody is signed out, and asks nobody who is'), async () => {
    const person = await makePerson();
    const browser = createBrowser(server.url);
    await tokensOf(browser, person);
    const asked = await browser.open(`${server.url}/oidc/v1/end_session`);
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(asked.text)?.[1] ?? '';
    const stayed = await browser.request(`${server.url}/oidc/v1/end_session/confirm`, { xsrf });
    expect([stayed.status, /<h1>([^<]+)</.exec(stayed.text)?.[1]]).toEqual([200, 'Still signed in']);
    expect(await isSignedIn(browser)).toBe(true);
    const nobody = createBrowser(server.url);
    const page = await nobody.open(`${server.url}/oidc/v1/end_session`);
    expect(/<h1>([^<]+)</.exec(page.text)?.[1]).toBe('Signed out');
    expect(page.text).not.toContain('<script');
    const back = await nobody.request(
      `${server.url}/oidc/v1/end_session?${new URLSearchParams({ client_id: 'pentarch-cli', post_logout_redirect_uri: CLI_REDIRECT, state: 's' })}`,
    );
    expect([back.status, back.headers.get('location')]).toEqual([303, `${CLI_REDIRECT}?state=s`]);
  });

  it(req('AUTH-04', 'asks to sign in where the account of the browser may not act any more'), async () => {
    const tenant = await makeTenant();
    const browser = createBrowser(server.url);
    await tokensOf(browser, tenant.boss);
    await admin.patch(`/v2/tenants/${tenant.id}`, { status: 'suspended' });
    const open = (extra: Record<string, string>) =>
      browser.open(authorizeUrl(server.url, { verifier: newVerifier(), extra }));
    const silent = await open({ prompt: 'none' });
    expect(silent.headers.get('location')).toContain('error=login_required');
    const page = await open({});
    expect([page.status, page.text.includes('/login"')]).toEqual([200, true]);
  });

  it(req('AUTH-04', 'names the request in every fault'), async () => {
    const forms: Record<string, string>[] = [
      {},
      { grant_type: 'refresh_token', client_id: 'pentarch-cli', refresh_token: 'x' },
    ];
    for (const form of forms) {
      const { body, headers } = await tokenRequest(server.url, form);
      expect(body.request_id).toBe(headers.get('x-request-id'));
    }
  });

  it(req('AUTH-04', 'shows hostile names and hints as text'), async () => {
    const hint = '"><script>alert(1)</script>';
    const page = await createBrowser(server.url).open(
      authorizeUrl(server.url, { verifier: newVerifier(), extra: { login_hint: hint } }),
    );
    expect(page.status).toBe(200);
    expect(page.text).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"');
    expect(page.text).not.toContain('<script>alert');
    const wrong = await ask400(hint);
    expect(wrong).not.toContain('<script');
  });
  const ask400 = async (text: string): Promise<string> =>
    (
      await createBrowser(server.url).request(
        `${server.url}/oauth/v2/authorize?${new URLSearchParams({ client_id: text, redirect_uri: text, scope: text, response_type: text })}`,
      )
    ).text;

  it(req('AUTH-05', 'a made-up Host changes no address that is handed out'), async () => {
    const { port } = new URL(server.url);
    const head = (target: string) =>
      `GET ${target} HTTP/1.1\r\nHost: evil.test\r\nX-Forwarded-Host: evil.test\r\nForwarded: host=evil.test\r\nConnection: close\r\n\r\n`;
    const query = new URL(authorizeUrl(server.url, { verifier: newVerifier() }));
    for (const target of ['/.well-known/openid-configuration', query.pathname + query.search]) {
      const answer = await sendRaw(server.url, head(target));
      expect([target, JSON.stringify(answer).includes('evil.test')]).toEqual([target, false]);
    }
    expect(port).not.toBe('');
  });
});

describe('ending a sign-in', () => {
  it(req('AUTH-06', 'a changed password signs every other browser out, this one not'), async () => {
    const person = await makePerson();
    const [here, there] = [createBrowser(server.url), createBrowser(server.url)];
    const mine = await tokensOf(here, person);
    const theirs = await tokensOf(there, person);
    expect(await isSignedIn(there)).toBe(true);
    const change = { current_password: PASSWORD, new_password: 'another long password' };
    const done = await server
      .anonymous()
      .post('/v2/users/me/password', change, { headers: { authorization: `Bearer ${mine.access}` } });
    expect(done.status, done.text).toBe(204);
    expect(await meStatus(theirs.access)).toBe(401);
    expect(await isSignedIn(there)).toBe(false);
    const form = { grant_type: 'refresh_token', refresh_token: theirs.refresh, client_id: 'pentarch-cli' };
    expect((await tokenRequest(server.url, form)).body.error).toBe('invalid_grant');
    expect(await meStatus(mine.access)).toBe(200);
    expect(await isSignedIn(here)).toBe(true);
  });

  it(req('AUTH-06', 'ending one of the list signs its browser out, and no other'), async () => {
    const person = await makePerson();
    const [here, lost] = [createBrowser(server.url), createBrowser(server.url)];
    const mine = await tokensOf(here, person);
    const theirs = await tokensOf(lost, person);
    const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
    const me = await server.anonymous().get('/v2/auth/me', as(theirs.access));
    const id = me.json<{ session_id: string }>().session_id;
    expect((await server.anonymous().delete(`/v2/users/me/sessions/${id}`, as(mine.access))).status).toBe(
      204,
    );
    expect(await meStatus(theirs.access)).toBe(401);
    expect(await isSignedIn(lost)).toBe(false);
    expect(await isSignedIn(here)).toBe(true);
    expect(await meStatus(mine.access)).toBe(200);
    // Nobody else's can be ended, and its place is not told.
    const stranger = await server.signIn(...(await personOf()));
    const { session_id: own } = (await server.anonymous().get('/v2/auth/me', as(mine.access))).json<{
      session_id: string;
    }>();
    expect((await stranger.delete(`/v2/users/me/sessions/${own}`)).status).toBe(404);
    expect(await meStatus(mine.access)).toBe(200);
  });
  const personOf = async (): Promise<[string, string]> => {
    const { email, password } = await makePerson();
    return [email, password];
  };

  it(req('AUTH-06', 'a restart keeps live tokens and what was ended'), async () => {
    const person = await makePerson();
    const kept = await tokensOf(createBrowser(server.url), person);
    const gone = await server.signIn(person.email, person.password);
    expect((await gone.post('/v2/auth/logout')).status).toBe(204);
    await server.end('SIGKILL');
    await server.start();
    expect(await meStatus(kept.access)).toBe(200);
    expect(await meStatus(gone.token ?? '')).toBe(401);
    const form = { grant_type: 'refresh_token', refresh_token: kept.refresh, client_id: 'pentarch-cli' };
    expect((await tokenRequest(server.url, form)).status).toBe(200);
    // A replay after the restart still ends the family.
    expect((await tokenRequest(server.url, form)).body.error).toBe('invalid_grant');
    expect(await meStatus(kept.access)).toBe(401);
  });
});

describe('links', () => {
  const mails = (): string[] => {
    const folder = path.join(server.dataDir, 'mail');
    mkdirSync(folder, { recursive: true });
    return readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'));
  };
  const linkFor = async (email: string): Promise<string> => {
    const found = () => mails().find((mail) => mail.startsWith(`To: ${email}\n`));
    await expect.poll(found, { timeout: 20_000 }).toBeDefined();
    return /https?:\S+\/oauth\/v2\/links\/\S+/.exec(found() ?? '')?.[0] ?? '';
  };

  it(
    req('AUTH-07', 'a forgotten password: the same answer for all, a link for whom it concerns'),
    async () => {
      const person = await makePerson();
      const nobody = server.anonymous();
      for (const email of [
        person.email,
        'nobody@example.test',
        'x',
        `${person.email}\r\nBcc: evil@evil.test`,
      ]) {
        const answer = await nobody.post('/v2/auth/password/forgot', { email });
        expect([email, answer.status, answer.text]).toEqual([email, 202, '']);
      }
      const url = await linkFor(person.email);
      expect(url.startsWith(`${server.url}/oauth/v2/links/`)).toBe(true);
      const browser = createBrowser(server.url);
      // Asking again at once makes no second mail, and the first link stays good.
      expect((await nobody.post('/v2/auth/password/forgot', { email: person.email })).status).toBe(202);
      await browser.open(url);
      const done = await browser.request(url, { password: 'brand new and long' });
      expect([done.status, (await browser.request(url, { password: 'once more please' })).status]).toEqual([
        303, 404,
      ]);
      // Signed in by that: the password is not asked for again.
      const asked = { email: person.email, password: 'none of theirs' };
      const back = await signIn(browser, authorizeUrl(server.url, { verifier: newVerifier() }), asked);
      expect(back.get('code')).not.toBeNull();
      expect((await server.signIn(person.email, 'brand new and long')).token).not.toBeNull();
      expect(mails().filter((mail) => mail.includes('evil.test') || mail.includes('nobody@'))).toEqual([]);
    },
  );

  it(req('AUTH-07', 'without a mail server the admin gets the link; strangers get none'), async () => {
    const person = await makePerson();
    const made = await admin.post(`/v2/users/${person.id}/password-reset`);
    const { url } = made.json<{ url: string }>();
    expect(url.startsWith(`${server.url}/oauth/v2/links/`)).toBe(true);
    const client = await server.signIn(person.email, person.password);
    expect((await client.post(`/v2/users/${person.id}/password-reset`)).status).toBe(403);
    const other = await makeTenant();
    expect((await other.client.post(`/v2/users/${person.id}/password-reset`)).status).toBe(404);
    // It says how long it lives, and looking does not use it up.
    const shown = await createBrowser(server.url).request(url);
    expect(shown.text).toMatch(/This link works once, until \d{1,2} \w+ \d{4} at \d\d:\d\d UTC\./);
    // A newer link makes an older one void.
    const newer = (await admin.post(`/v2/users/${person.id}/password-reset`)).json<{ url: string }>().url;
    const browser = createBrowser(server.url);
    expect((await browser.request(url)).status).toBe(404);
    expect((await browser.request(newer)).status).toBe(200);
    // Of many uses at the same time one wins.
    const uses = await Promise.all(
      Array.from({ length: 10 }, (_, i) => browser.request(newer, { password: `long password no ${i}` })),
    );
    expect(uses.filter((page) => page.status === 303)).toHaveLength(1);
  });

  it(req('AUTH-07', 'a link does not sign anybody in over the person who is signed in'), async () => {
    const person = await makePerson();
    const guest = await makePerson();
    const browser = createBrowser(server.url);
    const url = authorizeUrl(server.url, { verifier: newVerifier() });
    await signIn(browser, url, person);
    const before = browser.cookies.get('pentarch_session');
    const link = (await admin.post(`/v2/users/${guest.id}/password-reset`)).json<{ url: string }>().url;
    await browser.open(link);
    const page = await browser.request(link, { password: 'a password of the guest' });
    expect([page.status, page.text.includes('Password set')]).toEqual([200, true]);
    expect(browser.cookies.get('pentarch_session')).toEqual(before);
    // Where the person of the link was signed in, they are by a new session: the old one has ended.
    const again = (await admin.post(`/v2/users/${person.id}/password-reset`)).json<{ url: string }>().url;
    await browser.open(again);
    expect((await browser.request(again, { password: 'a password of their own' })).status).toBe(303);
    expect(browser.cookies.get('pentarch_session')).not.toEqual(before);
    const back = await signIn(browser, url, { email: person.email, password: 'none of theirs' });
    expect(back.get('code')).not.toBeNull();
  });

  it(
    req('AUTH-07', 'a form of another site with a link of its own signs its visitors in as nobody'),
    async () => {
      const attacker = await makePerson();
      const link = async () =>
        (await admin.post(`/v2/users/${attacker.id}/password-reset`)).json<{ url: string }>().url;
      // Such a form comes without the cookies of the browser: nobody is signed in, and no page was shown.
      const visitor = createBrowser(server.url);
      const page = await visitor.request(await link(), { password: 'a password of the attacker' });
      expect([page.status, page.text.includes('Password set')]).toEqual([200, true]);
      expect(visitor.cookies.has('pentarch_session')).toBe(false);
      // The mark of one link is none of another.
      await visitor.open(await link());
      const other = await visitor.request(await link(), { password: 'another of the attacker' });
      expect([other.status, visitor.cookies.has('pentarch_session')]).toEqual([200, false]);
      const shown = await createBrowser(server.url).request(await link());
      expect(shown.headers.get('set-cookie')).toMatch(
        /^pentarch_link=[^;]+; Path=\/oauth\/v2\/links; .*HttpOnly; SameSite=Strict/,
      );
    },
  );

  it(req('AUTH-07', 'a suspended tenant is shut on every way in'), async () => {
    const other = await makeTenant();
    const invited = await other.client.post('/v2/users', { email: `guest${count}@other.test` });
    const link = invited.json<{ invitation_url: string }>().invitation_url;
    const browser = createBrowser(server.url);
    const tokens = await tokensOf(browser, other.boss);
    expect((await browser.request(link)).status).toBe(200);
    expect((await admin.patch(`/v2/tenants/${other.id}`, { status: 'suspended' })).status).toBe(200);
    expect(await meStatus(tokens.access)).toBe(403);
    expect((await server.anonymous().post('/v2/auth/login', other.boss)).status).toBe(403);
    expect(
      (await server.anonymous().post('/v2/auth/refresh', { refresh_token: tokens.refresh })).status,
    ).toBe(403);
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh, client_id: 'pentarch-cli' };
    expect((await tokenRequest(server.url, form)).status).toBe(400);
    expect(await isSignedIn(browser)).toBe(false);
    expect((await browser.request(link)).status).toBe(403);
    expect((await browser.request(link, { password: PASSWORD })).status).toBe(403);
    expect((await admin.patch(`/v2/tenants/${other.id}`, { status: 'active' })).status).toBe(200);
    expect((await browser.request(link, { password: PASSWORD })).status).toBe(200);
  });

  it(
    req('AUTH-07', 'e-mails and names that would be a header or a list are refused or harmless'),
    async () => {
      for (const email of [
        'a@b.test\r\nBcc: evil@evil.test',
        'a@b.test,evil@evil.test',
        'a@b.test evil@evil.test',
        '"a" <evil@evil.test>',
        'a@b.test;evil@evil.test',
        'a@b@c.test',
      ]) {
        expect([email, (await admin.post('/v2/users', { email })).status]).toEqual([email, 422]);
      }
      const email = `named${count}@example.test`;
      const name = 'Ann\r\n\r\nYour account is locked: http://evil.test/';
      const made = await admin.post('/v2/users', { email, name, password: PASSWORD });
      expect(made.status).toBe(201);
      expect((await server.anonymous().post('/v2/auth/password/forgot', { email })).status).toBe(202);
      await linkFor(email);
      const mail = mails().find((text) => text.startsWith(`To: ${email}\n`)) ?? '';
      expect(mail).toContain('Hello,\n');
      expect(mail).not.toContain('evil.test');
    },
  );
});
