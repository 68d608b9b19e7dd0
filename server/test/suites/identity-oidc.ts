import { createHash, createPrivateKey } from 'node:crypto';
import { SignJWT } from 'jose';
import * as oidc from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Db } from '../../src/db/db.ts';
import { req } from '../requirements.ts';
import {
  authorizeUrl,
  CLI_REDIRECT,
  createBrowser,
  newVerifier,
  signIn,
  tokenRequest,
} from '../support/browser.ts';
import { sendRaw } from '../support/client.ts';
import { holdToContract } from '../support/contract.ts';
import { type IdentityServer, startIdentityServer } from '../support/identity-server.ts';

/** The embedded provider as a client library sees it, over HTTP: contract section 3 and the specification's Authentication. */
export const identityOidcSuite = (name: string, open?: () => Promise<Db>): void => {
  describe(`embedded OpenID provider on ${name}`, () => {
    let server: IdentityServer;
    let adminToken: string;
    const secrets: string[] = [];

    beforeAll(async () => {
      server = await startIdentityServer({}, open);
      adminToken = String((await post('/v2/auth/login', server.admin)).body.access_token);
    });
    afterAll(() => server.close());

    const call = async (method: string, path: string, options: { token?: string; body?: unknown } = {}) => {
      const answer = await fetch(server.url + path, {
        method,
        headers: {
          ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
          ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
      });
      const text = await answer.text();
      holdToContract({
        method,
        path,
        status: answer.status,
        contentType: answer.headers.get('content-type'),
        text,
      });
      const body: Record<string, unknown> = text.startsWith('{') ? JSON.parse(text) : {};
      return { status: answer.status, body, headers: answer.headers };
    };
    const post = (path: string, body: unknown, token?: string) =>
      call('POST', path, { body, ...(token === undefined ? {} : { token }) });
    const meStatus = async (token: string) => (await call('GET', '/v2/auth/me', { token })).status;

    const discover = (clientId: string, secret?: string) =>
      oidc.discovery(
        new URL(server.url),
        clientId,
        undefined,
        secret === undefined ? oidc.None() : oidc.ClientSecretBasic(secret),
        { execute: [oidc.allowInsecureRequests] },
      );

    /** A whole sign-in of the public client, on the real page. */
    const tokensByCode = async (
      options: { clientId?: string; redirectUri?: string; scope?: string } = {},
    ) => {
      const verifier = newVerifier();
      const url = authorizeUrl(server.url, { ...options, verifier });
      const back = await signIn(createBrowser(server.url), url, server.admin);
      const { body } = await tokenRequest(server.url, {
        grant_type: 'authorization_code',
        code: back.get('code') ?? '',
        redirect_uri: options.redirectUri ?? CLI_REDIRECT,
        client_id: options.clientId ?? 'pentarch-cli',
        code_verifier: verifier,
      });
      const tokens = { access: String(body.access_token), refresh: String(body.refresh_token) };
      secrets.push(tokens.access, tokens.refresh);
      return tokens;
    };

    const refresh = (token: string, clientId = 'pentarch-cli') =>
      tokenRequest(server.url, { grant_type: 'refresh_token', refresh_token: token, client_id: clientId });

    it(req('AUTH-09', 'serves both discovery documents with the paths of the specification'), async () => {
      for (const name of ['openid-configuration', 'oauth-authorization-server']) {
        const { body } = await call('GET', `/.well-known/${name}`);
        expect(body).toMatchObject({
          issuer: server.url,
          authorization_endpoint: `${server.url}/oauth/v2/authorize`,
          token_endpoint: `${server.url}/oauth/v2/token`,
          introspection_endpoint: `${server.url}/oauth/v2/introspect`,
          revocation_endpoint: `${server.url}/oauth/v2/revoke`,
          userinfo_endpoint: `${server.url}/oidc/v1/userinfo`,
          jwks_uri: `${server.url}/oauth/v2/keys`,
          code_challenge_methods_supported: ['S256'],
        });
        expect(body.grant_types_supported).toContain('urn:ietf:params:oauth:grant-type:jwt-bearer');
      }
    });

    it(
      req(
        'AUTH-09',
        'carries openid-client through discovery, PKCE, the sign-in page, refresh, userinfo and revocation',
      ),
      async () => {
        const config = await discover('pentarch-cli');
        const verifier = oidc.randomPKCECodeVerifier();
        const url = oidc.buildAuthorizationUrl(config, {
          redirect_uri: CLI_REDIRECT,
          scope: 'openid profile email',
          code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          state: 'abc',
          nonce: 'n-1',
        });
        const back = await signIn(createBrowser(server.url), url.href, server.admin);
        const tokens = await oidc.authorizationCodeGrant(config, new URL(`${CLI_REDIRECT}?${back}`), {
          pkceCodeVerifier: verifier,
          expectedState: 'abc',
          expectedNonce: 'n-1',
        });
        expect(tokens.token_type.toLowerCase()).toBe('bearer');
        expect(tokens.expires_in).toBe(3600);
        expect(tokens.claims()).toMatchObject({ email: server.admin.email, roles: ['admin'] });
        expect(await meStatus(tokens.access_token)).toBe(200);

        const sub = tokens.claims()?.sub ?? '';
        expect(await oidc.fetchUserInfo(config, tokens.access_token, sub)).toMatchObject({
          sub,
          name: 'Admin',
        });

        const next = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '');
        expect(next.refresh_token).not.toBe(tokens.refresh_token);
        expect(await meStatus(next.access_token)).toBe(200);

        await oidc.tokenRevocation(config, next.refresh_token ?? '');
        expect(await meStatus(next.access_token)).toBe(401);
        await expect(oidc.refreshTokenGrant(config, next.refresh_token ?? '')).rejects.toMatchObject({
          error: 'invalid_grant',
        });
        secrets.push(
          tokens.access_token,
          next.access_token,
          tokens.refresh_token ?? '',
          next.refresh_token ?? '',
        );
      },
    );

    it('signs access tokens with exactly the claims of the contract', async () => {
      const { access } = await tokensByCode();
      const password = await post('/v2/auth/login', server.admin);
      for (const token of [access, String(password.body.access_token)]) {
        const [header, payload] = token
          .split('.')
          .slice(0, 2)
          .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
        expect(header).toMatchObject({ alg: 'RS256', typ: 'at+jwt' });
        expect(Object.keys(payload).sort()).toEqual(
          'aud client_id email exp iat iss jti name org_id permissions roles scope sub'.split(' '),
        );
      }
    });

    it('lets families begun by password go on at the token endpoint and the other way round', async () => {
      const login = await post('/v2/auth/login', server.admin);
      const second = await refresh(String(login.body.refresh_token));
      expect(second.status).toBe(200);
      const third = await post('/v2/auth/refresh', { refresh_token: second.body.refresh_token });
      expect(third.status).toBe(200);
      expect(await meStatus(String(third.body.access_token))).toBe(200);
      // A replay anywhere in the chain ends all of it.
      expect((await refresh(String(login.body.refresh_token))).status).toBe(400);
      expect(await meStatus(String(third.body.access_token))).toBe(401);
    });

    it.each(['/oauth/v2/token', '/v2/auth/refresh'])(
      req('AUTH-10', 'lets one of 20 parallel refreshes win at %s'),
      async (path) => {
        const { refresh: token } = await tokensByCode();
        const answers = await Promise.all(
          Array.from({ length: 20 }, async () =>
            path === '/oauth/v2/token' ? refresh(token) : post(path, { refresh_token: token }),
          ),
        );
        const won = answers.filter((answer) => answer.status === 200);
        expect(won).toHaveLength(1);
        expect(await meStatus(String(won[0]?.body.access_token))).toBe(401);
        expect((await refresh(String(won[0]?.body.refresh_token))).status).toBe(400);
      },
    );

    it(req('AUTH-10', 'lets one of 20 parallel exchanges of a code win, and ends what it got'), async () => {
      const verifier = newVerifier();
      const back = await signIn(
        createBrowser(server.url),
        authorizeUrl(server.url, { verifier }),
        server.admin,
      );
      const form = {
        grant_type: 'authorization_code',
        code: back.get('code') ?? '',
        redirect_uri: CLI_REDIRECT,
        client_id: 'pentarch-cli',
        code_verifier: verifier,
      };
      const answers = await Promise.all(Array.from({ length: 20 }, () => tokenRequest(server.url, form)));
      const won = answers.filter((answer) => answer.status === 200);
      expect(won).toHaveLength(1);
      for (const lost of answers.filter((answer) => answer.status !== 200)) {
        expect(lost.body.error).toBe('invalid_grant');
      }
      expect(await meStatus(String(won[0]?.body.access_token))).toBe(401);
    });

    it('gives a refresh token without offline_access, and to the console without any consent page', async () => {
      const browser = createBrowser(server.url);
      const url = authorizeUrl(server.url, {
        verifier: newVerifier(),
        scope: 'openid offline_access',
        clientId: 'pentarch-console',
        redirectUri: `${server.url}/callback`,
      });
      const location = (await browser.request(url)).headers.get('location') ?? '';
      const form = await browser.request(location);
      const sent = await browser.request(`${form.url}/login`, {
        ...server.admin,
        csrf: /name="csrf" value="([^"]+)"/.exec(form.text)?.[1] ?? '',
      });
      const after = await browser.request(sent.headers.get('location') ?? '');
      expect(after.headers.get('location')).toContain(`${server.url}/callback?code=`);
      // The next tab of the same browser signs in by itself.
      expect((await browser.request(url)).headers.get('location')).toContain('/callback?code=');
      expect((await tokensByCode({ scope: 'openid' })).refresh).toMatch(/^\S{40,}$/);
    });

    describe(req('AUTH-17', 'a program of the machine'), () => {
      const cases = async (): Promise<{ clientId: string; redirectUri: string }[]> => {
        const registered = await post(
          '/v2/oauth/clients',
          { name: 'Desktop', type: 'public', redirect_uris: ['http://127.0.0.1/back'] },
          adminToken,
        );
        return [
          { clientId: 'pentarch-cli', redirectUri: CLI_REDIRECT },
          { clientId: 'pentarch-cli', redirectUri: 'http://localhost:9/else' },
          { clientId: 'pentarch-cli', redirectUri: 'http://[::1]:9/callback' },
          { clientId: String(registered.body.client_id), redirectUri: 'http://127.0.0.1:4711/back' },
        ];
      };

      it('gets a code only when the person allows it, each time anew', async () => {
        for (const client of await cases()) {
          const browser = createBrowser(server.url);
          const url = authorizeUrl(server.url, { ...client, verifier: newVerifier() });
          let page = await browser.submit(await browser.open(url), 'login', server.admin);
          for (let round = 0; round < 2; round += 1) {
            expect(page.headers.get('location')).toBeNull();
            expect(page.text).toContain('a program on this computer');
            const allowed = await browser.submit(page, 'consent');
            expect(allowed.headers.get('location')).toContain(`${client.redirectUri}?code=`);
            page = await browser.open(url);
          }
          const denied = await browser.submit(page, 'abort');
          expect(new URL(denied.headers.get('location') ?? '').searchParams.get('error')).toBe(
            'access_denied',
          );
        }
      });

      it('gets none without a page: prompt=none, no scope, no scope of its own', async () => {
        for (const client of await cases()) {
          const browser = createBrowser(server.url);
          await signIn(
            browser,
            authorizeUrl(server.url, { ...client, verifier: newVerifier() }),
            server.admin,
          );
          for (const scope of ['openid profile email', 'openid', '', 'made-up']) {
            const silent = authorizeUrl(server.url, {
              ...client,
              scope,
              verifier: newVerifier(),
              extra: { prompt: 'none' },
            });
            const back = new URL((await browser.open(silent)).headers.get('location') ?? '');
            expect([scope, back.searchParams.get('code')]).toEqual([scope, null]);
            expect(back.searchParams.get('error')).toMatch(/^(consent|interaction)_required$/);
          }
        }
      });

      it('cannot come as the console, which has one page of its own', async () => {
        for (const redirectUri of [
          CLI_REDIRECT,
          'http://127.0.0.1:1/callback',
          `${server.url}/`,
          `${server.url}/callback/`,
          `${server.url}/callback?next=x`,
          `${server.url}/v2/users`,
          `${server.url}/oauth/v2/links/x`,
          'http://[::1]:1/callback',
          // Another program can listen there while the server does not.
          `http://[::1]:${new URL(server.url).port}/callback`,
          `http://localhost:1/callback`,
        ]) {
          const page = await createBrowser(server.url).request(
            authorizeUrl(server.url, { clientId: 'pentarch-console', redirectUri, verifier: newVerifier() }),
          );
          expect([redirectUri, page.status, page.headers.get('location')]).toEqual([redirectUri, 400, null]);
          const out = await createBrowser(server.url).request(
            `${server.url}/oidc/v1/end_session?${new URLSearchParams({
              client_id: 'pentarch-console',
              post_logout_redirect_uri: redirectUri,
            })}`,
          );
          expect([redirectUri, out.status]).toEqual([redirectUri, 400]);
        }
      });
    });

    describe('the device flow (RFC 8628)', () => {
      const begin = async (clientId = 'pentarch-cli') => {
        const config = await discover(clientId);
        const device = await oidc.initiateDeviceAuthorization(config, { scope: 'openid profile' });
        secrets.push(device.device_code);
        const fetchTokens = () =>
          tokenRequest(server.url, {
            grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
            device_code: device.device_code,
            client_id: clientId,
          });
        return { config, device, fetchTokens };
      };

      it(req('AUTH-19', 'signs a program in whose person allows it on a page elsewhere'), async () => {
        const { config, device, fetchTokens } = await begin();
        expect(device).toMatchObject({
          user_code: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/),
          verification_uri: `${server.url}/oauth/v2/device`,
          expires_in: 600,
          interval: 5,
        });
        expect((await fetchTokens()).body.error).toBe('authorization_pending');
        expect((await fetchTokens()).body.error).toBe('slow_down');
        const browser = createBrowser(server.url);
        const asked = await browser.open(device.verification_uri);
        expect(asked.headers.get('content-security-policy')).toContain("default-src 'none'");
        const wrong = await browser.submit(asked, 'device', { user_code: 'AAAA-AAAA' });
        expect([wrong.status, wrong.text]).toEqual([200, expect.stringContaining('There is no such code')]);
        const confirm = await browser.submit(wrong, 'device', {
          user_code: device.user_code.toLowerCase(),
        });
        expect(confirm.text).toContain('Pentarch command line');
        expect(confirm.text).toContain(device.user_code);
        const login = await browser.submit(confirm, 'device', { confirm: 'yes' });
        const consent = await browser.submit(login, 'login', server.admin);
        expect(consent.text).toContain('device whose code you gave');
        expect((await fetchTokens()).body.error).toMatch(/^(?:authorization_pending|slow_down)$/);
        const done = await browser.submit(consent, 'consent');
        expect([done.status, done.text]).toEqual([200, expect.stringContaining('is signed in')]);
        const tokens = await oidc.genericGrantRequest(
          config,
          'urn:ietf:params:oauth:grant-type:device_code',
          { device_code: device.device_code },
        );
        secrets.push(tokens.access_token, String(tokens.refresh_token));
        expect(tokens.claims()).toMatchObject({
          preferred_username: server.admin.email,
          groups: ['admin'],
          roles: ['admin'],
        });
        expect(await meStatus(tokens.access_token)).toBe(200);
        const fresh = await oidc.refreshTokenGrant(config, String(tokens.refresh_token));
        expect(await meStatus(fresh.access_token)).toBe(200);
        // A code is good for one set of tokens; its second use ends them.
        expect((await fetchTokens()).body.error).toBe('invalid_grant');
        expect(await meStatus(fresh.access_token)).toBe(401);
        const usedAgain = await browser.submit(await browser.open(device.verification_uri), 'device', {
          user_code: device.user_code,
        });
        expect(usedAgain.text).not.toContain('Is this your device?');
      });

      it(req('AUTH-19', 'asks each time, shows the code of a link, and takes no for an answer'), async () => {
        const browser = createBrowser(server.url);
        for (let i = 0; i < 2; i += 1) {
          const { device, fetchTokens } = await begin();
          const linked = await browser.open(device.verification_uri_complete ?? '');
          expect(linked.text).toContain(`value="${device.user_code}"`);
          expect(linked.text).not.toContain('<script');
          const confirm = await browser.submit(linked, 'device', { user_code: device.user_code });
          const next = await browser.submit(confirm, 'device', { confirm: 'yes' });
          const consent = i === 0 ? await browser.submit(next, 'login', server.admin) : next;
          expect(consent.text).toContain('Allow access?');
          const denied = await browser.submit(consent, 'abort');
          expect(denied.text).toContain('was not let in');
          expect((await fetchTokens()).body.error).toBe('access_denied');
        }
        const { device, fetchTokens } = await begin();
        const confirm = await browser.submit(await browser.open(device.verification_uri), 'device', {
          user_code: device.user_code,
        });
        const refused = await browser.submit(confirm, 'device', { abort: 'yes' });
        expect(refused.text).toContain('was not let in');
        expect((await fetchTokens()).body.error).toBe('access_denied');
      });

      it(req('AUTH-19', 'is for clients that have it, and takes no code but its own'), async () => {
        const make = async (more: object) =>
          String(
            (await post('/v2/oauth/clients', { type: 'public', name: 'TV', ...more }, adminToken)).body
              .client_id,
          );
        const without = await make({ redirect_uris: ['https://tv.example.test/cb'] });
        await expect(begin(without)).rejects.toMatchObject({ error: 'invalid_request' });
        const { device, fetchTokens } = await begin(await make({ device_flow: true }));
        // What stands for the code in the store is no code.
        for (const code of ['~x', `~${device.device_code}`, 'unknown', '']) {
          const { body } = await tokenRequest(server.url, {
            grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
            device_code: code,
            client_id: 'pentarch-cli',
          });
          expect([code, body.error]).toEqual([code, expect.stringMatching(/^invalid_(grant|request)$/)]);
        }
        const other = await tokenRequest(server.url, {
          grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
          device_code: device.device_code,
          client_id: 'pentarch-cli',
        });
        expect(other.body.error).toBe('invalid_grant');
        expect((await fetchTokens()).body.error).toBe('authorization_pending');
        const forged = await createBrowser(server.url).request(`${server.url}/oauth/v2/device`, {
          user_code: device.user_code,
          confirm: 'yes',
          xsrf: 'made up',
        });
        expect([forged.status, forged.headers.get('location')]).toEqual([303, device.verification_uri]);
        expect((await fetchTokens()).body.error).toMatch(/^(?:authorization_pending|slow_down)$/);
      });
    });

    it(req('AUTH-20', 'sends people after a sign-out where their client has registered it'), async () => {
      const afterSignOut = 'https://app.example.test/bye?from=pentarch';
      const made = await post(
        '/v2/oauth/clients',
        {
          name: 'Signs out',
          type: 'public',
          redirect_uris: ['https://app.example.test/back'],
          post_logout_redirect_uris: [afterSignOut],
        },
        adminToken,
      );
      expect(made.body).toMatchObject({ post_logout_redirect_uris: [afterSignOut], device_flow: false });
      const clientId = String(made.body.client_id);
      const browser = createBrowser(server.url);
      const out = (uri: string) =>
        browser.open(
          `${server.url}/oidc/v1/end_session?${new URLSearchParams({ client_id: clientId, post_logout_redirect_uri: uri, state: 's1' })}`,
        );
      // Nobody is signed in: straight on.
      expect((await out(afterSignOut)).headers.get('location')).toBe(`${afterSignOut}&state=s1`);
      await signIn(browser, authorizeUrl(server.url, { verifier: newVerifier() }), server.admin);
      const asked = await out(afterSignOut);
      const xsrf = /name="xsrf" value="([^"]+)"/.exec(asked.text)?.[1] ?? '';
      const gone = await browser.request(`${server.url}/oidc/v1/end_session/confirm`, {
        xsrf,
        logout: 'yes',
      });
      expect(gone.headers.get('location')).toBe(`${afterSignOut}&state=s1`);
      for (const other of [
        'https://app.example.test/bye',
        'https://app.example.test/back',
        'https://evil.test/',
        `${afterSignOut}x`,
      ])
        expect([other, (await out(other)).status]).toEqual([other, 400]);
      const refused = await post(
        '/v2/oauth/clients',
        {
          name: 'x',
          type: 'public',
          redirect_uris: ['https://a.test/'],
          post_logout_redirect_uris: ['http://a.test/'],
        },
        adminToken,
      );
      expect(refused.status).toBe(422);
    });

    it('asks for consent for a registered client, once in a browser session, and takes no for an answer', async () => {
      const redirectUri = 'https://app.example.test/back';
      const made = await post(
        '/v2/oauth/clients',
        { name: 'Reports <b>', type: 'public', redirect_uris: [redirectUri] },
        adminToken,
      );
      expect(made.status).toBe(201);
      const clientId = String(made.body.client_id);
      const browser = createBrowser(server.url);
      const url = authorizeUrl(server.url, { clientId, redirectUri, verifier: newVerifier() });
      const consent = await browser.submit(await browser.open(url), 'login', server.admin);
      expect(consent.text).toContain('Reports &lt;b&gt;');
      expect(consent.headers.get('content-security-policy')).toContain(
        "form-action 'self' https://app.example.test",
      );
      const denied = await browser.submit(consent, 'abort');
      expect(new URL(denied.headers.get('location') ?? '').searchParams.get('error')).toBe('access_denied');

      const again = await browser.open(url);
      const allowed = await browser.submit(again, 'consent');
      expect(new URL(allowed.headers.get('location') ?? '').searchParams.get('code')).toBeTruthy();
      expect((await browser.open(url)).headers.get('location')).toContain(`${redirectUri}?code=`);

      const tokens = await tokensByCode({ clientId, redirectUri });
      expect(await meStatus(tokens.access)).toBe(200);
      expect((await call('DELETE', `/v2/oauth/clients/${clientId}`, { token: adminToken })).status).toBe(204);
      expect(await meStatus(tokens.access)).toBe(401);
      expect((await refresh(tokens.refresh, clientId)).body.error).toBe('invalid_client');
    });

    it('compares redirect addresses exactly, but for the port of a loopback one', async () => {
      const made = await post(
        '/v2/oauth/clients',
        {
          name: 'Native',
          type: 'public',
          redirect_uris: ['http://127.0.0.1/cb', 'https://app.example.test/cb'],
        },
        adminToken,
      );
      const clientId = String(made.body.client_id);
      const status = async (redirectUri: string) => {
        const browser = createBrowser(server.url);
        const url = authorizeUrl(server.url, { clientId, redirectUri, verifier: newVerifier() });
        return (await browser.request(url)).status;
      };
      expect(await status('http://127.0.0.1:40111/cb')).toBe(303);
      expect(await status('https://app.example.test/cb')).toBe(303);
      for (const other of [
        'http://127.0.0.1:40111/other',
        'https://app.example.test/cb/',
        'https://app.example.test/cb?x=1',
        'https://app.example.test.evil.test/cb',
        'https://evil.test/cb',
        'http://app.example.test/cb',
      ]) {
        expect([other, await status(other)]).toEqual([other, 400]);
      }
      for (const bad of [
        'javascript:alert(1)',
        'http://app.example.test/',
        'https://*.example.test/',
        'https://a.test/#x',
        '/cb',
      ]) {
        const refused = await post(
          '/v2/oauth/clients',
          { name: 'x', type: 'public', redirect_uris: [bad] },
          adminToken,
        );
        expect([bad, refused.status]).toEqual([bad, 422]);
      }
    });

    it('protects the sign-in page: CSRF, cookie of the browser, policy, and a clear fault', async () => {
      const url = authorizeUrl(server.url, { verifier: newVerifier() });
      const browser = createBrowser(server.url);
      const page = await browser.open(url);
      expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
      // One script, by its hash; no other would run.
      const scripts = [...page.text.matchAll(/<script>([^<]*)<\/script>/g)].map(([, text]) => text ?? '');
      expect([scripts.length, page.text.split('<script').length]).toEqual([1, 2]);
      const hash = createHash('sha256')
        .update(scripts[0] ?? '')
        .digest('base64');
      expect(page.headers.get('content-security-policy')).toContain(
        `; script-src 'sha256-${hash}'; form-action`,
      );
      expect(page.text).toMatch(/<label for="email">[\s\S]*<label for="password">/);
      expect((await browser.request(`${page.url}/login`, { ...server.admin, csrf: 'made up' })).status).toBe(
        400,
      );
      for (const accept of ['text/html', '*/*', 'application/json']) {
        const cookie = [...browser.cookies].map(([key, { value }]) => `${key}=${value}`).join('; ');
        const refused = await fetch(`${page.url}/login`, {
          method: 'POST',
          headers: { accept, cookie },
          body: new URLSearchParams({ ...server.admin, csrf: 'made up' }),
        });
        expect([refused.status, refused.headers.get('content-type')]).toEqual([
          400,
          'text/html; charset=utf-8',
        ]);
        // The way back is the form of the same sign-in.
        const again = /<a href="([^"]+)">Start again<\/a>/.exec(await refused.text())?.[1] ?? '';
        expect((await browser.open(again)).text).toContain('name="csrf"');
        const expired = await fetch(`${server.url}/oauth/v2/interaction/gone/login`, {
          method: 'POST',
          headers: { accept },
          body: new URLSearchParams({ ...server.admin, csrf: 'x' }),
        });
        expect([expired.status, expired.headers.get('content-security-policy')]).toEqual([
          400,
          expect.stringContaining("default-src 'none'"),
        ]);
        expect(await expired.text()).toMatch(/expired[\s\S]*<a href="\/">Start again/);
      }
      // Another browser has no part in it, even with the right token of the form.
      const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
      const stranger = createBrowser(server.url);
      expect((await stranger.request(`${page.url}/login`, { ...server.admin, csrf })).status).toBe(400);
      const wrong = await browser.submit(page, 'login', { email: server.admin.email, password: 'wrong' });
      expect(wrong.status).toBe(401);
      expect(wrong.text).toContain('role="alert"');
      expect(wrong.text).toContain('aria-invalid="true"');
      expect((await browser.submit(wrong, 'login', server.admin)).text).toContain('/consent"');
    });

    it('asks the person each time under another name of the machine than its own', async () => {
      const alias = server.url.replace('127.0.0.1', 'localhost');
      const there = { clientId: 'pentarch-console', redirectUri: `${alias}/callback` };
      const browser = createBrowser(server.url);
      // Signed in by the console's own page, without a question.
      const own = { clientId: 'pentarch-console', redirectUri: `${server.url}/callback` };
      const verifier = newVerifier();
      const asked = await browser.request(authorizeUrl(server.url, { ...own, verifier }));
      const login = await browser.open(asked.headers.get('location') ?? '');
      const sent = await browser.request(`${login.url}/login`, {
        ...server.admin,
        csrf: /name="csrf" value="([^"]+)"/.exec(login.text)?.[1] ?? '',
      });
      const back = await browser.request(sent.headers.get('location') ?? '');
      expect(back.headers.get('location')).toContain(`${server.url}/callback?code=`);
      for (const scope of ['openid profile email', 'openid', '']) {
        const extra = { prompt: 'none' };
        const silent = authorizeUrl(server.url, { ...there, scope, extra, verifier: newVerifier() });
        const answer = new URL((await browser.open(silent)).headers.get('location') ?? '');
        expect([scope, answer.searchParams.get('code')]).toEqual([scope, null]);
        expect(answer.searchParams.get('error')).toMatch(/^(consent|interaction)_required$/);
      }
      for (let i = 0; i < 2; i += 1) {
        const page = await browser.open(authorizeUrl(server.url, { ...there, verifier: newVerifier() }));
        expect(page.text).toContain('/consent"');
        const allowed = await browser.submit(page, 'consent');
        expect(allowed.headers.get('location')).toContain(`${alias}/callback?code=`);
      }
    });

    it('works under the names of 127.0.0.1, and under no other', async () => {
      const alias = server.url.replace('127.0.0.1', 'localhost');
      const browser = createBrowser(alias);
      const page = await browser.request(
        authorizeUrl(alias, {
          verifier: newVerifier(),
          clientId: 'pentarch-console',
          redirectUri: `${alias}/callback`,
        }),
      );
      const form = await browser.open(page.headers.get('location') ?? '');
      const sent = await browser.request(`${form.url}/login`, {
        ...server.admin,
        csrf: /name="csrf" value="([^"]+)"/.exec(form.text)?.[1] ?? '',
      });
      const consent = await browser.open(sent.headers.get('location') ?? '');
      expect(consent.text).toContain('/consent"');
      const agreed = await browser.request(`${consent.url}/consent`, {
        csrf: /name="csrf" value="([^"]+)"/.exec(consent.text)?.[1] ?? '',
      });
      const back = await browser.request(agreed.headers.get('location') ?? '');
      expect(back.headers.get('location')).toContain(`${alias}/callback?code=`);
      const discovery = await fetch(`${server.url}/.well-known/openid-configuration`, {
        headers: { 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'https' },
      });
      expect(await discovery.text()).not.toContain('evil.test');
      // What is said of addresses is the same whoever asks by whatever name.
      for (const document of ['openid-configuration', 'oauth-authorization-server']) {
        for (const origin of [alias, server.url]) {
          const { issuer, ...rest } = (await (await fetch(`${origin}/.well-known/${document}`)).json()) as {
            issuer: string;
          };
          expect(issuer).toBe(server.url);
          const addresses = Object.values(rest).filter(
            (value) => typeof value === 'string' && value.startsWith('http'),
          );
          expect(addresses.length).toBeGreaterThan(5);
          for (const address of addresses) expect(String(address).startsWith(`${server.url}/`)).toBe(true);
        }
      }
    });

    it('signs out on a page of its own, and ends the sign-ins of that browser', async () => {
      const browser = createBrowser(server.url);
      const verifier = newVerifier();
      const back = await signIn(browser, authorizeUrl(server.url, { verifier }), server.admin);
      const { body } = await tokenRequest(server.url, {
        grant_type: 'authorization_code',
        code: back.get('code') ?? '',
        redirect_uri: CLI_REDIRECT,
        client_id: 'pentarch-cli',
        code_verifier: verifier,
      });
      const page = await browser.open(`${server.url}/oidc/v1/end_session`);
      expect(page.text).toContain('Sign out?');
      const done = await browser.submit(page, 'confirm', {
        logout: 'yes',
        xsrf: /name="xsrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '',
      });
      expect(done.text).toContain('You are signed out');
      expect(await meStatus(String(body.access_token))).toBe(401);
      expect((await browser.open(authorizeUrl(server.url, { verifier: newVerifier() }))).text).toContain(
        '/login"',
      );
    });

    it('lists and ends sessions', async () => {
      const mine = await tokensByCode();
      const other = await tokensByCode();
      const list = await call('GET', '/v2/users/me/sessions', { token: mine.access });
      const items = list.body.items as { id: string; current: boolean }[];
      expect(items.filter((item) => item.current)).toHaveLength(1);
      const otherId = String((await call('GET', '/v2/auth/me', { token: other.access })).body.session_id);
      expect((await call('DELETE', `/v2/users/me/sessions/${otherId}`, { token: mine.access })).status).toBe(
        204,
      );
      expect(await meStatus(other.access)).toBe(401);
      expect(await meStatus(mine.access)).toBe(200);
      expect((await refresh(other.refresh)).body.error).toBe('invalid_grant');
      expect((await call('DELETE', `/v2/users/me/sessions/${otherId}`, { token: mine.access })).status).toBe(
        404,
      );
    });

    describe('introspection and revocation', () => {
      const basic = (id: string, secret: string) =>
        `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
      const introspect = async (
        token: string,
        authorization?: string,
        extra: Record<string, string> = {},
      ) => {
        const answer = await fetch(`${server.url}/oauth/v2/introspect`, {
          method: 'POST',
          headers: authorization === undefined ? {} : { authorization },
          body: new URLSearchParams({ token, ...extra }),
        });
        return {
          status: answer.status,
          body: (await answer.json()) as Record<string, unknown>,
          headers: answer.headers,
        };
      };
      const api = basic('pentarch-api', 'test-api-client-secret');

      it(
        req('AUTH-12', 'tells a confidential client about tokens of the API, and honours revocation'),
        async () => {
          const { access, refresh: refreshToken } = await tokensByCode();
          const config = await discover('pentarch-api', 'test-api-client-secret');
          expect(await oidc.tokenIntrospection(config, access)).toMatchObject({
            active: true,
            client_id: 'pentarch-cli',
            email: server.admin.email,
            iss: server.url,
            aud: 'pentarch-api',
            token_type: 'Bearer',
          });
          // A refresh token is its own client's business.
          expect((await introspect(refreshToken, api)).body).toEqual({ active: false });
          const cli = await discover('pentarch-cli');
          await oidc.tokenRevocation(cli, access);
          expect((await introspect(access, api)).body).toEqual({ active: false });
          expect(await meStatus(access)).toBe(401);
          expect((await refresh(refreshToken)).status).toBe(200);
        },
      );

      it('tells about API keys and personal access tokens, as long as they work', async () => {
        const me = (await call('GET', '/v2/auth/me', { token: adminToken })).body;
        const ends = server.clock.now() + 60_000;
        const made = await post(
          '/v2/auth/api-keys',
          {
            name: 'k',
            permissions: ['users:read', 'audit:read'],
            expires_at: new Date(ends).toISOString(),
          },
          adminToken,
        );
        const pat = await post('/v2/users/me/tokens', { name: 'p' }, adminToken);
        const [key, token] = [String(made.body.key), String(pat.body.token)];
        secrets.push(key, token);
        expect((await introspect(key, api)).body).toMatchObject({
          active: true,
          token_type: 'Bearer',
          sub: me.sub,
          scope: 'audit:read users:read',
          permissions: ['audit:read', 'users:read'],
          client_id: 'pentarch-api',
          aud: 'pentarch-api',
          exp: Math.floor(ends / 1000),
          jti: made.body.id,
        });
        const personal = (await introspect(token, api)).body;
        expect(personal).toMatchObject({ active: true, sub: me.sub, jti: pat.body.id });
        expect(personal).not.toHaveProperty('exp');
        expect(String(personal.scope).split(' ')).toEqual(me.permissions);
        expect((await introspect(key)).status).toBe(401);

        await call('DELETE', `/v2/users/me/tokens/${pat.body.id}`, { token: adminToken });
        expect((await introspect(token, api)).body).toEqual({ active: false });
        server.clock.advance(60_000);
        expect((await introspect(key, api)).body).toEqual({ active: false });
      });

      it('answers inactive for anything that is no token', async () => {
        for (const token of ['x', 'a.b.c', '\u0000', 'ptk_x', '{"alg":"none"}']) {
          expect((await introspect(token, api)).body).toEqual({ active: false });
        }
      });

      it(req('AUTH-12', 'refuses strangers, wrong secrets and clients without one'), async () => {
        const { access } = await tokensByCode();
        for (const authorization of [
          undefined,
          basic('pentarch-api', 'wrong'),
          basic('nobody', 'x'),
          'Basic !!',
          `Bearer ${access}`,
        ]) {
          const answer = await introspect(access, authorization);
          expect([authorization, answer.status, answer.body.error]).toEqual([
            authorization,
            401,
            'invalid_client',
          ]);
          expect(answer.headers.get('www-authenticate')).toContain('Basic');
        }
        expect((await introspect(access, undefined, { client_id: 'pentarch-cli' })).status).toBe(401);
      });

      it("does not let a client revoke another's token", async () => {
        const { access } = await tokensByCode();
        const console = await discover('pentarch-console');
        await expect(oidc.tokenRevocation(console, access)).rejects.toMatchObject({
          error: 'invalid_request',
        });
        expect(await meStatus(access)).toBe(200);
        await oidc.tokenRevocation(console, 'unknown-token');
      });
    });

    describe('service accounts', () => {
      interface KeyFile {
        type: string;
        keyId: string;
        key: string;
        userId: string;
      }
      let key: KeyFile;

      const createKey = async (
        userId: string,
        body: unknown = { type: 'KEY_TYPE_JSON', expirationDate: '2099-01-01T00:00:00Z' },
      ) => post(`/management/v1/users/${userId}/machine_keys`, body, adminToken);

      beforeAll(async () => {
        const user = await post(
          '/v2/users',
          { email: 'robot@localhost', type: 'service', roles: ['analyst'] },
          adminToken,
        );
        expect(user.body).toMatchObject({ type: 'service', status: 'active' });
        const made = await createKey(String(user.body.id));
        expect(made.status).toBe(200);
        key = JSON.parse(Buffer.from(String(made.body.keyDetails), 'base64').toString());
        expect(key).toMatchObject({ type: 'serviceaccount', keyId: made.body.keyId, userId: user.body.id });
      });

      const nowS = () => Math.floor(Date.now() / 1000);
      const assertion = (
        claims: Record<string, unknown> = {},
        header: Record<string, unknown> = { kid: key.keyId },
      ) =>
        new SignJWT({
          iss: key.userId,
          sub: key.userId,
          aud: server.url,
          iat: nowS(),
          exp: nowS() + 3600,
          ...claims,
        })
          .setProtectedHeader({ alg: 'RS256', ...header })
          .sign(createPrivateKey(key.key));
      const exchange = async (jwt: string) =>
        tokenRequest(server.url, {
          grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
          assertion: jwt,
          scope: 'openid profile',
        });

      it(
        req('AUTH-11', 'exchanges an assertion as the specification shows it, with and without a kid'),
        async () => {
          for (const header of [{ kid: key.keyId }, {}]) {
            const { status, body } = await exchange(await assertion({}, header));
            expect([status, body.token_type, body.refresh_token]).toEqual([200, 'Bearer', undefined]);
            const me = await call('GET', '/v2/auth/me', { token: String(body.access_token) });
            expect(me.body).toMatchObject({ sub: key.userId, roles: ['analyst'], scope: 'openid profile' });
            secrets.push(String(body.access_token));
          }
        },
      );

      it(req('AUTH-11', 'takes a jti once, also under 20 parallel uses'), async () => {
        const jwt = await assertion({ jti: 'only-once' });
        const answers = await Promise.all(Array.from({ length: 20 }, () => exchange(jwt)));
        expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
        expect((await exchange(jwt)).body.error).toBe('invalid_grant');
      });

      it('refuses a key that was deleted, has expired, or belongs to another', async () => {
        const other = await post('/v2/users', { email: 'robot2@localhost', type: 'service' }, adminToken);
        const jwt = await assertion({ iss: other.body.id, sub: other.body.id });
        expect((await exchange(jwt)).body.error).toBe('invalid_grant');

        const made = await createKey(String(other.body.id), { type: 'KEY_TYPE_JSON' });
        const file: KeyFile = JSON.parse(Buffer.from(String(made.body.keyDetails), 'base64').toString());
        const own = await new SignJWT({})
          .setProtectedHeader({ alg: 'RS256', kid: file.keyId })
          .setIssuer(file.userId)
          .setSubject(file.userId)
          .setAudience(server.url)
          .setExpirationTime('5m')
          .sign(createPrivateKey(file.key));
        expect((await exchange(own)).status).toBe(200);
        const path = `/management/v1/users/${file.userId}/machine_keys`;
        expect((await call('GET', path, { token: adminToken })).body.result).toHaveLength(1);
        expect((await call('DELETE', `${path}/${file.keyId}`, { token: adminToken })).status).toBe(200);
        expect((await exchange(own)).body.error).toBe('invalid_grant');
      });

      it('kills the tokens of a deactivated service account at once', async () => {
        const user = await post('/v2/users', { email: 'robot3@localhost', type: 'service' }, adminToken);
        const made = await createKey(String(user.body.id));
        const file: KeyFile = JSON.parse(Buffer.from(String(made.body.keyDetails), 'base64').toString());
        const jwt = await new SignJWT({
          iss: file.userId,
          sub: file.userId,
          aud: server.url,
          exp: nowS() + 60,
        })
          .setProtectedHeader({ alg: 'RS256', kid: file.keyId })
          .sign(createPrivateKey(file.key));
        const token = String((await exchange(jwt)).body.access_token);
        expect(await meStatus(token)).toBe(200);
        expect((await call('DELETE', `/v2/users/${file.userId}`, { token: adminToken })).status).toBe(204);
        expect(await meStatus(token)).toBe(401);
        expect((await exchange(jwt)).body.error).toBe('invalid_grant');
      });

      it('makes keys only for admins, service accounts and their own tenant', async () => {
        const path = `/management/v1/users/${key.userId}/machine_keys`;
        expect((await post(path, {})).status).toBe(401);
        const robot = String((await exchange(await assertion())).body.access_token);
        expect((await post(path, {}, robot)).status).toBe(403);
        const me = String((await call('GET', '/v2/auth/me', { token: adminToken })).body.sub);
        expect((await createKey(me)).status).toBe(409);
        expect((await createKey('00000000-0000-7000-8000-000000000000')).status).toBe(404);
        for (const body of [
          { type: 'KEY_TYPE_PEM' },
          { expirationDate: '2001-01-01T00:00:00Z' },
          { expirationDate: 'x' },
          { other: 1 },
        ]) {
          expect([body, (await createKey(key.userId, body)).status]).toEqual([body, 400]);
        }
      });

      it('gives client credentials to a confidential client, as its own service account', async () => {
        const made = await post('/v2/oauth/clients', { name: 'Nightly', type: 'confidential' }, adminToken);
        const secret = String(made.body.client_secret);
        const config = await discover(String(made.body.client_id), secret);
        const tokens = await oidc.clientCredentialsGrant(config, { scope: 'openid' });
        const me = await call('GET', '/v2/auth/me', { token: tokens.access_token });
        expect(me.body).toMatchObject({ sub: made.body.service_user_id, roles: ['user'] });
        secrets.push(secret, tokens.access_token);
        const wrong = await discover(String(made.body.client_id), 'wrong');
        await expect(oidc.clientCredentialsGrant(wrong)).rejects.toMatchObject({ status: 401 });
        const cli = await tokenRequest(server.url, {
          grant_type: 'client_credentials',
          client_id: 'pentarch-cli',
        });
        expect(cli.status).toBe(400);
        const row = await server.db.read
          .selectFrom('oauth_clients')
          .selectAll()
          .where('id', '=', String(made.body.client_id))
          .executeTakeFirstOrThrow();
        expect(JSON.stringify(row)).not.toContain(secret);
      });
    });

    it('keeps no live secret in the store or the log', async () => {
      const { refresh: refreshToken } = await tokensByCode();
      const { access_token: access } = (await post('/v2/auth/login', server.admin)).body;
      const key = await post('/v2/auth/api-keys', { name: 'k' }, adminToken);
      secrets.push(refreshToken, String(access), adminToken, String(key.body.key), server.admin.password);
      const records = JSON.stringify(await server.db.read.selectFrom('oidc_records').selectAll().execute());
      const keys = JSON.stringify(await server.db.read.selectFrom('api_keys').selectAll().execute());
      const log = server.logged();
      for (const secret of secrets.filter((text) => text !== '')) {
        expect(log.includes(secret)).toBe(false);
        expect(records.includes(secret)).toBe(false);
        expect(keys.includes(secret)).toBe(false);
      }
    });

    it('answers unknown paths, forms that are too large and other bodies in the shape of OAuth', async () => {
      for (const path of [
        '/oauth/v2/nothing',
        '/oauth',
        '/oidc/v1/x',
        '/management/v1/x',
        '/.well-known/nothing',
      ]) {
        const { status, body, headers } = await call('GET', path);
        expect([path, status, body]).toEqual([
          path,
          404,
          { error: 'not_found', error_description: expect.any(String), request_id: expect.any(String) },
        ]);
        expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
        expect(headers.get('x-request-id')).toBe(body.request_id);
        expect(headers.has('x-ratelimit-limit')).toBe(true);
      }
      expect((await call('GET', '/nothing')).body).toMatchObject({ error: { code: 'NOT_FOUND' } });
      for (const path of ['/oauth/v2/token', '/oauth/v2/introspect', '/oauth/v2/revoke']) {
        const large = await fetch(server.url + path, {
          method: 'POST',
          body: new URLSearchParams({ token: 'x'.repeat(2_000_000) }),
        });
        expect([path, large.status, await large.json()]).toMatchObject([
          path,
          413,
          { error: 'invalid_request', error_description: expect.stringContaining('larger') },
        ]);
        // Closing in mid-body would take the answer away from its sender.
        expect(large.headers.get('connection')).not.toBe('close');
        const json = await post(path, { grant_type: 'refresh_token', token: 'x' });
        expect([path, json.status, json.body]).toMatchObject([
          path,
          415,
          { error: 'invalid_request', error_description: expect.stringContaining('x-www-form-urlencoded') },
        ]);
      }
    });

    it('takes no second Authorization header', async () => {
      const send = async (method: string, path: string, first: string, second: string) => {
        const answer = await sendRaw(
          server.url,
          `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${first}\r\nauthorization: ${second}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
        );
        return [answer?.status, answer?.text ?? ''] as const;
      };
      const right = `Bearer ${adminToken}`;
      for (const [first, second] of [
        [right, right],
        [right, 'Bearer x'],
        ['Basic eDp5', right],
      ] as const) {
        const [status, text] = await send('GET', '/v2/auth/me', first, second);
        expect([status, text]).toEqual([401, expect.stringContaining('TOKEN_INVALID')]);
        const [userinfo, error] = await send('GET', '/oidc/v1/userinfo', first, second);
        expect([userinfo, error]).toEqual([401, expect.stringContaining('invalid_token')]);
        for (const path of ['/oauth/v2/token', '/oauth/v2/introspect', '/oauth/v2/revoke']) {
          const [client, body] = await send('POST', path, first, second);
          expect([path, client, body]).toEqual([path, 401, expect.stringContaining('invalid_client')]);
        }
      }
    });

    it('takes no token in an address, on whatever path', async () => {
      for (const path of [
        '/docs',
        '/openapi.json',
        '/oauth/v2/keys',
        '/oidc/v1/userinfo',
        '/.well-known/openid-configuration',
        '/nowhere',
      ]) {
        expect([path, (await call('GET', `${path}?x=1&access_token=${adminToken}`)).status]).toEqual([
          path,
          401,
        ]);
      }
      for (const path of ['/openapi.json?token=x&state=y&code=z', '/oauth/v2/keys?code=x', '/docs?state=x']) {
        expect([path, (await call('GET', path)).status < 400]).toEqual([path, true]);
      }
      const authorize = authorizeUrl(server.url, { extra: { state: 'token', code: 'x' } });
      expect((await createBrowser(server.url).request(authorize)).status).toBeLessThan(400);
    });

    it('answers other methods and unknown clients with OAuth errors', async () => {
      const wrong = await call('GET', '/oauth/v2/token');
      expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
      const unknown = await tokenRequest(server.url, {
        grant_type: 'refresh_token',
        refresh_token: 'x',
        client_id: 'nobody',
      });
      expect([unknown.status, unknown.body.error]).toEqual([401, 'invalid_client']);
      const twice = await fetch(`${server.url}/oauth/v2/introspect`, {
        method: 'POST',
        body: new URLSearchParams('token=a&token=b'),
      });
      expect(twice.status).toBe(400);
    });
  });
};
