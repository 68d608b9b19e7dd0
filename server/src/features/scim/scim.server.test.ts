import { describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import { type Answer, type Client, createClient } from '../../../test/support/client.ts';
import { newPerson } from '../../../test/support/shapes.ts';
import { withServer } from '../../../test/support/suite.ts';

/** People and groups as directories send them: Entra ID, Okta, Keycloak and JumpCloud, each in its dialect. */

const it = withServer();

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const SCIM = { 'content-type': 'application/scim+json' };

interface Found {
  totalResults: number;
  startIndex: number;
  itemsPerPage: number;
  Resources: Person[];
}
interface Person {
  id: string;
  userName: string;
  displayName?: string;
  externalId?: string;
  active: boolean;
  emails?: { value: string; type?: string; primary?: boolean }[];
  groups?: { value: string; display: string }[];
  members?: { value: string }[];
  name?: Record<string, string>;
  meta: { version: string; location: string };
  [extension: string]: unknown;
}
interface Fault {
  schemas: string[];
  status: string;
  scimType?: string;
  detail: string;
}
interface Account {
  id: string;
  email: string;
  name: string;
  roles: string[];
  status: string;
}

let unique = 0;
const fresh = (word: string): string => {
  unique += 1;
  return `${word}-${unique}`;
};

/** A client with a directory's key, which sends what directories send. */
const directoryOf = async (admin: Client, url: string) => {
  const key = await admin.post('/v2/auth/api-keys', { name: 'directory', permissions: ['scim:manage'] });
  expect(key.status).toBe(201);
  const client = createClient(() => url, key.json<{ key: string }>().key);
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    client.send(method, `/scim/v2${path}`, body === undefined ? undefined : JSON.stringify(body), {
      headers: { ...(body === undefined ? {} : SCIM), ...headers },
    });
  const find = async (filter: string): Promise<Found> => {
    const answer = await send('GET', `/Users?filter=${encodeURIComponent(filter)}`);
    expect([filter, answer.status]).toEqual([filter, 200]);
    return answer.json<Found>();
  };
  return {
    client,
    send,
    find,
    patch: (path: string, ...Operations: unknown[]) =>
      send('PATCH', path, { schemas: [PATCH_OP], Operations }),
    async add(more: Record<string, unknown> = {}): Promise<Person> {
      const userName = `${fresh('person')}@corp.example`;
      const answer = await send('POST', '/Users', { schemas: [USER], userName, active: true, ...more });
      expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
      return answer.json<Person>();
    },
    async group(members: Person[] = [], displayName = fresh('Group')): Promise<Person> {
      const answer = await send('POST', '/Groups', {
        schemas: [GROUP],
        displayName,
        externalId: displayName,
        members: members.map(({ id }) => ({ value: id })),
      });
      expect(answer.status).toBe(201);
      return answer.json<Person>();
    },
  };
};

type Directory = Awaited<ReturnType<typeof directoryOf>>;

const expectFault = (answer: Answer, status: number, scimType?: string): Fault => {
  expect([answer.status, answer.headers.get('content-type')?.split(';')[0]]).toEqual([
    status,
    'application/scim+json',
  ]);
  const fault = answer.json<Fault>();
  expect(fault).toMatchObject({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    detail: expect.stringMatching(/\S/),
  });
  expect(fault.scimType).toBe(scimType);
  return fault;
};

const accountOf = async (admin: Client, email: string, q = email): Promise<Account> => {
  const page = (await admin.get(`/v2/users?q=${encodeURIComponent(q)}`)).json<{ items: Account[] }>();
  const found = page.items.find((account) => account.email === email);
  if (found === undefined) throw new Error(`no account ${email}`);
  return found;
};

let admin: Client;
let directory: Directory;
let url: string;
let log: () => readonly Record<string, unknown>[];

it.beforeAll(async ({ world }) => {
  admin = world.admin;
  url = world.server.url;
  log = () => world.server.log;
  directory = await directoryOf(admin, url);
});

describe('people by SCIM', () => {
  it(req('SCIM-01', 'are created, found by what directories ask, changed and removed'), async () => {
    const externalId = fresh('00u');
    const made = await directory.send('POST', '/Users', {
      schemas: [USER, ENTERPRISE],
      userName: 'Ada.Lovelace@corp.example',
      externalId,
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      emails: [{ primary: true, type: 'work', value: 'ada.lovelace@corp.example' }],
      active: true,
      password: 'not kept',
      addresses: [{ type: 'work', locality: 'London' }],
      [ENTERPRISE]: { department: 'Engines', employeeNumber: 7 },
      groups: [],
    });
    expect([made.status, made.headers.get('content-type')]).toEqual([
      201,
      'application/scim+json; charset=utf-8',
    ]);
    const ada = made.json<Person>();
    expect(made.headers.get('location')).toBe(`${url}/scim/v2/Users/${ada.id}`);
    expect(made.headers.get('etag')).toBe(ada.meta.version);
    expect(ada).toMatchObject({
      userName: 'Ada.Lovelace@corp.example',
      externalId,
      active: true,
      [ENTERPRISE]: { department: 'Engines', employeeNumber: '7' },
    });
    expect(made.text).not.toMatch(/not kept|London/);
    expect(await accountOf(admin, 'ada.lovelace@corp.example')).toMatchObject({
      name: 'Ada Lovelace',
      roles: ['user'],
      status: 'invited',
    });
    for (const filter of [
      'userName eq "ada.lovelace@CORP.example"',
      `externalId eq "${externalId}"`,
      `userName eq "ada.lovelace@corp.example" and active eq true`,
      'emails[type eq "work"].value eq "ada.lovelace@corp.example"',
      'emails.value co "lovelace@" and not (userName sw "b")',
      `id eq "${ada.id}"`,
      `${USER}:userName eq "ada.lovelace@corp.example"`,
      `${ENTERPRISE}:department eq "engines"`,
      'name.familyName pr and (name.givenName eq "ada" or displayName pr) and userName ew "lovelace@corp.example"',
    ])
      expect([filter, (await directory.find(filter)).Resources.map(({ id }) => id)]).toEqual([
        filter,
        [ada.id],
      ]);
    expect((await directory.find('userName eq "nobody@corp.example"')).totalResults).toBe(0);
    expect((await directory.send('DELETE', `/Users/${ada.id}`)).status).toBe(204);
    expectFault(await directory.send('GET', `/Users/${ada.id}`), 404);
    expectFault(await directory.send('DELETE', `/Users/${ada.id}`), 404);
    // The address is free again, for another account with nothing of the one before.
    const before = await accountOf(admin, 'ada.lovelace@corp.example', 'Ada Lovelace');
    expect(before.status).toBe('deactivated');
    await directory.add({ userName: 'ada.lovelace@corp.example' });
    expect((await admin.patch(`/v2/users/${before.id}`, { status: 'active' })).status).toBe(409);
  });

  it('are stored by no request that is refused for what it asks to be shown', async () => {
    for (const query of [
      'attributes=userName&excludedAttributes=id',
      'attributes=a.b.c',
      'excludedAttributes=a.b.c',
    ]) {
      const userName = `${fresh('refused')}@corp.example`;
      const displayName = fresh('Refused');
      expect((await directory.send('POST', `/Users?${query}`, { userName })).status).toBe(400);
      expect((await directory.send('POST', `/Groups?${query}`, { displayName })).status).toBe(400);
      expect((await directory.find(`userName eq "${userName}"`)).totalResults).toBe(0);
      const filter = encodeURIComponent(`displayName eq "${displayName}"`);
      expect((await directory.send('GET', `/Groups?filter=${filter}`)).json<Found>().totalResults).toBe(0);
      const person = await directory.add({ title: 'Before' });
      const op = { schemas: [PATCH_OP], Operations: [{ op: 'replace', path: 'title', value: 'After' }] };
      const path = `/Users/${person.id}`;
      expect((await directory.send('PATCH', `${path}?${query}`, op)).status).toBe(400);
      const put = { userName: person.userName, title: 'After' };
      expect((await directory.send('PUT', `${path}?${query}`, put)).status).toBe(400);
      expect((await directory.send('GET', path)).json<Person>().title).toBe('Before');
    }
  });

  it('take no NUL, lone surrogate or invisible address through a filter', async () => {
    const person = await directory.add();
    const path = `/Users/${person.id}`;
    for (const word of ['n\\u0000@corp.example', 'n\\ud800@corp.example']) {
      const op = { op: 'add', path: `emails[value eq "${word}"].type`, value: 'work' };
      expectFault(await directory.patch(path, op), 400, 'invalidValue');
      const filter = encodeURIComponent(`userName eq "${word}"`);
      expectFault(await directory.send('GET', `/Users?filter=${filter}`), 400, 'invalidValue');
      expectFault(
        await directory.send('POST', '/Users/.search', { filter: `userName eq "${word}"` }),
        400,
        'invalidValue',
      );
    }
    const hidden = await directory.add({ emails: [{ value: '\u200b@\u200b' }] });
    expect(await accountOf(admin, hidden.userName)).toMatchObject({ email: hidden.userName });
  });

  it('are created once: 409 uniqueness for a name or address that is there', async () => {
    const person = await directory.add();
    const again = await directory.send('POST', '/Users', { userName: person.userName.toUpperCase() });
    expectFault(again, 409, 'uniqueness');
    const raced = await Promise.all(
      Array.from({ length: 5 }, () =>
        directory.send('POST', '/Users', { schemas: [USER], userName: 'raced@corp.example' }),
      ),
    );
    expect(raced.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
  });

  it('may have a name in the directory that is no address, and no address at all', async () => {
    const person = await directory.add({ userName: fresh('kay'), displayName: 'Kay' });
    expect(person).toMatchObject({ displayName: 'Kay', active: true });
    expect(await accountOf(admin, `${person.id}@directory.invalid`)).toMatchObject({ name: 'Kay' });
  });

  it(req('SCIM-02', 'are changed in the dialect of Entra ID'), async () => {
    const person = await directory.add({ emails: [{ type: 'work', value: `${fresh('old')}@corp.example` }] });
    const email = `${fresh('new')}@corp.example`;
    const answer = await directory.patch(
      `/Users/${person.id}`,
      { op: 'Replace', path: 'displayName', value: 'Grace Hopper' },
      { op: 'Replace', path: 'emails[type eq "work"].value', value: email },
      { op: 'Add', path: 'name.givenName', value: 'Grace' },
      { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+1 555' },
      { op: 'Add', path: `${ENTERPRISE}:department`, value: 'Navy' },
      { op: 'Add', path: 'addresses[type eq "work"].formatted', value: 'is not kept' },
      { op: 'Replace', value: { 'name.familyName': 'Hopper', [`${ENTERPRISE}:division`]: 'Sea' } },
      { op: 'Replace', path: 'active', value: 'False' },
    );
    expect(answer.status).toBe(200);
    const changed = answer.json<Person>();
    expect(changed).toMatchObject({
      displayName: 'Grace Hopper',
      name: { givenName: 'Grace', familyName: 'Hopper' },
      active: false,
      phoneNumbers: [{ type: 'mobile', value: '+1 555' }],
      [ENTERPRISE]: { department: 'Navy', division: 'Sea' },
    });
    expect(changed.emails).toEqual([{ type: 'work', value: email }]);
    expect(await accountOf(admin, email)).toMatchObject({ name: 'Grace Hopper', status: 'deactivated' });
    await directory.patch(`/Users/${person.id}`, { op: 'Replace', path: 'active', value: 'True' });
    expect((await accountOf(admin, email)).status).toBe('invited');
    await directory.patch(`/Users/${person.id}`, { op: 'Remove', path: 'phoneNumbers[type eq "mobile"]' });
    expect((await directory.send('GET', `/Users/${person.id}`)).text).not.toContain('555');
  });

  it(req('SCIM-02', 'are changed in the dialect of Okta: whole by PUT, active by PATCH'), async () => {
    const person = await directory.add({ title: 'Engineer', externalId: 'okta-1' });
    const off = await directory.patch(`/Users/${person.id}`, { op: 'replace', value: { active: false } });
    expect(off.json<Person>().active).toBe(false);
    const put = await directory.send('PUT', `/Users/${person.id}`, {
      schemas: [USER],
      id: person.id,
      userName: person.userName,
      externalId: 'okta-1',
      name: { givenName: 'Al', familyName: 'Turing' },
      emails: [{ primary: true, value: person.userName, type: 'work' }],
      active: true,
      groups: [],
      meta: { resourceType: 'User' },
    });
    expect([put.status, put.json<Person>()]).toMatchObject([
      200,
      { active: true, name: { givenName: 'Al' } },
    ]);
    expect(put.json<Person>()).not.toHaveProperty('title');
    expect((await accountOf(admin, person.userName)).name).toBe('Al Turing');
  });

  it(
    req('SCIM-03', 'lose sessions, tokens and keys at once where the directory says active: false'),
    async ({ world }) => {
      const email = `${fresh('leaver')}@corp.example`;
      const password = 'a long enough password';
      const made = await admin.post('/v2/users', { email, password });
      expect(made.status).toBe(201);
      const signedIn = await world.server.signIn(email, password);
      const key = (await signedIn.post('/v2/auth/api-keys', { name: 'own' })).json<{ key: string }>().key;
      const withKey = createClient(() => url, key);
      const chat = await signedIn.post('/v2/chat', { message: 'hello' });
      expect([chat.status, (await withKey.get('/v2/auth/me')).status]).toEqual([200, 200]);
      // Who has been here before the directory goes on with their account.
      const person = await directory.add({ userName: email });
      expect((await accountOf(admin, email)).id).toBe(made.json<Account>().id);
      expect((await signedIn.get('/v2/auth/me')).status).toBe(200);
      await directory.patch(`/Users/${person.id}`, { op: 'replace', path: 'active', value: false });
      expect([
        (await signedIn.get('/v2/auth/me')).status,
        (await withKey.get('/v2/auth/me')).status,
        (await world.server.anonymous().post('/v2/auth/login', { email, password })).status,
      ]).toEqual([401, 401, 401]);
    },
  );

  it('are not taken over where they are administrators, of another tenant, or machines', async () => {
    const boss = `${fresh('boss')}@corp.example`;
    await admin.post('/v2/users', { email: boss, password: 'a long enough password', roles: ['admin'] });
    const machine = `${fresh('machine')}@corp.example`;
    await admin.post('/v2/users', { email: machine, type: 'service' });
    const other = await admin.post('/v2/tenants', {
      slug: fresh('other'),
      name: 'Other',
      admin: { email: `${fresh('elsewhere')}@corp.example`, password: 'a long enough password' },
    });
    expect(other.status).toBe(201);
    const elsewhere = other.json<{ admin: { email: string } }>().admin.email;
    for (const userName of [boss, machine, elsewhere])
      expectFault(await directory.send('POST', '/Users', { userName }), 409, 'uniqueness');
    expect((await accountOf(admin, boss)).roles).toEqual(['admin']);
  });

  it(req('SCIM-04', 'are not changed elsewhere in contradiction to the directory'), async () => {
    const person = await directory.add({ displayName: 'As the directory says' });
    const account = await accountOf(admin, person.userName);
    const renamed = await admin.patch(`/v2/users/${account.id}`, { name: 'Another' });
    expect([renamed.status, renamed.body]).toMatchObject([
      409,
      { details: { reason: 'MANAGED_BY_DIRECTORY', fields: ['name'] } },
    ]);
    // As long as no group gives roles, they are given here.
    expect((await admin.patch(`/v2/users/${account.id}`, { roles: ['analyst'] })).status).toBe(200);
    // Switched off here it stays off until the directory says something new.
    expect((await admin.delete(`/v2/users/${account.id}`)).status).toBe(204);
    const put = { schemas: [USER], userName: person.userName, displayName: 'Again', active: true };
    const still = await directory.send('PUT', `/Users/${person.id}`, put);
    expect(still.json<Person>()).toMatchObject({ displayName: 'Again', active: false });
    await directory.patch(`/Users/${person.id}`, { op: 'replace', path: 'active', value: false });
    expect((await admin.patch(`/v2/users/${account.id}`, { status: 'active' })).status).toBe(409);
    // An account that may do more than a user is switched on again by who may do as much alone.
    await directory.patch(`/Users/${person.id}`, { op: 'replace', path: 'active', value: true });
    expect((await accountOf(admin, person.userName)).status).toBe('deactivated');
    const back = await admin.patch(`/v2/users/${account.id}`, { roles: ['user'], status: 'active' });
    expect([back.status, back.body]).toMatchObject([200, { status: 'invited' }]);
    for (const active of [false, true])
      await directory.patch(`/Users/${person.id}`, { op: 'replace', path: 'active', value: active });
    expect((await accountOf(admin, person.userName)).status).toBe('invited');
  });

  it(
    req('SCIM-09', 'are not got hold of by a key that may do less: adopted, readdressed, renamed, revived'),
    async () => {
      const password = 'a long enough password';
      for (const more of [{ roles: ['operator'] }, { permissions: ['audit:read'] }]) {
        const email = `${fresh('more')}@corp.example`;
        const made = await admin.post('/v2/users', { email, password, ...more });
        expect([made.status, made.text]).toEqual([201, expect.any(String)]);
        const answer = await directory.send('POST', '/Users', { userName: email });
        expectFault(answer, 409, 'uniqueness');
        expect((await admin.delete(`/v2/users/${made.json<Account>().id}`)).status).toBe(204);
        expectFault(await directory.send('POST', '/Users', { userName: email }), 409, 'uniqueness');
      }
      const person = await directory.add({ externalId: fresh('id'), displayName: 'Raised' });
      const account = await accountOf(admin, person.userName);
      const permissions = ['users:manage', 'users:read', 'audit:read', 'keys:read', 'keys:write'];
      expect((await admin.patch(`/v2/users/${account.id}`, { permissions })).status).toBe(200);
      const path = `/Users/${person.id}`;
      const unrelated = await directory.group();
      const expectGuarded = async () => {
        for (const [name, value] of [
          ['emails', [{ value: `${fresh('thief')}@corp.example`, primary: true }]],
          ['userName', `${fresh('thief')}@corp.example`],
          ['externalId', fresh('thief')],
        ] as const) {
          expectFault(await directory.patch(path, { op: 'replace', path: name, value }), 403);
          const put = { userName: person.userName, externalId: person.externalId, displayName: 'Raised' };
          expectFault(await directory.send('PUT', path, { ...put, [name]: value }), 403);
        }
        expectFault(await directory.patch(path, { op: 'remove', path: 'externalId' }), 403);
        expect(
          (await directory.patch(path, { op: 'replace', path: 'title', value: fresh('T') })).status,
        ).toBe(200);
      };
      await expectGuarded();
      // What groups of others give does not widen what the key may do to this one.
      await admin.put(`/v2/directory/groups/${unrelated.id}/roles`, { roles: ['readonly'] });
      await expectGuarded();
      // What the person's own groups give is the directory's to give.
      await admin.patch(`/v2/users/${account.id}`, { permissions: [] });
      const own = await directory.group([person]);
      await admin.put(`/v2/directory/groups/${own.id}/roles`, { roles: ['operator'] });
      expect((await accountOf(admin, person.userName)).roles).toEqual(['operator']);
      const renamed = await directory.patch(path, {
        op: 'replace',
        value: { externalId: fresh('id'), emails: [{ value: `${fresh('wed')}@corp.example` }] },
      });
      expect([renamed.status, renamed.text]).toEqual([200, expect.any(String)]);
      for (const { id } of [own, unrelated])
        expect((await directory.send('DELETE', `/Groups/${id}`)).status).toBe(204);
    },
  );

  it('are listed page by page, with the attributes that are asked for', async () => {
    for (let i = 0; i < 3; i += 1) await directory.add();
    const first = (await directory.send('GET', '/Users?startIndex=1&count=2')).json<Found>();
    const second = (await directory.send('GET', '/Users?startIndex=3&count=2')).json<Found>();
    expect(first).toMatchObject({ startIndex: 1, itemsPerPage: 2 });
    expect(second.totalResults).toBe(first.totalResults);
    const ids = [...first.Resources, ...second.Resources].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const none = (await directory.send('GET', '/Users?count=0')).json<Found>();
    expect(none).toMatchObject({ totalResults: first.totalResults, itemsPerPage: 0, Resources: [] });
    const some = (
      await directory.send('GET', '/Users?attributes=userName,meta.version&count=1')
    ).json<Found>();
    expect(Object.keys(some.Resources[0] ?? {}).sort()).toEqual(['id', 'meta', 'schemas', 'userName']);
    expect(Object.keys(some.Resources[0]?.meta ?? {})).toEqual(['version']);
    const searched = await directory.send('POST', '/Users/.search', { count: 1, attributes: ['userName'] });
    expect(Object.keys(searched.json<Found>().Resources[0] ?? {}).sort()).toEqual([
      'id',
      'schemas',
      'userName',
    ]);
  });

  it('are changed by If-Match only in the version that it names', async () => {
    const person = await directory.add();
    const path = `/Users/${person.id}`;
    const op = { schemas: [PATCH_OP], Operations: [{ op: 'replace', path: 'title', value: 'Lead' }] };
    const changed = await directory.send('PATCH', path, op, { 'if-match': person.meta.version });
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(person.meta.version);
    expectFault(await directory.send('PATCH', path, op, { 'if-match': person.meta.version }), 412);
    expectFault(await directory.send('DELETE', path, undefined, { 'if-match': 'W/"99"' }), 412);

    const version = changed.headers.get('etag') ?? '';
    const among = { 'if-match': `W/"98", ${version} , "99"` };
    expect((await directory.send('PATCH', path, op, among)).status).toBe(200);
    // What an administrator does to the account is another version, since another answer is given.
    const { id } = await accountOf(admin, person.userName);
    expect((await admin.patch(`/v2/users/${id}`, { status: 'deactivated' })).status).toBe(200);
    const off = await directory.send('GET', path);
    expect(off.headers.get('etag')).not.toBe(version);
    expectFault(await directory.send('PATCH', path, op, { 'if-match': version }), 412);
    const now = { 'if-match': off.headers.get('etag') ?? '' };
    expect((await directory.send('DELETE', path, undefined, now)).status).toBe(204);
  });

  it('are found by a name in whatever case and width it is written, as they are created', async () => {
    const name = fresh('wide');
    await directory.add({ userName: `${name}.ｗｉｄｅ@corp.example` });
    for (const written of [`${name.toUpperCase()}.WIDE@corp.example`, ` ${name}.ｗｉｄｅ@corp.example `]) {
      expect([written, (await directory.find(`userName eq "${written}"`)).totalResults]).toEqual([
        written,
        1,
      ]);
      const again = await directory.send('POST', '/Users', { schemas: [USER], userName: written });
      expectFault(again, 409, 'uniqueness');
    }
  });

  it('are invited to nothing that a wrong request names: errors have the shape of the protocol', async () => {
    const person = await directory.add();
    const path = `/Users/${person.id}`;
    for (const filter of [
      'userName',
      'userName eq',
      'userName eq "x',
      '(userName pr',
      'a b c',
      `${'('.repeat(20)}id pr`,
    ])
      expectFault(
        await directory.send('GET', `/Users?filter=${encodeURIComponent(filter)}`),
        400,
        'invalidFilter',
      );
    expectFault(await directory.send('POST', '/Users', { displayName: 'No name' }), 400, 'invalidValue');
    expectFault(
      await directory.send('POST', '/Users', { userName: 'x', active: 'maybe' }),
      400,
      'invalidValue',
    );
    expectFault(await directory.patch(path, { op: 'remove' }), 400, 'noTarget');
    expectFault(await directory.patch(path, { op: 'replace', path: 'groups', value: [] }), 400, 'mutability');
    expectFault(
      await directory.patch(path, { op: 'replace', path: 'emails[', value: 1 }),
      400,
      'invalidPath',
    );
    expectFault(await directory.patch(path, { op: 'move', path: 'title' }), 400, 'invalidSyntax');
    expectFault(await directory.patch(path, { op: 'remove', path: 'userName' }), 400, 'invalidValue');
    const broken = await directory.client.send('POST', '/scim/v2/Users', '{"userName":', { headers: SCIM });
    expectFault(broken, 400, 'invalidSyntax');
    const bulk = await directory.send('POST', '/Bulk', { Operations: [] });
    expectFault(bulk, 501);
    const levels = () =>
      log()
        .filter((line) => line.request_id === bulk.headers.get('x-request-id'))
        .map((line) => line.level);
    await expect.poll(levels).toEqual([30]);
    expectFault(await directory.send('GET', '/Nothing'), 404);
    expectFault(await directory.send('DELETE', '/Users'), 405);
  });
});

describe('groups by SCIM', () => {
  it(req('SCIM-05', 'give the roles that an administrator has put on them'), async () => {
    const [ann, bob, cid] = [await directory.add(), await directory.add(), await directory.add()];
    const operators = await directory.group([ann]);
    const analysts = await directory.group();
    const listed = await admin.get('/v2/directory/groups?limit=100');
    expect(listed.json<{ items: unknown[] }>().items).toContainEqual(
      expect.objectContaining({ id: operators.id, name: operators.displayName, roles: [], members: 1 }),
    );
    const bobs = await accountOf(admin, bob.userName);
    await admin.patch(`/v2/users/${bobs.id}`, { roles: ['analyst'] });
    const put = await admin.put(`/v2/directory/groups/${operators.id}/roles`, { roles: ['operator'] });
    expect([put.status, put.body]).toMatchObject([200, { roles: ['operator'], members: 1 }]);
    await admin.put(`/v2/directory/groups/${analysts.id}/roles`, { roles: ['analyst'] });
    const roles = async (person: Person) => (await accountOf(admin, person.userName)).roles;
    // From the first group with roles on, nobody of the directory has others than those of groups.
    expect([await roles(ann), await roles(bob), await roles(cid)]).toEqual([
      ['operator'],
      ['user'],
      ['user'],
    ]);
    expect((await admin.patch(`/v2/users/${bobs.id}`, { roles: ['admin'] })).status).toBe(409);

    // Entra's dialect, and then Okta's.
    const add = { op: 'Add', path: 'members', value: [{ value: bob.id }, { value: cid.id }] };
    expect((await directory.patch(`/Groups/${operators.id}`, add)).status).toBe(200);
    await directory.patch(`/Groups/${analysts.id}`, { op: 'add', value: { members: [{ value: bob.id }] } });
    expect([await roles(bob), await roles(cid)]).toEqual([['operator', 'analyst'], ['operator']]);
    const member = await directory.send('GET', `/Users/${bob.id}`);
    expect(
      member
        .json<Person>()
        .groups?.map(({ value }) => value)
        .sort(),
    ).toEqual([operators.id, analysts.id].sort());
    await directory.patch(`/Groups/${operators.id}`, {
      op: 'Remove',
      path: 'members',
      value: [{ value: cid.id }],
    });
    await directory.patch(`/Groups/${operators.id}`, { op: 'remove', path: `members[value eq "${bob.id}"]` });
    expect([await roles(ann), await roles(bob), await roles(cid)]).toEqual([
      ['operator'],
      ['analyst'],
      ['user'],
    ]);
    await directory.patch(`/Groups/${operators.id}`, {
      op: 'replace',
      path: 'members',
      value: [{ value: cid.id }],
    });
    expect([await roles(ann), await roles(cid)]).toEqual([['user'], ['operator']]);
    const renamed = await directory.patch(`/Groups/${operators.id}`, {
      op: 'replace',
      value: { id: operators.id, displayName: 'Renamed group' },
    });
    expect(renamed.json<Person>().displayName).toBe('Renamed group');
    const put2 = await directory.send('PUT', `/Groups/${operators.id}`, {
      schemas: [GROUP],
      displayName: 'Renamed group',
      members: [{ value: ann.id }],
    });
    expect([put2.status, await roles(ann), await roles(cid)]).toEqual([200, ['operator'], ['user']]);
    const bare = await directory.send('GET', `/Groups/${operators.id}?excludedAttributes=members`);
    expect(bare.json<Person>()).not.toHaveProperty('members');
    const found = await directory.send(
      'GET',
      `/Groups?excludedAttributes=members&filter=${encodeURIComponent('displayName eq "renamed group"')}`,
    );
    expect(found.json<Found>().Resources.map(({ id }) => id)).toEqual([operators.id]);
    expect((await directory.send('DELETE', `/Groups/${operators.id}`)).status).toBe(204);
    expect(await roles(ann)).toEqual(['user']);
    await admin.put(`/v2/directory/groups/${analysts.id}/roles`, { roles: [] });
  });

  it('give nothing any more once they give it no more, and be it the last that gave any', async () => {
    const [ann, bob] = [await directory.add(), await directory.add()];
    const roles = async (person: Person) => (await accountOf(admin, person.userName)).roles;
    const give = (group: Person, given: string[]) =>
      admin.put(`/v2/directory/groups/${group.id}/roles`, { roles: given });
    const group = await directory.group([ann]);
    await give(group, ['admin']);
    expect([await roles(ann), await roles(bob)]).toEqual([['admin'], ['user']]);
    expect((await give(group, [])).status).toBe(200);
    expect([await roles(ann), await roles(bob)]).toEqual([['user'], ['user']]);
    // From then on roles are given by administrators, and no group that gives none takes them.
    const account = await accountOf(admin, ann.userName);
    expect((await admin.patch(`/v2/users/${account.id}`, { roles: ['analyst'] })).status).toBe(200);
    expect((await give(group, [])).status).toBe(200);
    expect((await directory.send('DELETE', `/Groups/${group.id}`)).status).toBe(204);
    expect(await roles(ann)).toEqual(['analyst']);
    for (const end of ['group', 'member']) {
      const last = await directory.group([ann]);
      await give(last, ['operator']);
      expect(await roles(ann)).toEqual(['operator']);
      if (end === 'member') await directory.patch(`/Groups/${last.id}`, { op: 'remove', path: 'members' });
      else await directory.send('DELETE', `/Groups/${last.id}`);
      expect([end, await roles(ann)]).toEqual([end, ['user']]);
      if (end === 'member') await give(last, []);
    }
  });

  it('take people of their own directory alone, and each name once', async () => {
    const group = await directory.group();
    const unknown = await directory.patch(`/Groups/${group.id}`, {
      op: 'add',
      path: 'members',
      value: [{ value: 'nobody' }],
    });
    expectFault(unknown, 400, 'invalidValue');
    expectFault(
      await directory.send('POST', '/Groups', { displayName: group.displayName?.toUpperCase() }),
      409,
      'uniqueness',
    );
    const nested = { displayName: fresh('Nest'), members: [{ value: group.id, type: 'Group' }] };
    expectFault(await directory.send('POST', '/Groups', nested), 400, 'invalidValue');
  });

  it('get no roles from who has less, and none from the directory itself', async ({ world }) => {
    const group = await directory.group();
    const manager = await newPerson(world.server, admin);
    await admin.patch(`/v2/users/${manager.id}`, { permissions: ['users:manage'] });
    const granted = await manager.put(`/v2/directory/groups/${group.id}/roles`, { roles: ['admin'] });
    expect(granted.status).toBe(403);
    const own = await directory.client.put(`/v2/directory/groups/${group.id}/roles`, { roles: ['admin'] });
    expect(own.status).toBe(403);
    const put = { schemas: [GROUP], displayName: group.displayName, roles: ['admin'] };
    await directory.send('PUT', `/Groups/${group.id}`, put);
    const listed = await admin.get('/v2/directory/groups?limit=100');
    expect(listed.json<{ items: { id: string; roles: string[] }[] }>().items).toContainEqual(
      expect.objectContaining({ id: group.id, roles: [] }),
    );
  });

  it('keep the last administrator of a tenant', async () => {
    const slug = fresh('last');
    const password = 'a long enough password';
    const email = `${slug}@corp.example`;
    await admin.post('/v2/tenants', { slug, name: slug, admin: { email, password } });
    const signedIn = await admin.post('/v2/auth/login', { email, password });
    const boss = createClient(() => url, signedIn.json<{ access_token: string }>().access_token);
    // A key with all rights of its administrator takes over administrators too.
    const whole = (await boss.post('/v2/auth/api-keys', { name: 'whole' })).json<{ key: string }>().key;
    const all = createClient(() => url, whole);
    const made = await all.send('POST', '/scim/v2/Users', JSON.stringify({ userName: email }), {
      headers: SCIM,
    });
    expect(made.status).toBe(201);
    const gone = await all.send('DELETE', `/scim/v2/Users/${made.json<Person>().id}`);
    expectFault(gone, 409);
    expect((await boss.get('/v2/auth/me')).status).toBe(200);
  });
});

describe('a directory', () => {
  it(req('SCIM-06', 'sees and changes the people and groups of its own tenant alone'), async () => {
    const slug = fresh('tenant');
    const password = 'a long enough password';
    const email = `${slug}@corp.example`;
    await admin.post('/v2/tenants', { slug, name: slug, admin: { email, password } });
    const login = await admin.post('/v2/auth/login', { email, password });
    const boss = createClient(() => url, login.json<{ access_token: string }>().access_token);
    const other = await directoryOf(boss, url);
    const person = await directory.add({ externalId: 'shared-id' });
    const group = await directory.group([person]);
    const theirs = await other.add({ externalId: 'shared-id' });
    for (const path of [`/Users/${person.id}`, `/Groups/${group.id}`]) {
      expectFault(await other.send('GET', path), 404);
      expectFault(await other.patch(path, { op: 'replace', path: 'displayName', value: 'x' }), 404);
      expectFault(await other.send('PUT', path, { userName: 'x', displayName: 'x' }), 404);
      expectFault(await other.send('DELETE', path), 404);
    }
    expect((await other.find('externalId eq "shared-id"')).Resources.map(({ id }) => id)).toEqual([
      theirs.id,
    ]);
    expect((await other.find('id pr')).Resources.map(({ id }) => id)).toEqual([theirs.id]);
    const stolen = { displayName: fresh('Theft'), members: [{ value: person.id }] };
    expectFault(await other.send('POST', '/Groups', stolen), 400, 'invalidValue');
    expect((await boss.put(`/v2/directory/groups/${group.id}/roles`, { roles: ['user'] })).status).toBe(404);
    expect((await boss.get('/v2/directory/groups')).json<{ total: number }>().total).toBe(0);
  });

  it(
    req('SCIM-07', 'needs a key for it, which can do nothing else; what it does is audited'),
    async ({ world }) => {
      expectFault(await world.server.anonymous().get('/scim/v2/Users'), 401);
      const person = await newPerson(world.server, admin);
      expectFault(await person.get('/scim/v2/Users'), 403);
      expect((await directory.client.get('/v2/users')).status).toBe(403);
      const made = await directory.add();
      await directory.patch(`/Users/${made.id}`, { op: 'replace', path: 'active', value: false });
      const account = await accountOf(admin, made.userName);
      const audit = (await admin.get('/v2/audit?limit=100')).json<{
        items: { action: string; target: { id: string } | null; target_id?: string; details: unknown }[];
      }>();
      expect(JSON.stringify(audit.items)).toContain(account.id);
      expect(audit.items.map(({ action }) => action)).toEqual(
        expect.arrayContaining(['user.created', 'user.deactivated']),
      );
    },
  );

  it('is told what the server can do', async () => {
    const config = await directory.send('GET', '/ServiceProviderConfig');
    expect(config.body).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false },
      filter: { supported: true },
      etag: { supported: true },
    });
    const types = (await directory.send('GET', '/ResourceTypes')).json<Found>();
    expect(types.Resources.map(({ id }) => id)).toEqual(['User', 'Group']);
    const schemas = (await directory.send('GET', '/Schemas')).json<Found>();
    expect(schemas.Resources.map(({ id }) => id)).toEqual([USER, ENTERPRISE, GROUP]);
    expect((await directory.send('GET', `/Schemas/${USER}`)).status).toBe(200);
    expectFault(await directory.send('GET', '/Schemas/urn:none'), 404);
  });

  it('stands in no OpenAPI document, and its content type is taken nowhere else', async () => {
    const document = await admin.get('/openapi.json');
    expect(document.text).not.toContain('/scim/');
    const elsewhere = await admin.send('POST', '/v2/conversations', '{}', { headers: SCIM });
    expect(elsewhere.status).toBe(415);
  });

  it('hands out what it has said of a person with their data, and forgets it with them', async () => {
    const person = await directory.add({ displayName: 'Exported', title: 'Archivist' });
    const account = await accountOf(admin, person.userName);
    const data = await admin.get(`/v2/users/${account.id}/export`);
    expect(data.text).toContain('Archivist');
    expect((await admin.delete(`/v2/users/${account.id}/data`)).status).toBe(200);
    expect((await directory.send('GET', `/Users/${person.id}`)).text).not.toContain('Archivist');
  });

  it('knows an erased person no more, and makes them anew as somebody else', async () => {
    const person = await directory.add({ displayName: 'Erased Before' });
    const group = await directory.group([person]);
    const account = await accountOf(admin, person.userName);
    await directory.patch(`/Users/${person.id}`, { op: 'replace', path: 'active', value: false });
    expect((await admin.delete(`/v2/users/${account.id}/data`)).status).toBe(200);
    expectFault(await directory.send('GET', `/Users/${person.id}`), 404);
    expectFault(
      await directory.patch(`/Users/${person.id}`, { op: 'replace', path: 'title', value: 'x' }),
      404,
    );
    expect((await directory.send('GET', `/Groups/${group.id}`)).text).not.toContain(person.id);
    expect((await directory.find(`userName eq "${person.userName}"`)).totalResults).toBe(0);
    const erased = await admin.get(`/v2/users/${account.id}`);
    expect(erased.text).not.toMatch(/Erased Before|corp\.example/);
    await directory.add({ userName: person.userName });
    expect((await accountOf(admin, person.userName)).id).not.toBe(account.id);
    expect((await admin.get(`/v2/users/${account.id}`)).text).toBe(erased.text);
  });
});
