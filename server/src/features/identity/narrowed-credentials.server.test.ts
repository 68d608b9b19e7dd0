import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import { type Answer, type Client, createClient } from '../../../test/support/client.ts';
import { startServer, type TestServer } from '../../../test/support/server.ts';
import { PERMISSIONS, ROLE_PERMISSIONS } from '../../kernel/permissions.ts';

/**
 * What a credential that was narrowed to some permissions can make of itself: credential × operation × target. Whatever it
 * may do with accounts, it never ends with more than it had.
 */

const PASSWORD = 'a long password of a person';
const USER_PERMISSIONS = ROLE_PERMISSIONS.user;

let server: TestServer;
let admin: Client;
let tenantAdmin: Client;
let tenantId: string;
let count = 0;

const keyOf = async (owner: Client, permissions?: readonly string[]): Promise<Client> => {
  const made = await owner.post('/v2/auth/api-keys', {
    name: 'narrow',
    ...(permissions === undefined ? {} : { permissions }),
  });
  expect(made.status, made.text).toBe(201);
  return createClient(() => server.url, made.json<{ key: string }>().key);
};

const makeAccount = async (body: Record<string, unknown>, maker: Client = admin): Promise<string> => {
  count += 1;
  const made = await maker.post('/v2/users', { email: `target${count}@example.test`, ...body });
  expect(made.status, made.text).toBe(201);
  return made.json<{ id: string }>().id;
};

beforeAll(async () => {
  server = await startServer();
  admin = await server.signIn();
  const boss = { email: 'boss@other.test', password: PASSWORD };
  const made = await admin.post('/v2/tenants', { name: 'Other', slug: 'other', admin: boss });
  tenantId = made.json<{ id: string }>().id;
  tenantAdmin = await server.signIn(boss.email, boss.password);
});
afterAll(() => server.close());

/** Permissions of the key, by name; null: the whole session. */
const CREDENTIALS: Readonly<Record<string, readonly string[] | null>> = {
  session: null,
  'users:manage alone': ['users:manage'],
  'users:manage and what a user may': [...USER_PERMISSIONS, 'users:manage'],
  'all permissions by name': PERMISSIONS,
  'clients:manage alone': ['clients:manage'],
};

interface Target {
  roles: string[];
  permissions?: string[];
}

const TARGETS: Readonly<Record<string, Target>> = {
  readonly: { roles: ['readonly'] },
  user: { roles: ['user'] },
  operator: { roles: ['operator'] },
  'user who manages accounts': { roles: ['user'], permissions: ['users:manage'] },
  admin: { roles: ['admin'] },
};

const rightsOf = ({ roles, permissions = [] }: Target): Set<string> =>
  new Set([
    ...permissions,
    ...roles.flatMap((role) => ROLE_PERMISSIONS[role as keyof typeof ROLE_PERMISSIONS]),
  ]);

/** The rule once more, in other words: what the answer must be. */
const covers = (held: readonly string[] | null, target: Target): boolean =>
  held === null ||
  (!target.roles.includes('admin') && [...rightsOf(target)].every((one) => held.includes(one)));

const manages = (target: Target): boolean => rightsOf(target).has('users:manage');

type Attempt = (client: Client, target: Target, id: string) => Promise<Answer>;

/** Each gives rights, or an account that has them, to whoever asks. */
const GRANTS: Readonly<Record<string, { make: (target: Target) => Record<string, unknown>; try: Attempt }>> =
  {
    'create an account': {
      make: () => ({ roles: ['readonly'] }),
      try: (client, target) => {
        count += 1;
        return client.post('/v2/users', { email: `new${count}@example.test`, password: PASSWORD, ...target });
      },
    },
    'create a service account': {
      make: () => ({ roles: ['readonly'] }),
      try: (client, target) => {
        count += 1;
        return client.post('/v2/users', { email: `new${count}@example.test`, type: 'service', ...target });
      },
    },
    'give roles': {
      make: () => ({ roles: ['readonly'], password: PASSWORD }),
      try: (client, target, id) => client.patch(`/v2/users/${id}`, target),
    },
    'give an invitation': {
      make: (target) => ({ ...target }),
      try: (client, _target, id) => client.post(`/v2/users/${id}/invitation`),
    },
    'give a reset link': {
      make: (target) => ({ ...target, password: PASSWORD }),
      try: (client, _target, id) => client.post(`/v2/users/${id}/password-reset`),
    },
    'make a machine key': {
      make: (target) => ({ ...target, type: 'service' }),
      try: (client, _target, id) => client.post(`/management/v1/users/${id}/machine_keys`, {}),
    },
    'read all that is stored': {
      make: (target) => ({ ...target, password: PASSWORD }),
      try: (client, _target, id) => client.get(`/v2/users/${id}/export`),
    },
  };

describe.each(Object.entries(CREDENTIALS).filter(([name]) => !name.startsWith('clients')))(
  'a credential with %s',
  (_name, held) => {
    let client: Client;
    beforeAll(async () => {
      client = held === null ? admin : await keyOf(admin, held);
    });

    describe.each(Object.entries(TARGETS))('and an account: %s', (_target, target) => {
      it.each(Object.entries(GRANTS))(req('CRED-01', '%s'), async (name, operation) => {
        const id = await makeAccount(operation.make(target));
        const answer = await operation.try(client, target, id);
        // What the account has already is not given to it.
        const adds = !(name === 'give roles' && target.roles[0] === 'readonly');
        const allowed = covers(held, target) || !adds;
        expect([answer.status < 300, answer.status === 403], answer.text).toEqual([allowed, !allowed]);
        if (allowed) return;
        expect(answer.text).toContain('this would give more than this credential has');
        const account = (await admin.get(`/v2/users/${id}`)).json<{ roles: string[] }>();
        expect(account.roles).toEqual(operation.make(target).roles);
      });

      it(req('CRED-01', 'is switched off by who holds as much, or where it manages nobody'), async () => {
        const id = await makeAccount({ ...target, password: PASSWORD });
        const allowed = covers(held, target) || !manages(target);
        expect((await client.patch(`/v2/users/${id}`, { status: 'deactivated' })).status).toBe(
          allowed ? 200 : 403,
        );
        expect((await client.delete(`/v2/users/${id}`)).status).toBe(allowed ? 204 : 403);
        if (!allowed) return;
        expect((await client.patch(`/v2/users/${id}`, { status: 'active' })).status).toBe(
          covers(held, target) ? 200 : 403,
        );
      });

      it(req('CRED-01', 'loses roles by who holds as much, or where it manages nobody'), async () => {
        const id = await makeAccount({ ...target, password: PASSWORD });
        const allowed = covers(held, target) || !manages(target);
        const answer = await client.patch(`/v2/users/${id}`, { roles: ['readonly'], permissions: [] });
        expect(answer.status, answer.text).toBe(allowed ? 200 : 403);
      });
    });
  },
);

describe('what only a whole credential of a platform administrator may', () => {
  it(req('CRED-02', 'is refused to a key that names every permission'), async () => {
    const every = await keyOf(admin, PERMISSIONS);
    const whole = await keyOf(admin);
    const me = async (client: Client) =>
      (await client.get('/v2/auth/me')).json<{ platform_admin: boolean }>().platform_admin;
    expect([await me(every), await me(whole), await me(admin)]).toEqual([false, true, true]);
    const id = await makeAccount({ roles: ['user'] });
    const attempts: Record<string, (client: Client) => Promise<Answer>> = {
      tier: (client) => client.patch(`/v2/users/${id}`, { tier: 'pro' }),
      'account of another tenant': (client) => {
        count += 1;
        return client.post('/v2/users', { email: `across${count}@example.test`, tenant_id: tenantId });
      },
      tenants: (client) => client.get('/v2/tenants'),
      'new tenant': (client) => {
        count += 1;
        return client.post('/v2/tenants', { name: 'New', slug: `new-${count}` });
      },
    };
    for (const [what, attempt] of Object.entries(attempts)) {
      expect([what, (await attempt(every)).status]).toEqual([what, 403]);
      expect([what, (await attempt(whole)).status < 300]).toEqual([what, true]);
    }
    expect((await every.get(`/v2/tenants/${tenantId}`)).status).toBe(404);
  });

  it(
    req('CRED-01', 'an administrator of another tenant makes administrators there with a session'),
    async () => {
      const id = await makeAccount({ roles: ['admin'], password: PASSWORD }, tenantAdmin);
      expect((await tenantAdmin.post(`/v2/users/${id}/password-reset`)).status).toBe(200);
      const key = await keyOf(tenantAdmin, ['users:manage']);
      expect((await key.post(`/v2/users/${id}/password-reset`)).status).toBe(403);
      // Who names every permission covers an administrator who is none of the platform.
      const every = await keyOf(tenantAdmin, PERMISSIONS);
      expect((await every.post(`/v2/users/${id}/password-reset`)).status).toBe(200);
    },
  );
});

describe('what a credential is told first', () => {
  const beyond = (answer: Answer): void => {
    expect([answer.status, answer.text], answer.text).toEqual([
      403,
      expect.stringContaining('more than this'),
    ]);
  };

  it(req('CRED-01', 'is that it has too little, before what the account is or how it stands'), async () => {
    const narrow = await keyOf(admin, ['users:manage']);
    const person = await makeAccount({ roles: ['admin'], password: PASSWORD });
    const robot = await makeAccount({ roles: ['admin'], type: 'service' });
    beyond(await narrow.post(`/management/v1/users/${person}/machine_keys`, {}));
    beyond(await narrow.post(`/v2/users/${person}/invitation`));
    beyond(await narrow.post(`/v2/users/${robot}/password-reset`));
    expect((await admin.post(`/management/v1/users/${person}/machine_keys`, {})).status).toBe(409);
    expect((await admin.post(`/v2/users/${person}/invitation`)).status).toBe(409);
  });

  it(req('CRED-01', 'also where it would end the keys or the client of who manages accounts'), async () => {
    const narrow = await keyOf(admin, ['users:manage', 'clients:manage']);
    const robot = await makeAccount({ roles: ['admin'], type: 'service' });
    const made = await admin.post(`/management/v1/users/${robot}/machine_keys`, {});
    const { keyId } = made.json<{ keyId: string }>();
    beyond(await narrow.delete(`/management/v1/users/${robot}/machine_keys/${keyId}`));
    const client = await admin.post('/v2/oauth/clients', { name: 'c', type: 'confidential' });
    const { client_id: id, service_user_id: account } = client.json<{
      client_id: string;
      service_user_id: string;
    }>();
    const raised = await admin.patch(`/v2/users/${account}`, { roles: ['admin'] });
    expect(raised.status, raised.text).toBe(200);
    beyond(await narrow.delete(`/v2/oauth/clients/${id}`));
    expect((await admin.delete(`/v2/oauth/clients/${id}`)).status).toBe(204);
    expect((await admin.delete(`/management/v1/users/${robot}/machine_keys/${keyId}`)).status).toBe(200);
  });
});

describe('keys and clients', () => {
  it(req('CRED-01', 'a key hands on its own limits, and a whole one is whole'), async () => {
    const narrow = await keyOf(admin, ['keys:write', 'keys:read', 'users:manage']);
    for (const path of ['/v2/auth/api-keys', '/v2/users/me/tokens']) {
      const made = await narrow.post(path, { name: 'child' });
      expect(made.json<{ permissions: string[] }>().permissions).toEqual([
        'keys:read',
        'keys:write',
        'users:manage',
      ]);
    }
    const asked = await narrow.post('/v2/auth/api-keys', { name: 'more', permissions: ['chat:write'] });
    expect(asked.status).toBe(403);
    const whole = await admin.post('/v2/auth/api-keys', { name: 'whole' });
    const rotated = await narrow.post(`/v2/auth/api-keys/${whole.json<{ id: string }>().id}/rotate`, {});
    expect(rotated.json<{ permissions: string[] }>().permissions).not.toBeNull();
    const child = await (await keyOf(admin)).post('/v2/auth/api-keys', { name: 'child' });
    expect(child.json<{ permissions: string[] | null }>().permissions).toBeNull();
  });

  it(req('CRED-01', 'a client’s secret is for who has what its service account may'), async () => {
    const client = { name: 'c', type: 'confidential' };
    const refused = await (await keyOf(admin, ['clients:manage'])).post('/v2/oauth/clients', client);
    expect([refused.status, refused.text.includes('BEYOND_CREDENTIAL')]).toEqual([403, true]);
    const enough = await keyOf(admin, [...USER_PERMISSIONS, 'clients:manage']);
    expect((await enough.post('/v2/oauth/clients', client)).status).toBe(201);
    // A public client gives nobody's rights away: people sign in through it.
    const open = { name: 'p', type: 'public', redirect_uris: ['https://app.example.test/back'] };
    expect((await (await keyOf(admin, ['clients:manage'])).post('/v2/oauth/clients', open)).status).toBe(201);
  });

  it(req('CRED-01', 'passwords and sessions are for whole credentials'), async () => {
    const every = await keyOf(admin, PERMISSIONS);
    expect((await every.get('/v2/users/me/sessions')).status).toBe(403);
    const change = { current_password: server.admin.password, new_password: `${PASSWORD} new` };
    expect((await every.post('/v2/users/me/password', change)).status).toBe(403);
  });
});

describe('what a narrowed credential has laid by for later', () => {
  const NARROW = [...ROLE_PERMISSIONS.readonly, 'users:manage'];
  const NEW_PASSWORD = 'another long password of somebody';
  let key: Client;
  beforeAll(async () => {
    key = await keyOf(admin, NARROW);
  });

  const redeem = (url: string | undefined): Promise<Answer> =>
    createClient(() => server.url, '').post('/v2/auth/password/reset', {
      token: url?.split('/').at(-1),
      password: NEW_PASSWORD,
    });
  const invite = async (maker: Client, roles: string[]) => {
    count += 1;
    const email = `later${count}@example.test`;
    const made = await maker.post('/v2/users', { email, roles });
    expect(made.status, made.text).toBe(201);
    const { id, invitation_url: url } = made.json<{ id: string; invitation_url: string }>();
    return { id, url, email };
  };
  const signs = async (email: string, password: string): Promise<number> =>
    (await createClient(() => server.url, '').post('/v2/auth/login', { email, password })).status;
  const change = async (id: string, body: Record<string, unknown>): Promise<{ status: string }> => {
    const answer = await admin.patch(`/v2/users/${id}`, body);
    expect(answer.status, answer.text).toBe(200);
    return answer.json<{ status: string }>();
  };
  const audited = async (id: string): Promise<string> => {
    const { items } = (await admin.get('/v2/audit?limit=50')).json<{ items: { target_id: string }[] }>();
    return JSON.stringify(items.filter((item) => item.target_id === id));
  };

  it.each([
    ['admin', { roles: ['admin'] }],
    ['operator', { roles: ['operator'] }],
    ['one permission more', { permissions: ['users:manage'] }],
  ])(req('CRED-06', 'an invitation ends when the account is raised: %s'), async (_name, raise) => {
    const { id, url, email } = await invite(key, ['readonly']);
    expect((await change(id, raise)).status).toBe('invited');
    expect((await redeem(url)).status).toBe(404);
    expect((await createClient(() => server.url, '').get(new URL(url).pathname)).status).toBe(404);
    expect(await signs(email, NEW_PASSWORD)).toBe(401);
    expect(await audited(id)).toContain('links_ended');
    const fresh = await admin.post(`/v2/users/${id}/invitation`);
    expect((await redeem(fresh.json<{ url: string }>().url)).status).toBe(204);
    expect(await signs(email, NEW_PASSWORD)).toBe(200);
  });

  it(req('CRED-06', 'a reset link ends when the roles come back that were taken away'), async () => {
    const id = await makeAccount({ roles: ['operator'], password: PASSWORD });
    expect((await key.patch(`/v2/users/${id}`, { roles: ['readonly'] })).status).toBe(200);
    const link = await key.post(`/v2/users/${id}/password-reset`);
    expect(link.status, link.text).toBe(200);
    // Nobody but an administrator knows the password: it stays.
    expect((await change(id, { roles: ['operator'] })).status).toBe('active');
    expect((await redeem(link.json<{ url: string }>().url)).status).toBe(404);
    const fresh = await admin.post(`/v2/users/${id}/password-reset`);
    expect((await redeem(fresh.json<{ url: string }>().url)).status).toBe(204);
  });

  it(req('CRED-06', 'a change that adds nothing leaves the link'), async () => {
    const { id, url } = await invite(key, ['readonly']);
    await change(id, { name: 'Another name', permissions: [] });
    expect((await redeem(url)).status).toBe(204);
  });

  it(req('CRED-06', 'a password that it has set ends, with the sessions, beyond what it could'), async () => {
    const password = { email: `set${count}@example.test`, password: PASSWORD, roles: ['user'] };
    const may = await keyOf(admin, [...USER_PERMISSIONS, 'users:manage']);
    const made = await may.post('/v2/users', password);
    const { id } = made.json<{ id: string }>();
    const session = await server.signIn(password.email, PASSWORD);
    const own = await session.post('/v2/auth/api-keys', { name: 'own' });
    // To change it oneself is no proof: whoever knows the first one can.
    const own_change = { current_password: PASSWORD, new_password: NEW_PASSWORD };
    expect((await session.post('/v2/users/me/password', own_change)).status).toBe(204);
    expect((await change(id, { permissions: ['users:manage'] })).status).toBe('active');
    expect((await change(id, { roles: ['admin'] })).status).toBe('invited');
    expect(await signs(password.email, NEW_PASSWORD)).toBe(401);
    expect((await session.get('/v2/auth/me')).status).toBe(401);
    const kept = createClient(() => server.url, own.json<{ key: string }>().key);
    expect((await kept.get('/v2/auth/me')).status).toBe(401);
    expect(await audited(id)).toContain('password_ended');
    const fresh = await admin.post(`/v2/users/${id}/invitation`);
    expect((await redeem(fresh.json<{ url: string }>().url)).status).toBe(204);
    // From an administrator of the platform: it stays whatever comes.
    expect((await change(id, { roles: ['readonly'], permissions: [] })).status).toBe('active');
    expect((await change(id, { roles: ['admin'] })).status).toBe('active');
  });

  it(req('CRED-06', 'so does one from a link that it was shown'), async () => {
    const { id, url, email } = await invite(key, ['readonly']);
    expect((await redeem(url)).status).toBe(204);
    expect((await change(id, { roles: ['operator'] })).status).toBe('invited');
    expect(await signs(email, NEW_PASSWORD)).toBe(401);
  });

  it(req('CRED-06', 'also where the person is raised by a move'), async () => {
    const { id, url, email } = await invite(key, ['readonly']);
    expect((await redeem(url)).status).toBe(204);
    const moved = await admin.post(`/v2/users/${id}/move`, { tenant_id: tenantId, roles: ['admin'] });
    expect([moved.status, moved.json<{ status: string }>().status], moved.text).toEqual([201, 'invited']);
    expect(await signs(email, NEW_PASSWORD)).toBe(401);
  });

  it(req('CRED-06', 'a machine key that it has fetched ends, and another’s stays'), async () => {
    const id = await makeAccount({ type: 'service', roles: ['readonly'] });
    const path = `/management/v1/users/${id}/machine_keys`;
    const its = (await key.post(path, {})).json<{ keyId: string }>().keyId;
    const ours = (await admin.post(path, {})).json<{ keyId: string }>().keyId;
    expect((await change(id, { roles: ['admin'] })).status).toBe('active');
    expect(await audited(id)).toContain('machine_keys_ended');
    expect((await admin.delete(`${path}/${its}`)).status).toBe(404);
    expect((await admin.delete(`${path}/${ours}`)).status).toBe(200);
  });

  it(req('CRED-06', 'the account of a client whose secret it knows is not raised'), async () => {
    const may = await keyOf(admin, [...USER_PERMISSIONS, 'clients:manage']);
    const client = await may.post('/v2/oauth/clients', { name: 'c', type: 'confidential' });
    const { service_user_id: id } = client.json<{ service_user_id: string }>();
    const raised = await admin.patch(`/v2/users/${id}`, { roles: ['admin'] });
    expect([raised.status, raised.text.includes('delete the client')], raised.text).toEqual([409, true]);
    const account = (await admin.get(`/v2/users/${id}`)).json<{ roles: string[] }>();
    expect(account.roles).toEqual(['user']);
    expect((await change(id, { roles: ['readonly'] })).status).toBe('active');
  });
});
