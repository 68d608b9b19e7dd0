import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import { type Balancer, startBalancer } from '../support/balancer.ts';
import { type Client, createClient, type SseEvent } from '../support/client.ts';
import { startTestProvider, type TestProvider } from '../support/provider.ts';
import { startCluster, type TestCluster, type TestServer } from '../support/server.ts';
import { newDatabase, postgresServer } from '../support/stores.ts';

/** A rolling restart: nodes are told to stop one after the other, amid answers and requests. */

const SILENCE_S = 2;
/** Several times what a node may be silent. */
const WORDS = 40;
const WORD_EVERY_MS = 200;

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
    env: {
      MODEL: 'compatible/test-model',
      COMPATIBLE_BASE_URL: provider.url,
      NODE_SILENCE_S: String(SILENCE_S),
      SHUTDOWN_LEAD_S: '3',
    },
  });
  admin = await cluster.signIn();
  store = new pg.Client({ connectionString: database.url });
  await store.connect();
  await store.query("set app.tenant = '*'");
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
const at = (i: number): Client => createClient(() => node(i).url, admin.token);
const question = { message: 'How are you?', context: { agent_id: 'zeus' } };
const text = Array.from({ length: WORDS }, (_, i) => `word${i} `);

interface Run {
  status: string;
  conversation_id: string;
  cost_usd: number;
  usage: { output_tokens: number };
  error: { code: string } | null;
}
const runIdOf = (events: readonly SseEvent[]): string =>
  String((events[0]?.data as { run_id?: unknown } | undefined)?.run_id);
const runAt = async (i: number, id: string): Promise<Run> =>
  (await at(i).get(`/v2/chat/runs/${id}`)).json<Run>();
const answerIn = async (i: number, conversationId: string) => {
  const read = await at(i).get(`/v2/conversations/${conversationId}`);
  return read.json<{ messages: { content: string; cost_usd: number }[] }>().messages.at(-1);
};
const booked = async (runId: string) =>
  (
    await store.query<{ cost_nano: string; output_tokens: string; estimated: string }>(
      'select cost_nano, output_tokens, estimated from ledger where run_id = $1',
      [runId],
    )
  ).rows;
const reserved = async (): Promise<number> =>
  Number(
    (await store.query<{ sum: string }>('select coalesce(sum(reserved_nano), 0) as sum from cost_counters'))
      .rows[0]?.sum,
  );

/** Whether each node that is listed is draining. */
const draining = async (): Promise<boolean[]> =>
  (await store.query<{ draining: string }>('select draining from nodes order by draining')).rows.map(
    (row) => Number(row.draining) === 1,
  );

describe('a node that is told to stop', () => {
  it(req(
    'CLU-20',
    'ends its answers, which take longer than a node may be silent: all of it arrives, is stored and charged',
  ), async () => {
    provider.always({ chunks: text, chunkDelayMs: WORD_EVERY_MS });
    const streams = await Promise.all([0, 1, 2].map(() => at(0).stream('/v2/chat/stream', question)));
    const begun = await Promise.all(streams.map((stream) => stream.until('message.delta')));
    const exited = node(0).end('SIGTERM');
    await expect.poll(draining).toEqual([false, true]);
    const rests = await Promise.all(streams.map((stream) => stream.rest()));
    expect(await exited).toBe(0);
    for (const [i, rest] of rests.entries()) {
      expect(rest.at(-1)?.event, JSON.stringify(rest.at(-1)?.data)).toBe('message.completed');
      expect(rest.at(-1)?.data).toMatchObject({ content: text.join('') });
      const runId = runIdOf(begun[i] ?? []);
      const run = await runAt(1, runId);
      expect(run).toMatchObject({ status: 'completed', error: null });
      expect(run.usage.output_tokens).toBeGreaterThan(0);
      const rows = await booked(runId);
      expect(rows).toHaveLength(1);
      expect(Number(rows[0]?.cost_nano) / 1e9).toBeCloseTo(run.cost_usd, 9);
      expect(await answerIn(1, run.conversation_id)).toMatchObject({ content: text.join('') });
    }
    expect(await reserved()).toBe(0);
    expect(await draining()).toEqual([false]);
    await node(0).start();
  }, 120_000);

  it(req('CLU-20', 'stores and charges what does not end within the grace as far as it came'), async () => {
    await node(0).end('SIGTERM');
    await node(0).start({ SHUTDOWN_GRACE_S: '3' });
    provider.script({ chunks: ['begun ', 'never'], hangAfter: 1 });
    const stream = await at(0).stream('/v2/chat/stream', question);
    const begun = await stream.until('message.delta');
    const exited = node(0).end('SIGTERM');
    const rest = await stream.rest();
    expect(rest.at(-1)).toMatchObject({ event: 'error', data: { code: 'SERVICE_UNAVAILABLE' } });
    expect(await exited).toBe(0);
    const runId = runIdOf(begun);
    const run = await runAt(1, runId);
    expect(run).toMatchObject({ status: 'failed', error: { code: 'SERVICE_UNAVAILABLE' } });
    expect(await answerIn(1, run.conversation_id)).toMatchObject({ content: 'begun ' });
    const rows = await booked(runId);
    expect(rows.map((row) => Number(row.estimated))).toEqual([1]);
    expect(Number(rows[0]?.cost_nano)).toBeGreaterThan(0);
    expect(await reserved()).toBe(0);
    await node(0).start({ SHUTDOWN_GRACE_S: '30' });
  }, 120_000);
});

describe('a roll of all nodes', () => {
  const LOOK_MS = 200;
  let balancer: Balancer;
  let looking = true;
  let look: Promise<unknown>;
  /** Sends requests to the nodes whose /ready was 200 at the last look, as a balancer does. */
  beforeAll(async () => {
    balancer = await startBalancer();
    balancer.targets = cluster.nodes.map((one) => one.url);
    // Who is only slow keeps its place: a machine under load is no node that stops.
    const isReady = (one: TestServer): Promise<boolean> =>
      fetch(`${one.url}/ready`, { signal: AbortSignal.timeout(10_000) }).then(
        (answer) => answer.ok,
        () => false,
      );
    const lookAt = async (one: TestServer): Promise<void> => {
      const { url } = one;
      while (looking) {
        const ready = await isReady(one);
        const others = balancer.targets.filter((target) => target !== url);
        balancer.targets = ready ? [...others, url] : others;
        await delay(LOOK_MS);
      }
    };
    look = Promise.all(cluster.nodes.map(lookAt));
  });
  afterAll(async () => {
    looking = false;
    await look;
    await balancer.close();
  });

  it(req('CLU-21', 'loses none of many small requests that come meanwhile'), async () => {
    provider.always({ chunks: ['short ', 'answer'] });
    const client = createClient(() => balancer.url, admin.token);
    const statuses: string[] = [];
    let going = true;
    const send = async (what: string, ask: () => Promise<{ status: number }>): Promise<void> => {
      while (going) {
        const status = await ask().then(
          (answer) => answer.status,
          (error: unknown) => String(error),
        );
        statuses.push(`${what} ${status}`);
      }
    };
    const load = [
      ...[1, 2].map(() => send('read', () => client.get('/v2/auth/me'))),
      ...[1, 2].map(() => send('write', () => client.post('/v2/conversations', { title: 'kept' }))),
      ...[1, 2].map(() => send('chat', () => client.post('/v2/chat', question))),
    ];
    const codes: (number | null)[] = [];
    const roll = async (): Promise<void> => {
      for (const i of [0, 1]) {
        codes.push(await node(i).end('SIGTERM'));
        await node(i).start();
        await expect.poll(() => balancer.targets.length, { timeout: 60_000 }).toBe(2);
      }
    };
    const [rolled] = await Promise.allSettled([roll()]);
    going = false;
    await Promise.all(load);
    // What was lost comes first: whatever else went wrong is no reason to hide it.
    expect(statuses.filter((one) => !/^(read 200|write 201|chat 200)$/.test(one))).toEqual([]);
    expect(rolled).toMatchObject({ status: 'fulfilled' });
    expect(codes).toEqual([0, 0]);
    expect(statuses.length).toBeGreaterThan(100);
  }, 180_000);
});
