import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import { type Client, createClient } from '../../../test/support/client.ts';
import { API, type ExternalIdp, startExternalIdp } from '../../../test/support/external-idp.ts';
import { startServer, type TestServer } from '../../../test/support/server.ts';

/** People whom a directory has made, when they sign in at the external provider (docs/security.md). */

const SCIM = { 'content-type': 'application/scim+json' };

interface Me {
  sub: string;
  name: string;
  email: string;
  roles: string[];
  org_id: string;
}
interface Person {
  id: string;
  active: boolean;
}

let idp: ExternalIdp;
let server: TestServer;
let boss: Client;
let directory: Client;
let unique = 0;

const bearer = async (claims: Record<string, unknown>): Promise<Client> =>
  createClient(() => server.url, await idp.token(claims));
const me = async (claims: Record<string, unknown>) => (await bearer(claims)).get('/v2/auth/me');
const scim = (method: string, path: string, body?: unknown, client = directory) =>
  client.send(method, `/scim/v2${path}`, body === undefined ? undefined : JSON.stringify(body), {
    headers: body === undefined ? {} : SCIM,
  });
const keyOf = async (client: Client): Promise<Client> => {
  const made = await client.post('/v2/auth/api-keys', { name: 'directory', permissions: ['scim:manage'] });
  expect(made.status).toBe(201);
  return createClient(() => server.url, made.json<{ key: string }>().key);
};
const provision = async (more: Record<string, unknown> = {}, client = directory) => {
  unique += 1;
  const userName = `person${unique}@corp.example`;
  const answer = await scim('POST', '/Users', { userName, displayName: `Person ${unique}`, ...more }, client);
  expect(answer.status).toBe(201);
  return { ...answer.json<Person>(), userName };
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
  expect((await boss.get('/v2/auth/me')).status).toBe(200);
  directory = await keyOf(boss);
});
afterAll(async () => {
  await server?.close();
  await idp?.close();
});

describe('who was provisioned and signs in', () => {
  it(req('SCIM-08', 'is found by the id that the directory has for them'), async () => {
    const person = await provision({ externalId: 'sub-1', displayName: 'From the directory' });
    const claims = { sub: 'sub-1', name: 'From the token', email: 'other@corp.example' };
    const answer = await me(claims);
    expect([answer.status, answer.body]).toMatchObject([
      200,
      { name: 'From the directory', email: person.userName },
    ]);
    const again = await me({ ...claims, name: 'Renamed in the token', jti: 'second' });
    expect(again.json<Me>()).toMatchObject({ sub: answer.json<Me>().sub, name: 'From the directory' });
    await scim('PATCH', `/Users/${person.id}`, { Operations: [{ op: 'replace', value: { active: false } }] });
    expect((await me({ ...claims, jti: 'third' })).status).toBe(401);
  });

  it(req('SCIM-08', 'is found by a proved address, and by no other'), async () => {
    const person = await provision();
    const claimed = await me({ sub: 'thief', name: 'Thief', email: person.userName });
    const unproved = await me({ sub: 'thief-2', email: person.userName, email_verified: 'true' });
    expect([claimed.json<Me>().name, unproved.json<Me>().name]).not.toContain(`Person ${unique}`);
    const proved = await me({ sub: 'owner', email: person.userName.toUpperCase(), email_verified: true });
    expect(proved.json<Me>()).toMatchObject({ name: `Person ${unique}` });
    // From now on by the subject: whoever has the address later is somebody else.
    const later = await me({ sub: 'heir', email: person.userName, email_verified: true });
    expect(later.json<Me>().sub).not.toBe(proved.json<Me>().sub);
  });

  it(req('SCIM-09', 'is not another whom the key has named in place of an administrator'), async () => {
    const person = await provision({ externalId: 'sub-new-admin' });
    const found = await boss.get(`/v2/users?q=${encodeURIComponent(person.userName)}`);
    const [account] = found.json<{ items: { id: string }[] }>().items;
    expect((await boss.patch(`/v2/users/${account?.id}`, { roles: ['admin'] })).status).toBe(200);
    await me({ sub: 'sub-attacker-known', name: 'Known' });
    for (const externalId of ['sub-attacker', 'sub-attacker-known']) {
      const patch = { Operations: [{ op: 'replace', path: 'externalId', value: externalId }] };
      expect((await scim('PATCH', `/Users/${person.id}`, patch)).status).toBe(403);
      const put = { userName: person.userName, displayName: 'Put', externalId };
      expect((await scim('PUT', `/Users/${person.id}`, put)).status).toBe(403);
      const answer = await me({ sub: externalId, name: 'Attacker', jti: `again-${externalId}` });
      expect([answer.status, answer.json<Me>().roles]).toEqual([200, ['user']]);
    }
    const own = await me({ sub: 'sub-new-admin', name: 'Token' });
    expect(own.json<Me>().sub).toBe(account?.id);
  });

  it(req('SCIM-09', 'keeps an account that may do more, whomever the key names by their id'), async () => {
    const claims = { sub: 'sub-operator', name: 'Operator', roles: ['operator'] };
    const before = (await me(claims)).json<Me>();
    const person = await provision({ displayName: 'Taken' });
    const patch = { Operations: [{ op: 'replace', path: 'externalId', value: 'sub-operator' }] };
    expect((await scim('PATCH', `/Users/${person.id}`, patch)).status).toBe(200);
    const after = await me({ ...claims, jti: 'after' });
    expect(after.json<Me>()).toMatchObject({ sub: before.sub, name: 'Operator', roles: ['operator'] });
    const off = { Operations: [{ op: 'replace', path: 'active', value: false }] };
    expect((await scim('PATCH', `/Users/${person.id}`, off)).status).toBe(200);
    expect((await me({ ...claims, jti: 'off' })).status).toBe(200);
  });

  it('is refused where the directory has switched them off before', async () => {
    await provision({ externalId: 'sub-off', active: false });
    expect((await me({ sub: 'sub-off', name: 'Off' })).status).toBe(401);
  });

  it('is refused after the directory has removed them, and comes back as somebody new', async () => {
    const person = await provision({ externalId: 'sub-gone' });
    const first = (await me({ sub: 'sub-gone', name: 'Gone' })).json<Me>();
    expect((await scim('DELETE', `/Users/${person.id}`)).status).toBe(204);
    expect((await me({ sub: 'sub-gone', name: 'Gone', jti: 'again' })).status).toBe(401);
    await provision({ externalId: 'sub-gone', displayName: 'Back' });
    const back = await me({ sub: 'sub-gone', name: 'Gone', jti: 'back' });
    expect([back.status, back.json<Me>().name, back.json<Me>().sub === first.sub]).toEqual([
      200,
      'Back',
      false,
    ]);
  });

  it('goes on with the account that they have had before the directory came', async () => {
    const claims = { sub: 'early', name: 'Early', email: 'early@corp.example', email_verified: true };
    const before = (await me(claims)).json<Me>();
    const person = await provision({ userName: 'early@corp.example', displayName: 'Early Bird' });
    const after = (await me({ ...claims, jti: 'after' })).json<Me>();
    expect(after).toMatchObject({ sub: before.sub, name: 'Early Bird' });
    const known = (await me({ sub: 'earlier', name: 'Earlier', email: 'earlier@corp.example' })).json<Me>();
    const adopted = await provision({ userName: 'earlier@corp.example', externalId: 'earlier' });
    for (const { id } of [person, adopted])
      await scim('PATCH', `/Users/${id}`, { Operations: [{ op: 'replace', path: 'active', value: false }] });
    expect((await me({ ...claims, jti: 'off' })).status).toBe(401);
    expect((await me({ sub: 'earlier', name: known.name, jti: 'off' })).status).toBe(401);
  });

  it(req('SCIM-08', 'is not captured by the directory of another tenant'), async () => {
    const organisation = (id: string) => ({
      'urn:zitadel:iam:user:resourceowner:id': id,
      'urn:zitadel:iam:user:resourceowner:name': id,
      'urn:zitadel:iam:org:project:roles': { admin: { [id]: 'x' } },
    });
    const rogue = await bearer({ sub: 'rogue', name: 'Rogue', ...organisation('rogue-org') });
    const theirs = await keyOf(rogue);
    await provision({ userName: 'victim@corp.example', externalId: 'victim' }, theirs);
    const victim = await me({ sub: 'victim', name: 'V', email: 'victim@corp.example', email_verified: true });
    const rogueTenant = (await rogue.get('/v2/auth/me')).json<Me>().org_id;
    expect(victim.json<Me>().org_id).not.toBe(rogueTenant);
    // Where the token leads to that tenant it is theirs.
    const own = await me({ sub: 'victim-2', name: 'W', ...organisation('rogue-org') });
    expect(own.json<Me>().org_id).toBe(rogueTenant);
  });

  it('has the roles of groups in place of those of the token, once groups give any', async () => {
    const person = await provision({ externalId: 'sub-roles' });
    const claims = { sub: 'sub-roles', name: 'R', roles: ['analyst'] };
    expect((await me(claims)).json<Me>().roles).toEqual(['analyst']);
    const group = await scim('POST', '/Groups', { displayName: 'Ops', members: [{ value: person.id }] });
    const put = await boss.put(`/v2/directory/groups/${group.json<Person>().id}/roles`, {
      roles: ['operator'],
    });
    expect(put.status).toBe(200);
    expect((await me({ ...claims, jti: 'later' })).json<Me>().roles).toEqual(['operator']);
  });
});
