import { afterAll, describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import { type Client, createClient } from '../../../test/support/client.ts';
import { startReceiver } from '../../../test/support/receiver.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { withServer } from '../../../test/support/suite.ts';

/** A webhook is told of what its credential may read, and of nothing else. */

let receiver: Awaited<ReturnType<typeof startReceiver>>;
let server: TestServer;
let admin: Client;

const it = withServer({ env: { WEBHOOK_ALLOW_PRIVATE: 'on' } });
it.beforeAll(async ({ world }) => {
  ({ server, admin } = world);
  // Many receivers send back what they were sent.
  receiver = await startReceiver((response, n) => response.end(receiver.received[n - 1]?.body));
});
afterAll(async () => {
  await receiver?.close();
});

const MANAGES = ['webhooks:read', 'webhooks:manage'];

const keyOf = async (permissions?: readonly string[]) => {
  const made = await admin.post('/v2/auth/api-keys', {
    name: 'hooks',
    ...(permissions === undefined ? {} : { permissions }),
  });
  expect(made.status, made.text).toBe(201);
  const { id, key } = made.json<{ id: string; key: string }>();
  return { id, client: createClient(() => server.url, key) };
};

const hookOf = async (client: Client, events: readonly string[] = ['*']): Promise<string> => {
  const made = await client.post('/v2/webhooks', { url: receiver.url, events });
  expect(made.status, made.text).toBe(201);
  return made.json<{ id: string }>().id;
};

/** Deliveries are written with the change that they tell of, so that none comes later. */
const toldOf = async (hook: string): Promise<string[]> =>
  (await admin.get(`/v2/webhooks/${hook}/deliveries`))
    .json<{ items: { event: string }[] }>()
    .items.map(({ event }) => event)
    .sort();

let changes = 0;
const change = async (): Promise<void> => {
  const n = `change${++changes}`;
  const made = [
    await admin.post('/v2/users', { email: `${n}@example.test` }),
    await admin.post('/v2/governance/proposals', { action: n, estimated_cost: 1 }),
  ];
  for (const answer of made) expect([200, 201], answer.text).toContain(answer.status);
};

describe('a webhook', () => {
  it(req('CRED-04', 'of a key that may manage webhooks alone is told of nothing'), async () => {
    const narrow = await hookOf((await keyOf(MANAGES)).client);
    const some = await hookOf((await keyOf([...MANAGES, 'users:read'])).client);
    const whole = await hookOf((await keyOf()).client);
    await change();
    expect(await toldOf(whole)).toEqual(expect.arrayContaining(['proposal.created', 'user.created']));
    expect(await toldOf(some)).toEqual(['user.created']);
    expect(await toldOf(narrow)).toEqual([]);
  });

  it(req('CRED-04', 'that a narrower key sends elsewhere is told of what both may read'), async () => {
    const narrow = (await keyOf([...MANAGES, 'users:read'])).client;
    const hook = await hookOf(admin);
    const described = await hookOf(admin, ['proposal.created']);
    for (const [id, body] of [
      [hook, { url: `${receiver.url}?elsewhere` }],
      [described, { description: 'as it was' }],
    ] as const) {
      expect((await narrow.patch(`/v2/webhooks/${id}`, body)).status).toBe(200);
    }
    await change();
    expect(await toldOf(hook)).toEqual(['user.created']);
    expect(await toldOf(described)).toEqual(['proposal.created']);
    // What is lost does not come back by a change of somebody who may more.
    expect((await admin.patch(`/v2/webhooks/${hook}`, { events: ['*'] })).status).toBe(200);
    await change();
    expect(await toldOf(hook)).toEqual(['user.created', 'user.created']);
  });

  it(req('CRED-04', 'of a key that was deleted is told of nothing more'), async () => {
    const key = await keyOf();
    const hook = await hookOf(key.client, ['user.created']);
    await change();
    expect(await toldOf(hook)).toEqual(['user.created']);
    expect((await admin.delete(`/v2/auth/api-keys/${key.id}`)).status).toBe(204);
    await change();
    expect(await toldOf(hook)).toEqual(['user.created']);
  });
});

const PLACES = ['/v2/webhooks', '/api/v1/webhooks'];

interface DeliveryView {
  id: string;
  event: string;
  status: string;
  cancelled_reason: string | null;
  request_body?: string;
  body_withheld?: string;
  log: { response: { status: number; headers: Record<string, string>; body: string } | null }[];
}

const deliveriesOf = async (hook: string): Promise<DeliveryView[]> =>
  (await admin.get(`/v2/webhooks/${hook}/deliveries`)).json<{ items: DeliveryView[] }>().items;

const deliveryOf = async (hook: string, event: string): Promise<DeliveryView> => {
  const found = (await deliveriesOf(hook)).find((one) => one.event === event);
  if (found === undefined) throw new Error(`no delivery of ${event}`);
  return found;
};

const stateOf = async (hook: string) =>
  (await admin.get(`/v2/webhooks/${hook}`)).json<{
    status: string;
    disabled_reason: string | null;
    created_by: string;
  }>();

const personWith = async (roles: readonly string[], permissions: readonly string[]): Promise<Client> => {
  const email = `person${++changes}@example.test`;
  const password = `a long enough pass phrase ${changes}`;
  const made = await admin.post('/v2/users', { email, password, roles, permissions });
  expect(made.status, made.text).toBe(201);
  return server.signIn(email, password);
};

describe('a stored delivery', () => {
  it(req('CRED-05', 'shows what was said, both ways, to those alone who may read its record'), async () => {
    const narrow = (await keyOf(MANAGES)).client;
    const reads = (await keyOf([...MANAGES, 'users:read'])).client;
    const hook = await hookOf(admin, ['user.created']);
    await change();
    const { id } = await deliveryOf(hook, 'user.created');
    await expect.poll(async () => (await deliveryOf(hook, 'user.created')).status).toBe('delivered');
    for (const place of PLACES) {
      const seen = (await reads.get(`${place}/${hook}/deliveries/${id}`)).json<DeliveryView>();
      expect(seen.request_body).toContain('user.created');
      expect(seen.log[0]?.response?.body).toBe(seen.request_body);
      expect(seen).not.toHaveProperty('body_withheld');
      const hidden = (await narrow.get(`${place}/${hook}/deliveries/${id}`)).json<DeliveryView>();
      expect(hidden.status).toBe('delivered');
      expect(hidden).not.toHaveProperty('request_body');
      expect(hidden.body_withheld).toContain('users:read');
      expect(hidden.log[0]?.response).toEqual({ status: 200, headers: {}, body: '' });
    }
  });

  it(
    req('CRED-05', 'of another person’s record shows it to those alone who read the whole tenant'),
    async () => {
      const hook = await hookOf(admin, ['proposal.created']);
      const asked = await admin.post('/v2/governance/proposals', { action: 'theirs', estimated_cost: 1 });
      expect([200, 201]).toContain(asked.status);
      const { id } = await deliveryOf(hook, 'proposal.created');
      const person = await personWith(['user'], ['webhooks:read', 'governance:read']);
      const hidden = (await person.get(`/v2/webhooks/${hook}/deliveries/${id}`)).json<DeliveryView>();
      expect(hidden.status).toBeDefined();
      expect(JSON.stringify(hidden)).not.toContain('theirs');
      expect(hidden.body_withheld).toContain('another person');
    },
  );

  it(req('CRED-05', 'does not go to an address that a narrower key has put in'), async () => {
    const narrow = (await keyOf(MANAGES)).client;
    const hook = await hookOf(admin, ['user.created']);
    await change();
    const { id } = await deliveryOf(hook, 'user.created');
    await expect.poll(async () => (await deliveryOf(hook, 'user.created')).status).toBe('delivered');
    const elsewhere = await startReceiver((response) => response.end());
    try {
      const moved = await narrow.patch(`/v2/webhooks/${hook}`, { url: elsewhere.url });
      expect(moved.status, moved.text).toBe(200);
      for (const client of [narrow, admin]) {
        const again = await client.post(`/v2/webhooks/${hook}/deliveries/${id}/redeliver`);
        expect([again.status, again.text]).toEqual([409, expect.stringContaining('may not read')]);
      }
      // Its own test goes there, and nothing before it has.
      expect((await narrow.post(`/v2/webhooks/${hook}/test`)).status).toBe(200);
      expect(elsewhere.received.map(({ body }) => (JSON.parse(body) as { event: string }).event)).toEqual([
        'webhook.test',
      ]);
    } finally {
      await elsewhere.close();
    }
  });

  it(req('CRED-05', 'that waits for its next try is not tried at an address of a narrower key'), async () => {
    const narrow = (await keyOf(MANAGES)).client;
    const dead = await startReceiver((response) => {
      response.statusCode = 500;
      response.end();
    });
    const elsewhere = await startReceiver((response) => response.end());
    try {
      const made = await admin.post('/v2/webhooks', { url: dead.url, events: ['user.created'] });
      const { id: hook } = made.json<{ id: string }>();
      await change();
      await expect.poll(() => dead.received.length).toBe(1);
      expect((await narrow.patch(`/v2/webhooks/${hook}`, { url: elsewhere.url })).status).toBe(200);
      await expect
        .poll(async () => deliveryOf(hook, 'user.created'), { timeout: 60_000 })
        .toMatchObject({ status: 'cancelled', cancelled_reason: 'not_allowed' });
      expect(elsewhere.received).toEqual([]);
    } finally {
      await dead.close();
      await elsewhere.close();
    }
  });
});

describe('a webhook that others change', () => {
  it(req('CRED-04', 'tells of no more than each of them may read, records of others included'), async () => {
    const person = await personWith(['user'], [...MANAGES, 'governance:read', 'users:read']);
    const hook = await hookOf(admin, ['proposal.created', 'user.created']);
    expect((await person.patch(`/v2/webhooks/${hook}`, { url: `${receiver.url}?theirs` })).status).toBe(200);
    await change();
    // A proposal is its owner's; accounts are told of to all who may read users.
    expect(await toldOf(hook)).toEqual(['user.created']);
  });

  it(req('CRED-04', 'goes on after a change by another person’s key, until that is deleted'), async () => {
    const other = await personWith(['operator'], ['users:read']);
    const made = await other.post('/v2/auth/api-keys', { name: 'theirs' });
    const { id: keyId, key } = made.json<{ id: string; key: string }>();
    const client = createClient(() => server.url, key);
    const hook = await hookOf(admin, ['user.created']);
    expect((await client.patch(`/v2/webhooks/${hook}`, { url: `${receiver.url}?moved` })).status).toBe(200);
    await change();
    expect(await toldOf(hook)).toEqual(['user.created']);
    expect((await other.delete(`/v2/auth/api-keys/${keyId}`)).status).toBe(204);
    await expect
      .poll(() => stateOf(hook))
      .toMatchObject({ status: 'disabled', disabled_reason: 'key_deleted' });
  });
});

describe('a webhook that nobody reads for any more', () => {
  const toldAbout = async (client: Client): Promise<string[]> =>
    (await client.get('/v2/notifications?limit=100'))
      .json<{ items: { title: string; data: { webhook_id?: string } }[] }>()
      .items.flatMap(({ data }) => (data.webhook_id === undefined ? [] : [data.webhook_id]));

  it(
    req('HOOK-08', 'is off once its key is deleted: it says why, its maker is told, the chain has it'),
    async () => {
      const key = await keyOf();
      const hook = await hookOf(key.client, ['user.created']);
      expect((await admin.delete(`/v2/auth/api-keys/${key.id}`)).status).toBe(204);
      await expect
        .poll(() => stateOf(hook))
        .toMatchObject({ status: 'disabled', disabled_reason: 'key_deleted' });
      await expect.poll(() => toldAbout(admin)).toContain(hook);
      const rows = (await admin.get('/v2/audit?action=webhook.disabled&limit=100')).json<{
        items: { target_id: string; actor_type: string; details: Record<string, unknown> }[];
      }>().items;
      expect(rows.filter((row) => row.target_id === hook)).toMatchObject([
        { actor_type: 'system', details: { reason: 'key_deleted' } },
      ]);
      const again = await admin.post(`/v2/webhooks/${hook}/test`);
      expect(again.status).toBe(200);
      await change();
      expect(await toldOf(hook)).toEqual(['webhook.test']);
    },
  );

  it(req('HOOK-08', 'goes on with what both could when somebody switches it on again'), async () => {
    const key = await keyOf([...MANAGES, 'users:read']);
    const hook = await hookOf(key.client, ['*']);
    expect((await admin.delete(`/v2/auth/api-keys/${key.id}`)).status).toBe(204);
    await expect.poll(() => stateOf(hook)).toMatchObject({ status: 'disabled' });
    expect((await admin.patch(`/v2/webhooks/${hook}`, { status: 'active' })).status).toBe(200);
    await change();
    expect(await toldOf(hook)).toEqual(['user.created']);
    expect(await stateOf(hook)).toMatchObject({ status: 'active', disabled_reason: null });
  });

  it(req('HOOK-08', 'tells who manages webhooks when its maker’s account has ended'), async () => {
    const maker = await personWith(['operator'], ['users:read']);
    const hook = await hookOf(maker, ['user.created']);
    const { created_by } = await stateOf(hook);
    const ended = await admin.patch(`/v2/users/${created_by}`, { status: 'deactivated' });
    expect(ended.status, ended.text).toBe(200);
    await expect
      .poll(() => stateOf(hook))
      .toMatchObject({ status: 'disabled', disabled_reason: 'account_inactive' });
    await expect.poll(() => toldAbout(admin)).toContain(hook);
    expect((await admin.patch(`/v2/webhooks/${hook}`, { status: 'active' })).status).toBe(200);
    await change();
    expect(await toldOf(hook)).toEqual(['user.created']);
  });
});
