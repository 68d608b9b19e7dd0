import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import { type Client, createClient } from '../../../test/support/client.ts';
import { API, type ExternalIdp, startExternalIdp } from '../../../test/support/external-idp.ts';
import { startServer, type TestServer } from '../../../test/support/server.ts';

/** A tenant keeps an administrator who can sign in, whoever takes them away, and when. */

const ROUNDS = 3;

let idp: ExternalIdp;
let server: TestServer;
let boss: Client;
let directory: Client;
let unique = 0;

const bearer = async (claims: Record<string, unknown>): Promise<Client> =>
  createClient(() => server.url, await idp.token(claims));
const scim = (method: string, path: string, body: unknown) =>
  directory.send(method, `/scim/v2${path}`, JSON.stringify(body), {
    headers: { 'content-type': 'application/scim+json' },
  });
const switched = (id: string, active: boolean) =>
  scim('PATCH', `/Users/${id}`, { Operations: [{ op: 'replace', value: { active } }] });
const setRoles = (id: string, roles: string[], client = boss) => client.patch(`/v2/users/${id}`, { roles });

/** Somebody of the directory, made an admin; `signsIn` says whether they have ever come. */
const admin = async (signsIn: boolean) => {
  unique += 1;
  const sub = `sub-${unique}`;
  const userName = `admin${unique}@corp.example`;
  const made = await scim('POST', '/Users', { userName, externalId: sub, displayName: `Admin ${unique}` });
  const { id } = made.json<{ id: string }>();
  const found = await boss.get(`/v2/users?q=${encodeURIComponent(userName)}`);
  const userId = found.json<{ items: { id: string }[] }>().items[0]?.id ?? '';
  const client = await bearer({ sub, name: `Admin ${unique}`, email: userName });
  if (signsIn) expect((await client.get('/v2/auth/me')).status).toBe(200);
  expect((await setRoles(userId, ['admin'])).status).toBe(200);
  return { id, userId, client };
};

beforeAll(async () => {
  idp = await startExternalIdp();
  server = await startServer({
    env: {
      IDP_URL: idp.issuer,
      IDP_CLIENT_ID: API.id,
      IDP_CLIENT_SECRET: API.secret,
      IDP_REQUIRE_ORGANISATION: 'off',
      IDP_PLATFORM_ADMINS: 'root',
    },
  });
  boss = await bearer({ sub: 'root', name: 'Root', roles: ['admin'] });
  const me = await boss.get('/v2/auth/me');
  expect(me.status).toBe(200);
  const made = await boss.post('/v2/auth/api-keys', { name: 'directory', permissions: ['scim:manage'] });
  directory = createClient(() => server.url, made.json<{ key: string }>().key);
});
afterAll(async () => {
  await server?.close();
  await idp?.close();
});

describe(req('USER-01', 'the last administrator'), () => {
  it('stays when two are taken away at the same time, by the directory, by an administrator, or by both', async () => {
    const first = await admin(true);
    const second = await admin(true);
    const list = await boss.get('/v2/users?limit=100');
    const items = list.json<{ items: { id: string; roles: string[]; status: string }[] }>().items;
    const others = items.filter(
      ({ id, roles, status }) =>
        roles.includes('admin') && status === 'active' && ![first.userId, second.userId].includes(id),
    );
    // `boss` administers the platform by its token, whatever its roles here.
    for (const { id } of others) expect((await setRoles(id, ['user'])).status).toBe(200);
    const demote = (who: { userId: string }) => setRoles(who.userId, ['user']);
    const off = (who: { id: string }) => switched(who.id, false);
    const ways = [
      [demote, demote],
      [off, off],
      [off, demote],
    ] as const;
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [one, other] of ways) {
        const answers = await Promise.all([one(first), other(second)]);
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
        for (const each of [first, second]) {
          const again = await switched(each.id, true);
          expect(again.status, again.text).toBe(200);
          expect((await setRoles(each.userId, ['admin'])).status).toBe(200);
        }
      }
  });

  it('is not one who has never signed in', async () => {
    const list = await boss.get('/v2/users?limit=100');
    const admins = list
      .json<{ items: { id: string; roles: string[]; status: string }[] }>()
      .items.filter(({ roles, status }) => roles.includes('admin') && status === 'active');
    const waiting = await admin(false);
    const last = admins.pop();
    for (const { id } of admins) expect((await setRoles(id, ['user'])).status).toBe(200);
    expect((await setRoles(last?.id ?? '', ['user'])).status).toBe(409);
    expect((await waiting.client.get('/v2/auth/me')).status).toBe(200);
    expect((await setRoles(last?.id ?? '', ['user'])).status).toBe(200);
  });
});
