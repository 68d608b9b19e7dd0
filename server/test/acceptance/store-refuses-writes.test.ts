import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import type { Client, SseEvent } from '../support/client.ts';
import { startTestProvider, type TestProvider } from '../support/provider.ts';
import { startProcess, type TestServer } from '../support/server.ts';
import { newDatabase, postgresServer } from '../support/stores.ts';

/**
 * The store answers reads and refuses every write for a while: a disk without room, or a database that only reads, as after a
 * failover. The database is this suite's own, as is the process whose files may not grow.
 */

const OUTAGE_MS = 11_000;
const QUESTION = { message: 'How are you?', context: { agent_id: 'zeus' } };
const WORDS = Array.from({ length: 20 }, (_, i) => `word${i} `);

let server: TestServer;
let provider: TestProvider;
let admin: Client;
let database: { url: string; drop(): Promise<void> } | null = null;
beforeAll(async () => {
  provider = await startTestProvider();
  if (postgresServer !== undefined) database = await newDatabase(postgresServer);
  server = await startProcess({
    env: {
      MODEL: 'compatible/test-model',
      COMPATIBLE_BASE_URL: provider.url,
      DATABASE_URL: database?.url ?? '',
    },
  });
  admin = await server.signIn();
});
afterAll(async () => {
  await server?.close();
  await database?.drop();
  await provider?.close();
});

/** On PostgreSQL for this database alone, with its sessions ended so that none goes on as it was. */
const readOnly = async (on: boolean): Promise<void> => {
  const name = new URL(database?.url ?? '').pathname.slice(1);
  const client = new pg.Client({ connectionString: postgresServer });
  await client.connect();
  await client.query(`alter database ${name} set default_transaction_read_only = ${on ? 'on' : 'off'}`);
  await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
  await client.end();
};
const takesWrites = async (yes: boolean): Promise<void> => {
  if (database !== null) return readOnly(!yes);
  const limit = yes ? 'unlimited' : '4096';
  execFileSync('prlimit', ['--pid', String(server.pid), `--fsize=${limit}:unlimited`]);
};

const runIdOf = (events: readonly SseEvent[]): string =>
  String((events[0]?.data as { run_id?: unknown } | undefined)?.run_id);
const reserved = async (): Promise<number[]> => {
  const { limits } = (await admin.get('/v2/costs/limits')).json<{
    limits: { scope: string; reserved_usd: number }[];
  }>();
  return limits.filter((limit) => limit.scope === 'tenant').map((limit) => limit.reserved_usd);
};
const spent = async () =>
  (await admin.get('/v2/costs/usage?period=day')).json<{ requests: number; total_usd: number }>();
const ready = async (): Promise<number> => (await server.anonymous().get('/ready')).status;

it(req(
  'RUN-22',
  'a stream that runs while the store takes no writes is stored and charged when it takes them again',
), async () => {
  const before = await spent();
  provider.always({ chunks: WORDS, chunkDelayMs: 200 });
  const streams = await Promise.all([0, 1].map(() => admin.stream('/v2/chat/stream', QUESTION)));
  const begun = await Promise.all(streams.map((stream) => stream.until('message.delta')));
  expect(Math.max(...(await reserved()))).toBeGreaterThan(0);
  await takesWrites(false);
  const outage = delay(OUTAGE_MS);
  let isOver = false;
  const refusals = (async () => {
    const found: { status: number; code?: string; retryAfter: string | null }[] = [];
    for (; !isOver; await delay(250)) {
      for (const [path, body] of [
        ['/v2/conversations', { title: 'refused' }],
        ['/v2/chat', QUESTION],
      ] as const) {
        const answer = await admin.post(path, body);
        const { error, detail } = answer.json<{ error?: { code: string }; detail?: string; code?: string }>();
        found.push({
          status: answer.status,
          code: error?.code ?? detail ?? '',
          retryAfter: answer.headers.get('retry-after'),
        });
      }
    }
    return found;
  })();
  let isEnded = false;
  const rests = Promise.all(streams.map((stream) => stream.rest())).finally(() => {
    isEnded = true;
  });
  rests.catch(() => {});
  await expect.poll(ready).toBe(503);
  await outage;
  expect(await ready()).toBe(503);
  // All words have come by now; their end waits for the store.
  expect(isEnded).toBe(false);
  isOver = true;
  const refused = await refusals;
  expect(refused.length).toBeGreaterThan(3);
  expect(refused.filter((one) => one.status !== 503 || !/^\d+$/.test(one.retryAfter ?? ''))).toEqual([]);
  await takesWrites(true);

  const ends = (await rests).map((rest) => rest.at(-1));
  for (const end of ends) {
    expect(end?.event, JSON.stringify(end?.data)).toBe('message.completed');
    expect(end?.data).toMatchObject({ content: WORDS.join('') });
  }
  await expect.poll(ready).toBe(200);
  let cost = 0;
  for (const events of begun) {
    const run = (await admin.get(`/v2/chat/runs/${runIdOf(events)}`)).json<{
      status: string;
      cost_usd: number;
      conversation_id: string;
    }>();
    expect(run.status).toBe('completed');
    expect(run.cost_usd).toBeGreaterThan(0);
    cost += run.cost_usd;
    const read = await admin.get(`/v2/conversations/${run.conversation_id}`);
    expect(read.json<{ messages: { content: string }[] }>().messages.map((m) => m.content)).toEqual([
      QUESTION.message,
      WORDS.join(''),
    ]);
  }
  const after = await spent();
  expect(after.requests).toBe(before.requests + 2);
  expect(after.total_usd).toBeCloseTo(before.total_usd + cost, 9);
  expect(await reserved()).toEqual([0, 0]);
  provider.reset();
  expect((await admin.post('/v2/chat', QUESTION)).status).toBe(200);
}, 120_000);

it(req(
  'RUN-22',
  'a run of several steps, and an answer in one piece, go on where they were when the store takes writes again',
), async () => {
  const before = await spent();
  const heldBack = Promise.withResolvers<void>();
  const hand = {
    id: 'd1',
    name: 'delegate',
    arguments: JSON.stringify({ agent: 'athena', task: 'one part' }),
  };
  provider.always((request) => {
    const messages = request.body.messages ?? [];
    if (messages.some((message) => message.role === 'tool')) return { text: 'All of it.' };
    const last = String(messages.at(-1)?.content);
    if (last.includes('hand it on')) return { toolCalls: [hand], hold: heldBack.promise };
    return last.includes('in one piece')
      ? { text: 'One piece.', hold: heldBack.promise }
      : { text: 'A part.' };
  });
  const told = (message: string) => ({ ...QUESTION, message });
  const stream = await admin.stream('/v2/chat/stream', told('hand it on'));
  const begun = await stream.until('agent.selected');
  const whole = admin.post('/v2/chat', told('in one piece'));
  whole.catch(() => {});
  await expect.poll(() => provider.live).toBe(2);
  await takesWrites(false);
  const outage = delay(OUTAGE_MS);
  await expect.poll(ready).toBe(503);
  heldBack.resolve();
  await outage;
  await takesWrites(true);
  const end = (await stream.rest()).at(-1);
  expect(end?.event, JSON.stringify(end?.data)).toBe('message.completed');
  expect(end?.data).toMatchObject({
    content: 'All of it.',
    tool_calls: [{ name: 'delegate', status: 'completed' }],
  });
  const answer = await whole;
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toMatchObject({ content: 'One piece.' });
  const run = (await admin.get(`/v2/chat/runs/${runIdOf(begun)}`)).json<{
    status: string;
    cost_usd: number;
  }>();
  expect(run.status).toBe('completed');
  const { cost_usd: cost } = answer.json<{ cost_usd: number }>();
  const after = await spent();
  expect(after.total_usd).toBeCloseTo(before.total_usd + run.cost_usd + cost, 9);
  expect(await reserved()).toEqual([0, 0]);
}, 120_000);
