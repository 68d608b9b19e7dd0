import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import { createClient } from '../../../test/support/client.ts';
import { API, type ExternalIdp, startExternalIdp } from '../../../test/support/external-idp.ts';
import { type IdentityServer, startIdentityServer } from '../../../test/support/identity-server.ts';
import { startServer, type TestServer } from '../../../test/support/server.ts';
import { ROLE_PERMISSIONS } from '../../kernel/permissions.ts';

/** Contract 3, external identity provider. The claim shapes are those that Zitadel and Keycloak document. */

const ZITADEL_ORG = '280123456789012345';

const zitadel = (sub: string, roles: string[], organisation = ZITADEL_ORG) => ({
  sub,
  name: 'Zita Del',
  email: 'zita@example.test',
  'urn:zitadel:iam:user:resourceowner:id': organisation,
  'urn:zitadel:iam:user:resourceowner:name': 'ACME Ltd',
  'urn:zitadel:iam:org:project:roles': Object.fromEntries(
    roles.map((role) => [role, { [organisation]: 'acme.zitadel.test' }]),
  ),
});

const keycloak = (sub: string, roles: string[]) => ({
  sub,
  typ: 'Bearer',
  azp: 'web',
  preferred_username: 'kay',
  name: 'Kay Cloak',
  email: 'kay@example.test',
  realm_access: { roles: ['offline_access', 'uma_authorization', ...roles] },
  resource_access: { account: { roles: ['manage-account'] } },
});

describe('external identity provider', () => {
  let idp: ExternalIdp;
  let server: IdentityServer;

  const start = (config: Record<string, unknown> = {}) =>
    startIdentityServer({
      IDP_URL: idp.issuer,
      IDP_CLIENT_ID: API.id,
      IDP_CLIENT_SECRET: API.secret,
      ...config,
    });

  beforeAll(async () => {
    idp = await startExternalIdp();
    // People with organisations and people without ones come in here side by side.
    server = await start({ IDP_REQUIRE_ORGANISATION: 'off' });
  });
  afterAll(async () => {
    await server.close();
    await idp.close();
  });

  const me = async (token: string, url = server.url) => {
    const answer = await fetch(`${url}/v2/auth/me`, { headers: { authorization: `Bearer ${token}` } });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };

  it(req('AUTH-13', 'takes a Zitadel token: person, organisation as tenant, roles'), async () => {
    const first = await me(await idp.token(zitadel('1', ['operator', 'unknown-role'])));
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ name: 'Zita Del', email: 'zita@example.test', roles: ['operator'] });
    expect(first.body.platform_admin).toBe(false);
    const again = await me(await idp.token(zitadel('1', ['analyst'])));
    expect(again.body).toMatchObject({ sub: first.body.sub, org_id: first.body.org_id, roles: ['analyst'] });
    const other = await me(await idp.token(zitadel('2', ['admin'], '999')));
    expect(other.body.org_id).not.toBe(first.body.org_id);
    // An admin of another organisation is no administrator of the platform.
    expect(other.body).toMatchObject({ roles: ['admin'], platform_admin: false });
  });

  it('does not take roles that Zitadel grants in another organisation', async () => {
    const claims = {
      ...zitadel('3', []),
      'urn:zitadel:iam:org:project:roles': {
        admin: { '999': 'other.test' },
        user: { [ZITADEL_ORG]: 'acme.test' },
      },
    };
    expect((await me(await idp.token(claims))).body.roles).toEqual(['user']);
  });

  it(req('AUTH-13', 'takes a Keycloak token'), async () => {
    const { body } = await me(await idp.token(keycloak('kc-1', ['analyst'])));
    expect(body).toMatchObject({ name: 'Kay Cloak', email: 'kay@example.test', roles: ['analyst'] });
  });

  it("adds a token's permissions to those of its roles, and nothing that is no permission", async () => {
    const { body } = await me(
      await idp.token({ ...keycloak('kc-2', ['user']), permissions: ['audit:read', 'x:y'] }),
    );
    expect(body.permissions).toContain('audit:read');
    expect(body.permissions).not.toContain('x:y');
  });

  it('refuses ID tokens, other audiences and issuers, and tokens without an end', async () => {
    const base = keycloak('kc-3', ['user']);
    for (const claims of [
      { ...base, typ: 'ID' },
      { ...base, nonce: 'n' },
      { ...base, at_hash: 'x' },
      { ...base, aud: 'other' },
      { ...base, iss: 'https://evil.test' },
      { ...base, iss: `${idp.issuer}/` },
      { ...base, sub: 'with\u0000nul' },
      { ...base, sub: 's'.repeat(256) },
      { ...base, exp: undefined },
      { ...base, exp: Math.floor(Date.now() / 1000) - 61 },
      { ...base, sub: undefined },
      { ...base, nbf: Math.floor(Date.now() / 1000) + 61 },
    ]) {
      expect([claims, (await me(await idp.token(claims))).status]).toEqual([claims, 401]);
    }
  });

  it('keeps names that no store could, without the signs that it cannot', async () => {
    const { status, body } = await me(
      await idp.token({ ...keycloak('kc-nul', ['user']), name: 'a\u0000b', email: 'a\u0000b@example.test' }),
    );
    expect([status, body.name, body.email]).toEqual([200, 'kay', 'kc-nul@external.invalid']);
  });

  it('signs a token out for this platform, and others of the person not', async () => {
    const [token, other] = [
      await idp.token(keycloak('kc-out', ['user'])),
      await idp.token({ ...keycloak('kc-out', ['user']), jti: 'another' }),
    ];
    expect([(await me(token)).status, (await me(other)).status]).toEqual([200, 200]);
    const out = await fetch(`${server.url}/v2/auth/logout`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    });
    expect(out.status).toBe(204);
    expect((await me(token)).body).toMatchObject({ code: 'TOKEN_REVOKED' });
    expect((await me(other)).status).toBe(200);
  });

  it('invites nobody, since nobody could sign in by a link', async () => {
    const token = await idp.token(keycloak('kc-boss', ['admin']));
    for (const body of [
      { email: 'new@example.test' },
      { email: 'new@example.test', password: 'long enough' },
    ]) {
      const made = await fetch(`${server.url}/v2/users`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect([made.status, await made.json()]).toMatchObject([409, { details: { idp_url: idp.issuer } }]);
    }
  });

  it(req('AUTH-13', 'reads the keys again for an unknown kid, and does so seldom'), async () => {
    await idp.rotate();
    server.clock.advance(11_000);
    const before = idp.hits('/jwks');
    expect((await me(await idp.token(keycloak('kc-4', ['user'])))).status).toBe(200);
    expect(idp.hits('/jwks')).toBe(before + 1);
    const forged = (await idp.token(keycloak('kc-4', ['user']))).split('.');
    for (let i = 0; i < 10; i += 1) {
      const header = Buffer.from(JSON.stringify({ alg: 'RS256', typ: 'at+jwt', kid: `k${i}` })).toString(
        'base64url',
      );
      expect((await me([header, forged[1], forged[2]].join('.'))).status).toBe(401);
    }
    expect(idp.hits('/jwks')).toBe(before + 1);
  });

  it(req('AUTH-21', 'takes opaque tokens that are for it, and access tokens alone'), async () => {
    const told = async (claims: Record<string, unknown>) => {
      const token = await idp.token({ ...zitadel('opaque', ['user']), ...claims }, 'opaque');
      return (await me(token)).status;
    };
    const others = { aud: undefined, client_id: 'another-app' };
    expect(await told({ aud: 'another-app' })).toBe(401);
    expect(await told({ aud: [] })).toBe(401);
    expect(await told({ ...others, aud: ['another-app', 7] })).toBe(401);
    expect(await told(others)).toBe(401);
    expect(await told({ ...others, client_id: undefined })).toBe(401);
    expect(await told({ ...others, client_id: 'pentarch-api' })).toBe(200);
    expect(await told({ ...others, client_id: 'pentarch-console' })).toBe(200);
    expect(await told({ aud: ['another-app', 'pentarch-api'] })).toBe(200);
    for (const kind of ['refresh_token', 'N_A']) expect(await told({ token_type: kind })).toBe(401);
    for (const typ of ['Refresh', 'ID', 'Offline']) expect(await told({ typ })).toBe(401);
    expect(await told({ token_type: 'Bearer', typ: 'Bearer' })).toBe(200);
  });

  it('asks about opaque tokens, remembers for 30 s, and takes the answer inactive', async () => {
    const token = await idp.token({ ...zitadel('9', ['user']) }, 'opaque');
    expect(token.split('.')).toHaveLength(1);
    expect((await me(token)).body).toMatchObject({ name: 'Zita Del', roles: ['user'] });
    const asked = idp.hits('/token/introspection');
    server.clock.advance(20_000);
    expect((await me(token)).status).toBe(200);
    expect(idp.hits('/token/introspection')).toBe(asked);
    idp.deactivate();
    server.clock.advance(11_000);
    const gone = await me(token);
    expect([gone.status, gone.body.code]).toEqual([401, 'TOKEN_INVALID']);
    expect((await me('made-up-token')).status).toBe(401);
  });

  it('answers login and refresh with 409, and has no provider of its own', async () => {
    for (const [path, body] of [
      ['/v2/auth/login', { email: 'a@b', password: 'x' }],
      ['/v2/auth/refresh', { refresh_token: 'x' }],
    ] as const) {
      const answer = await fetch(server.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(answer.status).toBe(409);
      expect(await answer.text()).toContain(idp.issuer);
    }
    expect((await fetch(`${server.url}/oauth/v2/keys`)).status).toBe(404);
    expect((await fetch(`${server.url}/.well-known/openid-configuration`)).status).toBe(404);
  });

  it('keeps a person out who was deactivated here, whatever the provider says', async () => {
    const token = await idp.token(keycloak('kc-5', ['admin']));
    const { body } = await me(token);
    await server.db.write((tx) =>
      tx.updateTable('users').set({ status: 'deactivated' }).where('id', '=', String(body.sub)).execute(),
    );
    server.identity.forgetUser(String(body.sub));
    expect((await me(token)).status).toBe(401);
    expect((await me(await idp.token(keycloak('kc-5', ['admin'])))).status).toBe(401);
  });

  it('tells of a person who is seen for the first time, once', async () => {
    const told = () => server.events.filter((event) => event.type === 'user.created');
    const before = told().length;
    const tokens = await Promise.all(
      Array.from({ length: 5 }, () => idp.token(keycloak('kc-told', ['user']))),
    );
    const answers = await Promise.all(tokens.map((token) => me(token)));
    await me(await idp.token(keycloak('kc-told', ['operator'])));
    expect(told().slice(before)).toMatchObject([
      {
        type: 'user.created',
        tenantId: answers[0]?.body.org_id,
        userId: answers[0]?.body.sub,
        reach: 'tenant',
        permission: 'users:read',
        data: { user_id: answers[0]?.body.sub, email: expect.any(String), type: 'person' },
      },
    ]);
  });

  it('makes nobody with IDP_CREATE_USERS off', async () => {
    const closed = await start({ IDP_CREATE_USERS: false });
    try {
      expect((await me(await idp.token(keycloak('new', ['admin'])), closed.url)).status).toBe(403);
      expect((await me(await idp.token(zitadel('new', ['admin'])), closed.url)).status).toBe(403);
      const { total } = await closed.db.read
        .selectFrom('users')
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      expect(Number(total)).toBe(1);
    } finally {
      await closed.close();
    }
  });

  it(req('AUTH-13', 'answers 503, not 401, while the provider is away'), async () => {
    const gone = await startExternalIdp();
    const token = await gone.token(keycloak('x', ['user']));
    const lonely = await startIdentityServer({
      IDP_URL: gone.issuer,
      IDP_CLIENT_ID: API.id,
      IDP_CLIENT_SECRET: 's',
    });
    await gone.close();
    try {
      const answer = await fetch(`${lonely.url}/v2/auth/me`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    } finally {
      await lonely.close();
    }
  });
});

describe('an account that its provider raises', () => {
  const PASSWORD = 'a password of another';
  let idp: ExternalIdp;
  let server: TestServer;

  beforeAll(async () => {
    idp = await startExternalIdp();
    server = await startServer();
  }, 60_000);
  afterAll(async () => {
    await server?.close();
    await idp?.close();
  });

  const withProvider = (isExternal: boolean): Promise<void> => restart(isExternal ? idp.issuer : '');
  const restart = async (issuer: string): Promise<void> => {
    await server.end('SIGTERM');
    await server.start({
      IDP_URL: issuer,
      IDP_CLIENT_ID: API.id,
      IDP_CLIENT_SECRET: API.secret,
      IDP_REQUIRE_ORGANISATION: 'off',
    });
  };
  const seen = async (claims: Record<string, unknown>): Promise<string> => {
    const answer = await fetch(`${server.url}/v2/auth/me`, {
      headers: { authorization: `Bearer ${await idp.token(claims)}` },
    });
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { sub: string }).sub;
  };

  it.each([
    ['by its roles', (sub: string) => keycloak(sub, ['admin'])],
    ['in the organisation that it names at last', (sub: string) => zitadel(sub, ['admin'])],
  ])(
    req('CRED-06', 'keeps no password and no link that others have laid by, raised %s'),
    async (_how, raised) => {
      await withProvider(true);
      const [first, second] = [crypto.randomUUID(), crypto.randomUUID()];
      const ids = [await seen(keycloak(first, ['readonly'])), await seen(keycloak(second, ['readonly']))];
      await withProvider(false);
      const admin = await server.signIn();
      const made = await admin.post('/v2/auth/api-keys', {
        name: 'narrow',
        permissions: [...ROLE_PERMISSIONS.readonly, 'users:manage'],
      });
      const narrow = createClient(() => server.url, made.json<{ key: string }>().key);
      const links = await Promise.all(
        ids.map(async (id) => {
          const link = await narrow.post(`/v2/users/${id}/password-reset`);
          expect(link.status, link.text).toBe(200);
          return link.json<{ url: string }>().url.split('/').at(-1) ?? '';
        }),
      );
      const redeem = async (token = ''): Promise<number> =>
        (await server.anonymous().post('/v2/auth/password/reset', { token, password: PASSWORD })).status;
      expect(await redeem(links[0])).toBe(204);
      // What such an account has in place of an address.
      const signs = async (sub: string): Promise<number> =>
        (
          await server
            .anonymous()
            .post('/v2/auth/login', { email: `external:${idp.issuer}|${sub}`, password: PASSWORD })
        ).status;
      expect(await signs(first)).toBe(200);
      await withProvider(true);
      for (const sub of [first, second]) await seen(raised(sub));
      await withProvider(false);
      expect(await signs(first)).toBe(401);
      expect(await redeem(links[1])).toBe(404);
    },
    120_000,
  );
});
