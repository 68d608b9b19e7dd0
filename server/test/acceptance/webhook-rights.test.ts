import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import { type Client, createClient } from '../support/client.ts';
import { startReceiver } from '../support/receiver.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** A webhook is told of what its credential may read, and of nothing else. */

let receiver: Awaited<ReturnType<typeof startReceiver>>;
let server: TestServer;
let admin: Client;

beforeAll(async () => {
  receiver = await startReceiver((response) => response.end());
  server = await startServer({ env: { WEBHOOK_ALLOW_PRIVATE: 'on' } });
  admin = await server.signIn();
}, 120_000);
afterAll(async () => {
  await server?.close();
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
