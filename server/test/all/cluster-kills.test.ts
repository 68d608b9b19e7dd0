import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import { type Client, createClient } from '../support/client.ts';
import { startCommand } from '../support/command.ts';
import { startTestProvider, type TestProvider } from '../support/provider.ts';
import { startReceiver } from '../support/receiver.ts';
import { ADMIN, startCluster, type TestCluster, type TestServer } from '../support/server.ts';
import { newDatabase, postgresServer } from '../support/stores.ts';

/** What each part of the platform comes to when a node is killed at the moment that is worst for it. */

const PLATFORM_KEY = 'a key that the nodes of these tests share';

let provider: TestProvider;
let cluster: TestCluster;
let admin: Client;
let database: { url: string; drop(): Promise<void> };
beforeAll(async () => {
  provider = await startTestProvider();
  database = await newDatabase(postgresServer ?? '');
  cluster = await startCluster({
    nodes: 3,
    databaseUrl: database.url,
    env: {
      PLATFORM_KEY,
      MODEL: 'compatible/test-model',
      COMPATIBLE_BASE_URL: provider.url,
      DEFAULT_PRICE_OUTPUT: '15',
      WEBHOOK_ALLOW_PRIVATE: 'on',
      TASKS_PER_TENANT: '20',
      RATE_LIMITS: 'on',
      RATE_FREE: '100000:100000',
      RATE_PRO: '100000:100000',
      RATE_ENTERPRISE: '100000:100000',
    },
  });
  admin = await cluster.signIn();
}, 240_000);
afterAll(async () => {
  await cluster?.close();
  await database?.drop();
  await provider?.close();
});
beforeEach(() => provider.reset());

const node = (i: number): TestServer => {
  const found = cluster.nodes[i % cluster.nodes.length];
  if (found === undefined) throw new Error(`there is no node ${i}`);
  return found;
};
const at = (i: number, client: Client = admin): Client => createClient(() => node(i).url, client.token);

/** Long enough for a lease or a silent node to run out, on a machine that others use. */
const PATIENCE = { timeout: 150_000, interval: 500 };

/** Kills one node after the other (each is started again) until the one that `isGone` tells of was it. */
const killTheOneAtWork = async (isGone: () => boolean): Promise<number> => {
  for (const i of [0, 1, 2]) {
    await node(i).end('SIGKILL');
    // The kernel closes a dead process' connections at once; what is told of them comes a moment later.
    for (let looks = 0; looks < 40 && !isGone(); looks++) await delay(50);
    if (isGone()) return i;
    await node(i).start();
  }
  throw new Error('no node was at work');
};

describe('a node that is killed', () => {
  it(req('CLU-18', 'in the middle of a call: what it had reserved is free again'), async () => {
    const reserved = async (): Promise<number> => {
      const { limits } = (await at(1).get('/v2/costs/limits')).json<{
        limits: { scope: string; period: string; reserved_usd: number }[];
      }>();
      return limits.find((one) => one.scope === 'tenant' && one.period === 'day')?.reserved_usd ?? -1;
    };
    const never = Promise.withResolvers<void>();
    provider.always({ chunks: ['x'], hold: never.promise });
    expect(await reserved()).toBe(0);
    const asked = at(0)
      .post('/v2/chat', { message: 'How are you?', context: { agent_id: 'zeus' } })
      .catch(() => null);
    await expect.poll(() => provider.live).toBe(1);
    expect(await reserved()).toBeGreaterThan(0);
    await node(0).end('SIGKILL');
    await asked;
    provider.always({ chunks: ['y'] });
    await expect.poll(reserved, PATIENCE).toBe(0);
    await node(0).start();
    never.resolve();
  }, 240_000);

  it(req('CLU-18', 'while scheduled tasks run: each slot has one run, and comes to its end'), async () => {
    const release = Promise.withResolvers<void>();
    provider.always({ chunks: ['done'], hold: release.promise });
    const due = new Date(Date.now() + 3_000).toISOString();
    const tasks = await Promise.all(
      Array.from({ length: 6 }, async (_, n) => {
        const made = await at(n).post('/v2/tasks', {
          description: `slot ${n}`,
          agent_id: 'zeus',
          scheduled_at: due,
        });
        expect(made.status, made.text).toBe(201);
        return made.json<{ id: string }>().id;
      }),
    );
    await expect.poll(() => provider.live, PATIENCE).toBe(tasks.length);
    const killed = await killTheOneAtWork(() => provider.live < tasks.length);
    release.resolve();
    const other = killed + 1;
    const states = () =>
      Promise.all(
        tasks.map(async (id) => (await at(other).get(`/v2/tasks/${id}`)).json<{ status: string }>().status),
      );
    await expect.poll(states, PATIENCE).toEqual(tasks.map(() => 'completed'));
    await node(killed).start();
    for (const id of tasks) {
      const runs = (await at(killed).get(`/v2/tasks/${id}/runs`)).json<{
        total: number;
        items: { status: string }[];
      }>();
      expect([runs.total, runs.items.map((run) => run.status)]).toEqual([1, ['completed']]);
    }
  }, 300_000);

  it(req('CLU-18', 'while it delivers a webhook: another delivers it, under the same id'), async () => {
    let held: ServerResponse | null = null;
    let gone = false;
    const receiver = await startReceiver((response, n) => {
      if (n > 1) return response.writeHead(204).end();
      held = response;
      response.on('close', () => {
        gone = true;
      });
    });
    const hook = await at(0).post('/v2/webhooks', { url: receiver.url, events: ['conversation.completed'] });
    expect(hook.status, hook.text).toBe(201);
    provider.always({ chunks: ['hello'] });
    expect((await at(0).post('/v2/chat', { message: 'Hi.', context: { agent_id: 'zeus' } })).status).toBe(
      200,
    );
    await expect.poll(() => held !== null, PATIENCE).toBe(true);
    const killed = await killTheOneAtWork(() => gone);
    const log = `/v2/webhooks/${hook.json<{ id: string }>().id}/deliveries`;
    const statuses = async () =>
      (await at(killed + 1).get(log)).json<{ items: { status: string }[] }>().items.map((one) => one.status);
    await expect.poll(statuses, PATIENCE).toEqual(['delivered']);
    expect(new Set(receiver.received.map((one) => one.headers['webhook-id'])).size).toBe(1);
    expect(new Set(receiver.received.map((one) => one.body)).size).toBe(1);
    await node(killed).start();
    await receiver.close();
  }, 300_000);

  it(req(
    'CLU-18',
    'after it has answered under an idempotency key: the others give the same answer',
  ), async () => {
    provider.always({ chunks: ['once'] });
    const body = { message: 'Only once.', context: { agent_id: 'zeus' } };
    const key = { headers: { 'idempotency-key': 'answered by a dead node' } };
    const first = await at(0).post('/v2/chat', body, key);
    expect(first.status, first.text).toBe(200);
    await node(0).end('SIGKILL');
    for (const i of [1, 2]) {
      const again = await at(i).post('/v2/chat', body, key);
      expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    }
    expect(provider.requests.length).toBe(1);
    await node(0).start();
  }, 120_000);

  it(req(
    'CLU-18',
    'while guesses at a password are checked: no more of them are answered than allowed',
  ), async () => {
    const email = 'guessed@example.com';
    const made = await at(0).post('/v2/users', { email, name: 'G', password: 'a long enough password' });
    expect(made.status, made.text).toBe(201);
    const guess = async (i: number): Promise<number> => {
      const nobody = createClient(() => node(i).url, null);
      return nobody.post('/v2/auth/login', { email, password: `wrong ${i} password` }).then(
        (answer) => answer.status,
        () => 0,
      );
    };
    const guesses = Array.from({ length: 24 }, (_, i) => guess(i));
    await Promise.race(guesses);
    await node(2).end('SIGKILL');
    const answered = await Promise.all(guesses);
    expect(answered.filter((status) => status === 401).length).toBeLessThanOrEqual(10);
    expect(answered.every((status) => [0, 401, 429].includes(status))).toBe(true);
    // Guesses that died with their node have been counted: whatever is left of the ten is used up by these.
    for (let i = 0; i < 10; i++) await guess(i % 2);
    expect(await guess(1)).toBe(429);
    await node(2).start();
    expect(await guess(2)).toBe(429);
  }, 120_000);

  it(req(
    'CLU-18',
    'has counted for the others how often an address asked the identity provider',
  ), async () => {
    const ask = async (i: number): Promise<number> =>
      (await createClient(() => node(i).url, null).get('/oauth/v2/keys')).status;
    const many = async (from: number, to: number, nodes: readonly number[]): Promise<number[]> => {
      const statuses: number[] = [];
      for (let n = from; n < to; n += 40) {
        const batch = Array.from({ length: Math.min(40, to - n) }, (_, i) =>
          ask(nodes[(n + i) % nodes.length] ?? 0),
        );
        statuses.push(...(await Promise.all(batch)));
      }
      return statuses;
    };
    const before = await many(0, 400, [0, 1, 2]);
    await node(2).end('SIGKILL');
    const after = await many(400, 640, [0, 1]);
    const all = [...before, ...after];
    expect(all.filter((status) => status === 200).length).toBe(600);
    expect(all.filter((status) => status === 429).length).toBe(40);
    await node(2).start();
    expect(await ask(2)).toBe(429);
  }, 240_000);

  it(req(
    'CLU-18',
    'in the middle of a rotation of keys: tokens stay good everywhere, and it can be done again',
  ), async () => {
    const env = { DATABASE_URL: database.url, PLATFORM_KEY, DATA_DIR: node(0).dataDir };
    for (const afterMs of [300, 600, 900, 1_200, 1_500]) {
      const { child, done: ended } = startCommand(['keys', 'rotate'], env);
      await Promise.race([ended, delay(afterMs)]);
      child.kill('SIGKILL');
      await ended;
      for (const i of [0, 1, 2]) expect((await at(i).get('/v2/auth/me')).status).toBe(200);
    }
    const whole = await startCommand(['keys', 'rotate'], env).done;
    expect(whole.code, whole.err).toBe(0);
    // A node that is killed and started again signs with a key that the others know, and they with one that it knows.
    await node(1).end('SIGKILL');
    await node(1).start();
    for (const i of [0, 1, 2]) {
      const fresh = await node(i).signIn(ADMIN.email, ADMIN.password);
      for (const j of [0, 1, 2]) {
        await expect.poll(async () => (await at(j, fresh).get('/v2/auth/me')).status, PATIENCE).toBe(200);
      }
      expect((await at(i).get('/v2/auth/me')).status).toBe(200);
    }
  }, 240_000);
});
