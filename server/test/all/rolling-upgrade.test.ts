import { createClient as createRedis } from '@redis/client';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import { type Client, createClient } from '../support/client.ts';
import { startTestProvider, type TestProvider } from '../support/provider.ts';
import {
  redisServer,
  StartFailure,
  startCluster,
  type TestCluster,
  type TestServer,
} from '../support/server.ts';
import { openSocket } from '../support/socket-client.ts';
import { newDatabase, postgresServer } from '../support/stores.ts';

/**
 * The length of a roll, as the nodes of the older release live through it: a newer one has brought the schema up to date (its
 * steps only add, server/src/db/migrations/expand.test.ts), sends messages and queues work that they do not know.
 */

let provider: TestProvider;
let cluster: TestCluster;
let admin: Client;
let database: { url: string; drop(): Promise<void> };
let store: pg.Client;
beforeAll(async () => {
  provider = await startTestProvider();
  database = await newDatabase(postgresServer ?? '');
  cluster = await startCluster({
    nodes: 2,
    databaseUrl: database.url,
    env: { MODEL: 'compatible/test-model', COMPATIBLE_BASE_URL: provider.url, WEBHOOK_ALLOW_PRIVATE: 'on' },
  });
  admin = await cluster.signIn();
  store = new pg.Client({ connectionString: database.url });
  await store.connect();
}, 240_000);
afterAll(async () => {
  await cluster?.close();
  await store?.end();
  await database?.drop();
  await provider?.close();
});
beforeEach(() => provider.reset());

const node = (i: number): TestServer => {
  const found = cluster.nodes[i];
  if (found === undefined) throw new Error(`there is no node ${i}`);
  return found;
};
const at = (i: number, client: Client = admin): Client => createClient(() => node(i).url, client.token);
const question = { message: 'How are you?', context: { agent_id: 'zeus' } };

/** Everything that a step of a later release may do: a column for each table, tables of its own, indexes. */
const expand = async (): Promise<void> => {
  const { rows } = await store.query<{ name: string }>(
    `select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not like 'kysely%'`,
  );
  for (const { name } of rows) {
    await store.query(`alter table ${name} add column of_tomorrow text`);
    await store.query(`alter table ${name} add column counted_tomorrow bigint not null default 7`);
  }
  await store.query('create table things_of_tomorrow (id text primary key, tenant_id text not null)');
  await store.query(`create index messages_of_tomorrow on messages (tenant_id, of_tomorrow)`);
  await store.query(
    `insert into kysely_migration (name, timestamp) values ('999-of-tomorrow', '2030-01-01')`,
  );
};

describe('nodes of the release before', () => {
  it(req(
    'CLU-19',
    'go on with a schema that a newer one has added to, and start no more on it',
  ), async () => {
    const before = await at(0).post('/v2/conversations', { title: 'of before' });
    const socket = openSocket(`${node(1).url.replace(/^http/, 'ws')}/v2/ws`, { token: admin.token ?? '' });
    await socket.next('ready');
    await expand();
    for (const i of [0, 1]) {
      provider.always({ chunks: ['fine', '.'] });
      await expect.poll(async () => (await at(i).get('/ready')).status, { timeout: 60_000 }).toBe(200);
      const fresh = await node(i).signIn();
      expect((await at(i, fresh).post('/v2/chat', question)).status).toBe(200);
      expect((await (await at(i).stream('/v2/chat/stream', question)).rest()).at(-1)?.event).toBe(
        'message.completed',
      );
      const listed = (await at(i).get('/v2/conversations?limit=100')).json<{ items: { title: string }[] }>();
      expect(listed.items.map((item) => item.title)).toContain('of before');
      const id = before.json<{ id: string }>().id;
      expect((await at(i).patch(`/v2/conversations/${id}`, { title: 'of before' })).status).toBe(200);
      const document = await at(i).post('/v2/knowledge/documents', {
        title: `Lens ${i}`,
        content: `Polishing the lens number ${i}.`,
      });
      expect(document.status, document.text).toBe(201);
      const found = await at(1 - i).post('/v2/knowledge/search', { query: `polishing lens number ${i}` });
      expect(found.status, found.text).toBe(200);
      expect(found.text).toContain(`Lens ${i}`);
      const task = await at(i).post('/v2/tasks', { description: 'now', agent_id: 'zeus' });
      expect(task.status, task.text).toBe(201);
      const path = `/v2/tasks/${task.json<{ id: string }>().id}`;
      await expect
        .poll(async () => (await at(1 - i).get(path)).json<{ status: string }>().status, { timeout: 60_000 })
        .toBe('completed');
      expect((await at(i).get('/v2/costs/usage')).status).toBe(200);
      expect((await at(i).get('/v2/memory/graph')).status).toBe(200);
    }
    await socket.next('run.started');
    socket.close();
    // A node that ends in mid-roll is replaced by one of the new release: the old program refuses, and says what to do.
    await node(1).end('SIGTERM');
    const refused = await node(1)
      .start()
      .catch((error: unknown) => error);
    if (!(refused instanceof StartFailure)) throw new Error('the older program started');
    expect(refused.stderr).toContain('the store is of a newer release of Pentarch');
    expect((await at(0).post('/v2/chat', question)).status).toBe(200);
    await store.query(`delete from kysely_migration where name = '999-of-tomorrow'`);
    await node(1).start();
  }, 240_000);

  it(req('CLU-19', 'leave work that only the newer one can read to it, and lose none of it'), async () => {
    const boss = new PgBoss({ connectionString: database.url, schedule: false, supervise: false, max: 2 });
    await boss.start();
    const payload = { v: 2, delivery: { id: 'of tomorrow', tenant: 'of tomorrow' } };
    await boss.send('webhook.deliver', { attempt: 3, payload });
    const jobs = async () => {
      const { rows } = await store.query<{ state: string; data: { attempt: number; newerSince?: number } }>(
        `select state, data from pgboss.job where name = 'webhook.deliver' and data->'payload'->>'v' = '2'
          and state in ('created', 'retry', 'active')`,
      );
      return rows.map(({ state, data }) => ({
        state,
        attempt: data.attempt,
        left: data.newerSince !== undefined,
      }));
    };
    // It has been looked at, is there again, and that was no attempt.
    await expect.poll(jobs, { timeout: 60_000 }).toEqual([{ state: 'created', attempt: 3, left: true }]);
    const { rows } = await store.query(`select id from jobs where state = 'dead'`);
    expect(rows).toEqual([]);
    await boss.stop({ graceful: false });
  }, 120_000);

  it(req(
    'CLU-19',
    'hand on events with more in them than they know, and let messages of a kind they do not know pass',
  ), async () => {
    const { rows } = await store.query<{ value: string }>(`select value from platform where name = 'id'`);
    const channel = `pentarch:${rows[0]?.value}:all`;
    const me = (await at(0).get('/v2/users/me')).json<{ id: string; tenant_id: string }>();
    const redis = createRedis({ url: redisServer ?? '' });
    await redis.connect();
    const socket = openSocket(`${node(0).url.replace(/^http/, 'ws')}/v2/ws`, { token: admin.token ?? '' });
    await socket.next('ready');
    const send = (topic: string, message: unknown) =>
      redis.publish(channel, JSON.stringify({ from: 'a newer node', topic, message, of_tomorrow: true }));
    const event = {
      id: crypto.randomUUID(),
      tenantId: me.tenant_id,
      userId: me.id,
      reach: 'own',
      permission: 'conversations:read',
      data: { run_id: 'x', conversation_id: 'y', message_id: 'z', of_tomorrow: { a: 1 } },
      createdAt: Date.now(),
      ofTomorrow: ['b'],
    };
    await send('topic.of.tomorrow', { some: 'thing' });
    await send('event', { ...event, type: 'thing.of_tomorrow' });
    await send('event', 'no event at all');
    await send('run.follow', { v: 9 });
    await send('event', { ...event, id: crypto.randomUUID(), type: 'run.started' });
    const seen = await socket.next('run.started', (m) => m.payload.run_id === 'x');
    expect(seen.payload).toMatchObject({ of_tomorrow: { a: 1 } });
    socket.close();
    await redis.close();
    for (const i of [0, 1]) expect((await at(i).post('/v2/chat', question)).status).toBe(200);
  }, 120_000);
});
