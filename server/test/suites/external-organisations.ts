import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Db } from '../../src/db/db.ts';
import { req } from '../requirements.ts';
import { API, type ExternalIdp, startExternalIdp } from '../support/external-idp.ts';
import { type IdentityServer, startIdentityServer } from '../support/identity-server.ts';

/** Contract 15, external roles: organisations of Zitadel and Keycloak, platform administrators, and moves between tenants. */

const ACME = '280123456789012345';
const OWNER = 'urn:zitadel:iam:user:resourceowner';
const ROLES = 'urn:zitadel:iam:org:project:roles';

const roleMap = (roles: string[], organisation: string) =>
  Object.fromEntries(roles.map((role) => [role, { [organisation]: 'acme.zitadel.test' }]));

/** What Zitadel puts into a token that was asked for without the scope of the resource owner. */
const zitadelWithout = (sub: string, roles: string[], organisation = ACME) => ({
  sub,
  name: 'Zita Del',
  [ROLES]: roleMap(roles, organisation),
  'urn:zitadel:iam:org:project:77:roles': roleMap(roles, organisation),
});

const zitadel = (sub: string, roles: string[], organisation = ACME) => ({
  ...zitadelWithout(sub, roles, organisation),
  [`${OWNER}:id`]: organisation,
  [`${OWNER}:name`]: 'ACME Ltd',
  [`${OWNER}:primary_domain`]: 'acme.zitadel.test',
});

const keycloak = (sub: string, roles: string[], organization?: unknown, scope = 'openid profile') => ({
  sub,
  typ: 'Bearer',
  azp: 'web',
  preferred_username: sub,
  scope,
  realm_access: { roles: ['offline_access', ...roles] },
  ...(organization === undefined ? {} : { organization }),
});

export const externalOrganisationsSuite = (name: string, open?: () => Promise<Db>): void => {
  describe(`organisations of an external provider on ${name}`, () => {
    let idp: ExternalIdp;
    beforeAll(async () => {
      idp = await startExternalIdp();
    });
    afterAll(() => idp.close());

    const withServer = async (
      config: Record<string, unknown>,
      work: (server: IdentityServer, tools: ReturnType<typeof toolsOf>) => Promise<void>,
    ): Promise<void> => {
      const server = await startIdentityServer(
        { IDP_URL: idp.issuer, IDP_CLIENT_ID: API.id, IDP_CLIENT_SECRET: API.secret, ...config },
        open,
      );
      try {
        await work(server, toolsOf(server));
      } finally {
        await server.close();
      }
    };

    const toolsOf = (server: IdentityServer) => {
      const call = async (token: string, method: string, path: string, body?: unknown) => {
        const answer = await fetch(server.url + path, {
          method,
          headers: {
            authorization: `Bearer ${token}`,
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const text = await answer.text();
        const parsed: unknown = text === '' ? {} : JSON.parse(text);
        return { status: answer.status, body: parsed as Record<string, unknown> };
      };
      return {
        call,
        me: (token: string) => call(token, 'GET', '/v2/auth/me'),
        meBy: async (claims: Record<string, unknown>, format: 'jwt' | 'opaque' = 'jwt') =>
          call(await idp.token(claims, format), 'GET', '/v2/auth/me'),
        tenants: () => server.db.read.selectFrom('tenants').selectAll().execute(),
        actions: async (target: string) =>
          (
            await server.db.read
              .selectFrom('audit_events')
              .select('action')
              .where('target_id', '=', target)
              .execute()
          ).map((row) => row.action),
      };
    };

    for (const format of ['jwt', 'opaque'] as const) {
      it(
        req(
          'AUTH-15',
          `gives no role and no platform to who leaves the organisation out of the token (${format})`,
        ),
        () =>
          withServer({ IDP_REQUIRE_ORGANISATION: 'off' }, async (_server, { meBy }) => {
            const { status, body } = await meBy(zitadelWithout('1', ['admin', 'operator']), format);
            expect(status).toBe(200);
            expect(body).toMatchObject({ roles: [], platform_admin: false });
            expect(body.permissions).toEqual([]);
          }),
      );
    }

    it(req('AUTH-15', 'makes nobody a platform administrator by the role admin, in no form of claims'), () =>
      withServer({ IDP_REQUIRE_ORGANISATION: 'off' }, async (_server, { call }) => {
        for (const claims of [
          keycloak('k1', ['admin']),
          { sub: 'p1', roles: ['admin'] },
          { sub: 'p2', roles: ['admin'], permissions: ['tenants:manage', 'users:manage'] },
          { ...keycloak('k2', []), resource_access: { [API.id]: { roles: ['admin'] } } },
        ]) {
          const token = await idp.token(claims);
          const me = await call(token, 'GET', '/v2/auth/me');
          expect(me.body).toMatchObject({ roles: ['admin'], platform_admin: false });
          expect((await call(token, 'GET', '/v2/tenants')).status).toBe(403);
          expect((await call(token, 'POST', '/v2/tenants', { name: 'T', slug: 't-1' })).status).toBe(403);
          const key = await call(token, 'POST', '/v2/auth/api-keys', { name: 'k' });
          expect(key.status).toBe(201);
          expect((await call(String(key.body.key), 'GET', '/v2/tenants')).status).toBe(403);
        }
      }),
    );

    it(
      req('AUTH-15', 'takes platform administrators from the setting: by subject, or by a role of its own'),
      () =>
        withServer({ IDP_PLATFORM_ADMINS: ['root-1', 'role:pentarch-platform'] }, async (_server, tools) => {
          const { call, meBy } = tools;
          const token = await idp.token(zitadel('root-1', []));
          const me = await call(token, 'GET', '/v2/auth/me');
          expect(me.body).toMatchObject({ roles: ['admin'], platform_admin: true });
          expect((await call(token, 'GET', '/v2/tenants')).status).toBe(200);
          const key = await call(token, 'POST', '/v2/auth/api-keys', { name: 'k' });
          expect((await call(String(key.body.key), 'GET', '/v2/tenants')).status).toBe(200);
          // An organisation is required by now, and who runs the platform need not have one.
          expect((await meBy({ sub: 'root-1' })).body).toMatchObject({ platform_admin: true });
          expect((await meBy(keycloak('ops', ['pentarch-platform']))).body).toMatchObject({
            platform_admin: true,
            roles: ['admin'],
          });
          expect((await meBy(zitadel('other', ['admin', 'pentarch-platform'], '999'))).body).toMatchObject({
            platform_admin: true,
          });
          // Given for another organisation than the person's own.
          const foreign = { ...zitadel('spy', []), [ROLES]: roleMap(['pentarch-platform'], '999') };
          expect((await meBy(foreign)).body).toMatchObject({ platform_admin: false });
        }),
    );

    it(req('AUTH-16', 'asks for an organisation as soon as one has a tenant here, and says what to do'), () =>
      withServer({}, async (_server, { meBy, me }) => {
        const early = await idp.token(keycloak('early', ['user']));
        expect((await me(early)).status).toBe(200);
        expect((await meBy(zitadel('1', ['user']))).status).toBe(200);
        const late = await meBy(zitadelWithout('2', ['admin']));
        expect(late).toMatchObject({
          status: 403,
          body: { code: 'FORBIDDEN', details: { reason: 'ORGANISATION_REQUIRED' } },
        });
        expect(JSON.stringify(late.body)).toContain('IDP_SCOPES');
        // The right token of the same person is taken all the same.
        expect((await meBy(zitadel('2', ['analyst']))).body).toMatchObject({ roles: ['analyst'] });
      }),
    );

    it(req('AUTH-16', 'does not go on with a token that came before the first organisation'), () =>
      withServer({}, async (server, { meBy, me }) => {
        const early = await idp.token(keycloak('early', ['user']));
        expect((await me(early)).status).toBe(200);
        await meBy(zitadel('1', ['user']));
        server.clock.advance(6_000);
        expect((await me(early)).status).toBe(403);
      }),
    );

    it(
      req('AUTH-16', 'asks for one at once where the setting says so, and never where it says off'),
      async () => {
        await withServer({ IDP_REQUIRE_ORGANISATION: 'on' }, async (_server, { meBy }) => {
          expect((await meBy(keycloak('1', ['user']))).status).toBe(403);
        });
        await withServer({ IDP_REQUIRE_ORGANISATION: 'off' }, async (_server, { meBy }) => {
          expect((await meBy(zitadel('1', ['user']))).status).toBe(200);
          expect((await meBy(keycloak('2', ['user']))).status).toBe(200);
        });
      },
    );

    it(req('AUTH-16', 'takes the right token after a wrong one, into the organisation that it names'), () =>
      withServer({ IDP_REQUIRE_ORGANISATION: 'off' }, async (server, { call, meBy, tenants, actions }) => {
        const wrong = await idp.token(zitadelWithout('1', ['admin']));
        const before = await call(wrong, 'GET', '/v2/auth/me');
        const right = await meBy(zitadel('1', ['operator']));
        expect(right.status).toBe(200);
        expect(right.body).toMatchObject({ roles: ['operator'], platform_admin: false });
        expect(right.body.sub).not.toBe(before.body.sub);
        const acme = (await tenants()).find(({ slug }) => slug !== 'default');
        expect(right.body.org_id).toBe(acme?.id);
        expect(await actions(String(before.body.sub))).toContain('user.moved');
        expect(await actions(String(right.body.sub))).toContain('user.moved');
        // The same again, from many requests at once.
        const wrongs = await meBy(zitadelWithout('2', []));
        const all = await Promise.all(
          Array.from({ length: 6 }, async () =>
            call(await idp.token(zitadel('2', ['user'])), 'GET', '/v2/auth/me'),
          ),
        );
        expect(new Set(all.map(({ status, body }) => `${status} ${String(body.sub)}`)).size).toBe(1);
        expect(all[0]?.status).toBe(200);
        expect(all[0]?.body.sub).not.toBe(wrongs.body.sub);
        const people = await server.db.read
          .selectFrom('users')
          .select(['status'])
          .where('external_id', 'is not', null)
          .execute();
        expect(people).toHaveLength(2);
      }),
    );

    it('keeps out whom an administrator has deactivated, by whichever organisation', () =>
      withServer({ IDP_REQUIRE_ORGANISATION: 'off' }, async (server, { meBy }) => {
        const { body } = await meBy(zitadelWithout('1', []));
        await server.db.write((tx) =>
          tx.updateTable('users').set({ status: 'deactivated' }).where('id', '=', String(body.sub)).execute(),
        );
        expect((await meBy(zitadel('1', ['admin']))).status).toBe(401);
      }));

    it('takes the organisation of Keycloak that the token asks for, and none of several that nobody chose', () =>
      withServer({}, async (_server, { meBy, tenants }) => {
        const both = { other: { id: 'id-41' }, acme: { id: 'id-42' } };
        const chosen = await meBy(keycloak('1', ['user'], both, 'openid organization:acme'));
        expect(chosen.status).toBe(200);
        const list = await tenants();
        expect(list.find(({ id }) => id === chosen.body.org_id)?.external_id).toBe(`${idp.issuer}|id-42`);
        expect((await meBy(keycloak('2', ['user'], { acme: { id: 'id-42' } }))).body.org_id).toBe(
          chosen.body.org_id,
        );
        for (const organization of [both, ['other', 'acme']]) {
          const refused = await meBy(keycloak('3', ['admin'], organization, 'openid organization:*'));
          expect(refused).toMatchObject({
            status: 403,
            body: { details: { reason: 'ORGANISATION_REQUIRED' } },
          });
          expect(JSON.stringify(refused.body)).toContain('organization:<alias>');
        }
      }));

    it(
      req(
        'AUTH-16',
        'moves a person whom the provider has given to another organisation, by an administrator',
      ),
      () =>
        withServer({ IDP_PLATFORM_ADMINS: ['root'] }, async (_server, { call, meBy, actions }) => {
          const root = await idp.token({ sub: 'root' });
          const boss = await idp.token(zitadel('boss', ['admin']));
          const token = await idp.token(zitadel('1', ['operator']));
          const before = await call(token, 'GET', '/v2/auth/me');
          const key = await call(token, 'POST', '/v2/auth/api-keys', { name: 'k' });
          const there = await meBy(zitadel('2', ['user'], '999'));
          const refused = await meBy(zitadel('1', ['analyst'], '999'));
          expect(refused).toMatchObject({
            status: 403,
            body: { details: { reason: 'OTHER_ORGANISATION', user_id: before.body.sub } },
          });
          const path = `/v2/users/${String(before.body.sub)}/move`;
          const target = { tenant_id: there.body.org_id, roles: ['user'] };
          expect((await call(boss, 'POST', path, target)).status).toBe(403);
          expect(
            (await call(boss, 'POST', path.replace(/[^/]*\/move/, `${String(there.body.sub)}/move`), target))
              .status,
          ).toBe(404);
          const moved = await call(root, 'POST', path, target);
          expect(moved).toMatchObject({
            status: 201,
            body: {
              tenant_id: there.body.org_id,
              roles: ['user'],
              moved_from: before.body.sub,
              status: 'active',
            },
          });
          expect((await meBy(zitadel('1', ['analyst'], '999'))).body).toMatchObject({
            sub: moved.body.id,
            org_id: there.body.org_id,
            roles: ['analyst'],
          });
          // Nothing of the account before opens a door.
          expect((await call(String(key.body.key), 'GET', '/v2/auth/me')).status).toBe(401);
          expect((await meBy(zitadel('1', ['operator']))).status).toBe(403);
          const left = await call(boss, 'GET', `/v2/users/${String(before.body.sub)}`);
          expect(left.body).toMatchObject({ status: 'deactivated', tenant_id: before.body.org_id });
          const revived = await call(boss, 'PATCH', `/v2/users/${String(before.body.sub)}`, {
            status: 'active',
          });
          expect(revived.status).toBe(409);
          expect((await call(root, 'POST', path, target)).status).toBe(409);
          expect(await actions(String(before.body.sub))).toContain('user.moved');
          expect(await actions(String(moved.body.id))).toContain('user.moved');
        }),
    );

    it(
      req('AUTH-16', 'refuses a token whose organisation it cannot read, and puts nobody into default by it'),
      () =>
        withServer({ IDP_REQUIRE_ORGANISATION: 'off' }, async (server, { meBy, tenants }) => {
          const unreadable = [
            keycloak('1', ['admin'], 42),
            keycloak('1', ['admin'], ['acme', 7]),
            keycloak('1', ['admin'], { acme: { id: 7 } }),
            { sub: '1', roles: ['admin'], org_id: 42 },
            { ...zitadel('1', ['admin']), [`${OWNER}:id`]: Number(ACME) },
          ];
          for (const claims of unreadable) {
            expect(await meBy(claims)).toMatchObject({
              status: 403,
              body: { details: { reason: 'ORGANISATION_REQUIRED' } },
            });
          }
          const people = server.db.read.selectFrom('users').select('id').where('external_id', 'is not', null);
          expect(await people.execute()).toEqual([]);
          // Keycloak's mapper for one value writes the alias by itself.
          const alone = await meBy(keycloak('2', ['user'], 'acme'));
          const listed = await meBy(keycloak('3', ['user'], ['acme']));
          expect(alone.body.org_id).toBe(listed.body.org_id);
          expect((await tenants()).find(({ id }) => id === alone.body.org_id)?.slug).not.toBe('default');
        }),
    );

    it(
      req('AUTH-16', 'lets a person whom an administrator moved to default go nowhere by a token of before'),
      () =>
        withServer({ IDP_PLATFORM_ADMINS: ['root'] }, async (_server, { call, meBy }) => {
          const root = await idp.token({ sub: 'root' });
          const { body: rootMe } = await call(root, 'GET', '/v2/auth/me');
          await meBy(zitadel('boss', ['admin']));
          const { body: before } = await meBy(zitadel('1', ['operator']));
          const path = `/v2/users/${String(before.sub)}/move`;
          const moved = await call(root, 'POST', path, { tenant_id: rootMe.org_id });
          expect(moved.status).toBe(201);
          for (let i = 0; i < 2; i++) {
            expect(await meBy(zitadel('1', ['operator']))).toMatchObject({
              status: 403,
              body: { details: { reason: 'OTHER_ORGANISATION', user_id: moved.body.id } },
            });
          }
        }),
    );

    it(
      req('AUTH-15', 'never gives roles back by a token that is older than the one that took them away'),
      () =>
        withServer({}, async (server, { call }) => {
          const now = Math.floor(server.clock.now() / 1000);
          const tokenOf = (roles: string[], age: number) =>
            idp.token({ ...zitadel('1', roles), iat: now - age });
          // Two that the person has kept from when they were an administrator; the second is shown here for the first time later.
          const [first, kept] = [await tokenOf(['admin'], 300), await tokenOf(['admin'], 290)];
          expect((await call(first, 'GET', '/v2/auth/me')).body).toMatchObject({ roles: ['admin'] });
          const key = await call(first, 'POST', '/v2/auth/api-keys', { name: 'k' });
          const rolesBy = async (token: string) => (await call(token, 'GET', '/v2/auth/me')).body.roles;
          expect(await rolesBy(await tokenOf(['user'], 5))).toEqual(['user']);
          expect(await rolesBy(kept)).toEqual(['user']);
          expect(await rolesBy(String(key.body.key))).toEqual(['user']);
          // A newer one gives them again.
          expect(await rolesBy(await tokenOf(['operator'], 0))).toEqual(['operator']);
        }),
    );

    it('moves a person by an older token with no more roles than the newest one gave', () =>
      withServer({ IDP_REQUIRE_ORGANISATION: 'off' }, async (server, { meBy }) => {
        const now = Math.floor(server.clock.now() / 1000);
        expect((await meBy({ ...zitadelWithout('1', []), iat: now - 5 })).body.roles).toEqual([]);
        const placed = await meBy({ ...zitadel('1', ['admin']), iat: now - 100 });
        expect(placed).toMatchObject({ status: 200, body: { roles: [] } });
        expect((await meBy({ ...zitadel('1', ['user']), iat: now })).body.roles).toEqual(['user']);
      }));

    it('counts no permission of a token that leaves out the organisation which its roles name', () =>
      withServer({ IDP_REQUIRE_ORGANISATION: 'off' }, async (_server, { meBy }) => {
        const permissions = ['users:manage', 'tenants:manage'];
        expect((await meBy({ ...zitadelWithout('1', ['admin']), permissions })).body.permissions).toEqual([]);
      }));

    it('refuses moves to nowhere, to the same tenant, of services, of the last admin and of oneself', () =>
      withServer({ IDP_PLATFORM_ADMINS: ['root'] }, async (_server, { call, meBy }) => {
        const root = await idp.token({ sub: 'root' });
        const me = await call(root, 'GET', '/v2/auth/me');
        const boss = await meBy(zitadel('boss', ['admin']));
        const other = await meBy(zitadel('2', ['user'], '999'));
        const service = await call(root, 'POST', '/v2/users', { email: 'bot@example.test', type: 'service' });
        const to = (id: unknown, tenantId: unknown) =>
          call(root, 'POST', `/v2/users/${String(id)}/move`, { tenant_id: tenantId });
        expect((await to(boss.body.sub, crypto.randomUUID())).status).toBe(422);
        expect((await to(crypto.randomUUID(), other.body.org_id)).status).toBe(404);
        expect((await to(other.body.sub, other.body.org_id)).status).toBe(409);
        expect((await to(service.body.id, other.body.org_id)).status).toBe(409);
        expect((await to(boss.body.sub, other.body.org_id)).status).toBe(409);
        expect((await to(me.body.sub, other.body.org_id)).status).toBe(409);
      }));
  });
};
