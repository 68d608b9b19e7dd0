import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client, SseEvent } from '../../../test/support/client.ts';
import { startTestProvider, type TestProvider } from '../../../test/support/provider.ts';
import { startServer, type TestServer } from '../../../test/support/server.ts';
import { newDatabase, postgresServer } from '../../../test/support/stores.ts';

/** What is left of an answer whose server was killed in the middle. */

let server: TestServer;
let provider: TestProvider;
let admin: Client;
let database: { url: string; drop(): Promise<void> } | null = null;
beforeAll(async () => {
  if (postgresServer !== undefined) database = await newDatabase(postgresServer);
  provider = await startTestProvider();
  server = await startServer({
    env: {
      MODEL: 'compatible/test-model',
      COMPATIBLE_BASE_URL: provider.url,
      ...(database === null ? {} : { DATABASE_URL: database.url }),
    },
  });
  admin = await server.signIn();
});
afterAll(async () => {
  await server?.close();
  await database?.drop();
  await provider?.close();
});
beforeEach(() => provider.reset());

/** Rows that the server keeps of calls under way. */
const kept = async (): Promise<number> => {
  const statement = "select count(*) as n from run_steps where kind like 'partial%'";
  if (database === null) {
    const file = new DatabaseSync(path.join(server.dataDir, 'pentarch.sqlite'), { readOnly: true });
    const row = file.prepare(statement).get();
    file.close();
    return Number(row?.n);
  }
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query("set app.tenant = '*'");
  const { rows } = await client.query(statement);
  await client.end();
  return Number(rows[0]?.n);
};

interface Message {
  role: string;
  content: string;
  finish_reason: string | null;
  error: { code: string } | null;
  cost_usd: number;
  usage: { input_tokens: number; output_tokens: number } | null;
}
interface Usage {
  total_usd: number;
  requests: number;
  output_tokens: number;
}

const begun = (events: readonly SseEvent[]) => events[0]?.data as { run_id: string; conversation_id: string };
const ask = () => admin.stream('/v2/chat/stream', { message: 'Tell me', context: { agent_id: 'zeus' } });
const spent = async () => (await admin.get('/v2/costs/usage?period=day')).json<Usage>();
const reserved = async () =>
  (await admin.get('/v2/costs/limits'))
    .json<{ limits: { reserved_usd: number }[] }>()
    .limits.reduce((sum, limit) => sum + limit.reserved_usd, 0);
const messagesOf = async (id: string) =>
  (await admin.get(`/v2/conversations/${id}`)).json<{ messages: Message[] }>().messages;

describe('an answer whose server was killed', () => {
  it(req(
    'CONV-14',
    'keeps what was read, says interrupted, and its call is booked as an estimate',
  ), async () => {
    const before = await spent();
    provider.script({ chunks: ['What was read ', 'stays here.', ' never'], hangAfter: 2 });
    const stream = await ask();
    const { run_id: run, conversation_id: conversation } = begun(await stream.until('message.delta'));
    await expect.poll(kept, { timeout: 20_000 }).toBeGreaterThan(0);
    await server.end('SIGKILL');
    await server.start();
    admin = await server.signIn();
    const state = async () =>
      (await admin.get(`/v2/chat/runs/${run}`)).json<{ status: string; cost_usd: number }>();
    await expect.poll(async () => (await state()).status, { timeout: 20_000 }).toBe('failed');
    const [question, answer, ...others] = await messagesOf(conversation);
    expect(question).toMatchObject({ role: 'user', finish_reason: null, error: null });
    expect(answer).toMatchObject({
      role: 'assistant',
      content: 'What was read stays here.',
      finish_reason: 'interrupted',
      error: { code: 'SERVICE_UNAVAILABLE' },
    });
    expect(others).toEqual([]);
    expect(answer?.usage?.input_tokens).toBeGreaterThan(0);
    expect(answer?.usage?.output_tokens).toBeGreaterThan(0);
    const after = await spent();
    expect(after.requests).toBe(before.requests + 1);
    expect(answer?.cost_usd).toBeGreaterThan(0);
    expect(after.total_usd - before.total_usd).toBeCloseTo(answer?.cost_usd ?? 0, 9);
    expect((await state()).cost_usd).toBeCloseTo(answer?.cost_usd ?? 0, 9);
    const ledger = (await admin.get('/v2/costs/usage/export')).text.trim().split(/\r?\n/);
    const at = (ledger[0] ?? '').split(',').indexOf('estimated');
    const row = ledger.find((line) => line.includes(run));
    expect(row?.split(',')[at]).toBe('true');
    expect(await reserved()).toBe(0);
    expect(await kept()).toBe(0);
    const list = (await admin.get('/v2/conversations')).json<{
      items: { id: string; title: string | null }[];
    }>();
    expect(list.items.find((one) => one.id === conversation)?.title).toBe('Tell me');
    provider.script({ chunks: ['Again.'] });
    const next = await admin.post('/v2/chat', {
      message: 'And now?',
      conversation_id: conversation,
      context: { agent_id: 'zeus' },
    });
    expect(next.status, next.text).toBe(200);
  }, 120_000);

  it(req(
    'CONV-14',
    'that had said nothing yet is booked as well, and leaves the question alone',
  ), async () => {
    const before = await spent();
    provider.script({ chunks: ['x'], hangAfter: 0 });
    const stream = await ask();
    const { conversation_id: conversation } = begun(await stream.until('agent.selected'));
    await expect.poll(kept, { timeout: 20_000 }).toBeGreaterThan(0);
    await server.end('SIGKILL');
    await server.start();
    admin = await server.signIn();
    await expect.poll(kept, { timeout: 20_000 }).toBe(0);
    const [question, ...others] = await messagesOf(conversation);
    expect(question).toMatchObject({ finish_reason: 'interrupted', error: { code: 'SERVICE_UNAVAILABLE' } });
    expect(others).toEqual([]);
    expect((await spent()).requests).toBe(before.requests + 1);
    expect((await spent()).total_usd).toBeGreaterThan(before.total_usd);
  }, 120_000);

  it(req(
    'CONV-14',
    'that comes to its end is stored and booked once, and nothing else is left',
  ), async () => {
    const before = await spent();
    const gate = Promise.withResolvers<void>();
    provider.script({
      chunks: ['slow ', 'but whole'],
      chunkHold: (index) => (index === 1 ? gate.promise : undefined),
    });
    const stream = await ask();
    const { conversation_id: conversation } = begun(await stream.until('message.delta'));
    await expect.poll(kept, { timeout: 20_000 }).toBe(1);
    gate.resolve();
    expect((await stream.rest()).at(-1)?.event).toBe('message.completed');
    expect(await kept()).toBe(0);
    expect((await messagesOf(conversation)).map((one) => one.content)).toEqual(['Tell me', 'slow but whole']);
    expect((await spent()).requests).toBe(before.requests + 1);
  }, 60_000);
});
