import { beforeEach, describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client, SseEvent } from '../../../test/support/client.ts';
import type { TestProvider, TestRequest } from '../../../test/support/provider.ts';
import { NODES, type TestServer } from '../../../test/support/server.ts';
import { newPerson } from '../../../test/support/shapes.ts';
import { withWorld } from '../../../test/support/suite.ts';

/** Messages that wait for their conversation's turn: stored, seen, in order, taken back, and not lost with a process. */

interface Run {
  id: string;
  status: string;
  conversation_id: string;
  message_id: string;
  cost_usd: number;
  error: { code: string } | null;
}
interface Message {
  id: string;
  role: string;
  content: string;
  run_id: string | null;
  created_at: string;
  metadata: Record<string, unknown>;
}

let server: TestServer;
let provider: TestProvider;
let admin: Client;

const it = withWorld({ env: { MODEL_TIMEOUT_S: '60' } });
it.beforeAll(({ world }) => {
  ({ provider, server, admin } = world);
});
beforeEach(() => provider.reset());

const lastOf = (request: TestRequest): string =>
  String(request.body.messages?.at(-1)?.content).split('\n').at(-1) ?? '';
const echo = (request: TestRequest) => ({ text: `Answer to ${lastOf(request)}` });
/** The first message is held until the gate opens, the others are answered at once. */
const holding = (first: string, gate: Promise<unknown>) =>
  provider.always((request) =>
    lastOf(request) === first ? { ...echo(request), hold: gate } : echo(request),
  );

const newConversation = async (client: Client): Promise<string> =>
  (await client.post('/v2/conversations', {})).json<{ id: string }>().id;
const say = (conversationId: string, message: string, agent = 'zeus') => ({
  message,
  conversation_id: conversationId,
  context: { agent_id: agent },
});
const startedRun = (events: readonly SseEvent[]): string =>
  (events[0]?.data as { run_id: string } | undefined)?.run_id ?? '';
const runOf = async (client: Client, id: string): Promise<Run> =>
  (await client.get(`/api/v1/chat/runs/${id}`)).json<Run>();
const messagesOf = async (client: Client, id: string): Promise<Message[]> =>
  (await client.get(`/api/v1/conversations/${id}`)).json<{ messages: Message[] }>().messages;
const contents = async (client: Client, id: string): Promise<string[]> =>
  (await messagesOf(client, id)).map((message) => message.content);
const requestOf = (message: string): TestRequest | undefined =>
  provider.requests.find((request) => lastOf(request) === message);

/** Sends by stream and waits for the head, which names the run. */
const send = async (client: Client, conversationId: string, message: string) => {
  const stream = await client.stream('/api/v1/chat/stream', say(conversationId, message));
  const runId = startedRun(await stream.until('run.started'));
  return { stream, runId };
};

describe('a message that waits', () => {
  it(req(['QUEUE-01', 'QUEUE-02'], 'is a queued run from the start, and has its turn in order'), async () => {
    const gate = Promise.withResolvers<void>();
    holding('one', gate.promise);
    const id = await newConversation(admin);
    const first = await send(admin, id, 'one');
    await provider.seen(1);
    const second = await send(admin, id, 'two');
    const third = admin.post('/api/v1/chat', say(id, 'three'));
    await expect.poll(() => contents(admin, id)).toEqual(['one', 'two', 'three']);

    expect(await runOf(admin, second.runId)).toMatchObject({
      status: 'queued',
      conversation_id: id,
      cost_usd: 0,
      error: null,
    });
    const waiting = (await messagesOf(admin, id))[1];
    expect(waiting).toMatchObject({ role: 'user', content: 'two', run_id: second.runId });
    expect(Math.abs(Date.parse(waiting?.created_at ?? '') - Date.now())).toBeLessThan(600_000);
    const read = (await admin.get(`/api/v1/conversations/${id}`)).json<{ message_count: number }>();
    expect(read.message_count).toBe(3);
    const paged = await admin.get(`/api/v1/conversations/${id}/messages?limit=2`);
    const page = paged.json<{ items: Message[]; next_cursor: string; total: number }>();
    expect(page.total).toBe(3);
    const rest = await admin.get(`/api/v1/conversations/${id}/messages?limit=2&cursor=${page.next_cursor}`);
    expect(
      [...page.items, ...rest.json<{ items: Message[] }>().items].map((message) => message.content),
    ).toEqual(['one', 'two', 'three']);
    // Another reader follows the run while it waits.
    const follower = await admin.stream(`/api/v1/chat/runs/${second.runId}/stream`);
    expect(startedRun(await follower.until('run.started'))).toBe(second.runId);
    expect((await admin.post('/api/v1/chat', say(id, 'no'), { headers: { prefer: 'no-wait' } })).status).toBe(
      409,
    );

    gate.resolve();
    const answered = await second.stream.rest();
    expect(answered.map((event) => event.event)).toEqual([
      'agent.selected',
      'message.delta',
      'message.completed',
    ]);
    expect((await follower.rest()).map((event) => event.id)).toEqual(answered.map((event) => event.id));
    expect((await first.stream.rest()).at(-1)?.event).toBe('message.completed');
    expect((await third).body).toMatchObject({ content: 'Answer to three' });
    expect(await contents(admin, id)).toEqual([
      'one',
      'Answer to one',
      'two',
      'Answer to two',
      'three',
      'Answer to three',
    ]);
    expect(requestOf('three')?.body.messages?.map((message) => message.role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
    const times = (await messagesOf(admin, id)).map((message) => message.created_at);
    expect(times).toEqual([...times].sort());
    expect((await runOf(admin, second.runId)).status).toBe('completed');
  });

  it(req('QUEUE-02', 'keeps its place among many that came at once'), async () => {
    const gate = Promise.withResolvers<void>();
    holding('m0', gate.promise);
    const id = await newConversation(admin);
    const first = await send(admin, id, 'm0');
    await provider.seen(1);
    const words: string[] = ['m0', 'Answer to m0'];
    const sent = [first];
    for (let i = 1; i <= 12; i++) {
      sent.push(await send(admin, id, `m${i}`));
      words.push(`m${i}`, `Answer to m${i}`);
    }
    gate.resolve();
    for (const { stream } of sent) expect((await stream.rest()).at(-1)?.event).toBe('message.completed');
    expect(await contents(admin, id)).toEqual(words);
  });

  it(req('QUEUE-01', 'is another person’s secret like any run'), async () => {
    const gate = Promise.withResolvers<void>();
    holding('one', gate.promise);
    const person = await newPerson(server, admin);
    const stranger = await newPerson(server, admin);
    const id = await newConversation(person);
    const first = await send(person, id, 'one');
    await provider.seen(1);
    const second = await send(person, id, 'two');
    expect((await stranger.get(`/api/v1/chat/runs/${second.runId}`)).status).toBe(404);
    expect((await stranger.post(`/api/v1/chat/runs/${second.runId}/cancel`)).status).toBe(404);
    gate.resolve();
    await first.stream.rest();
    await second.stream.rest();
  });

  it(req('QUEUE-03', 'can be taken back; the others keep their order'), async () => {
    const gate = Promise.withResolvers<void>();
    holding('one', gate.promise);
    const id = await newConversation(admin);
    const first = await send(admin, id, 'one');
    await provider.seen(1);
    const second = await send(admin, id, 'two');
    const third = await send(admin, id, 'three');
    const cancelled = await admin.post(`/api/v1/chat/runs/${second.runId}/cancel`);
    expect(cancelled.status).toBe(202);
    expect(cancelled.json<Run>()).toMatchObject({ status: 'cancelled', cost_usd: 0, error: null });
    // Its reader is told at once, while the first still runs.
    const end = (await second.stream.rest()).at(-1);
    expect(end?.event).toBe('message.completed');
    expect(end?.data).toMatchObject({ finish_reason: 'cancelled', content: '', run_id: second.runId });
    expect((await runOf(admin, first.runId)).status).toBe('running');
    expect((await admin.post(`/api/v1/chat/runs/${second.runId}/cancel`)).status).toBe(409);
    const replay = await (await admin.stream(`/api/v1/chat/runs/${second.runId}/stream`)).rest();
    expect(replay.map((event) => event.event)).toEqual(['run.started', 'message.completed']);
    expect(replay.at(-1)?.data).toEqual(end?.data);
    gate.resolve();
    await first.stream.rest();
    await third.stream.rest();
    const order = ['one', 'Answer to one', 'two', '', 'three', 'Answer to three'];
    expect(await contents(admin, id)).toEqual(order);
    const fourth = (await admin.post('/api/v1/chat', say(id, 'four'))).json<{ content: string }>();
    expect(fourth.content).toBe('Answer to four');
    expect(await contents(admin, id)).toEqual([...order, 'four', 'Answer to four']);
    expect(requestOf('two')).toBeUndefined();
  });

  it(req('QUEUE-03', 'taken back as the last one stands before what comes later'), async () => {
    const gate = Promise.withResolvers<void>();
    holding('one', gate.promise);
    const id = await newConversation(admin);
    const first = await send(admin, id, 'one');
    await provider.seen(1);
    const second = await send(admin, id, 'two');
    expect((await admin.post(`/api/v1/chat/runs/${second.runId}/cancel`)).status).toBe(202);
    gate.resolve();
    await first.stream.rest();
    expect(await contents(admin, id)).toEqual(['one', 'Answer to one', 'two', '']);
    await admin.post('/api/v1/chat', say(id, 'three'));
    const messages = await messagesOf(admin, id);
    expect(messages.map((message) => message.content)).toEqual([
      'one',
      'Answer to one',
      'two',
      '',
      'three',
      'Answer to three',
    ]);
    const times = messages.map((message) => message.created_at);
    expect(times).toEqual([...times].sort());
  });

  it('is refused at once for what can be known: an unknown agent or model', async () => {
    const gate = Promise.withResolvers<void>();
    holding('one', gate.promise);
    const id = await newConversation(admin);
    const first = await send(admin, id, 'one');
    await provider.seen(1);
    expect((await admin.post('/api/v1/chat', say(id, 'two', 'nobody'))).status).toBe(422);
    const model = { ...say(id, 'three'), context: { model: 'no/such-model' } };
    expect((await admin.post('/api/v1/chat/stream', model)).status).toBe(422);
    expect(await contents(admin, id)).toEqual(['one']);
    gate.resolve();
    await first.stream.rest();
  });

  it(req('QUEUE-05', 'and finds no money left ends with the reason; later ones are answered'), async () => {
    const gate = Promise.withResolvers<void>();
    holding('one', gate.promise);
    const person = await newPerson(server, admin);
    const { sub } = (await person.get('/v2/auth/me')).json<{ sub: string }>();
    const id = await newConversation(person);
    const first = await send(person, id, 'one');
    await provider.seen(1);
    const second = await send(person, id, 'two');
    const third = person.post('/api/v1/chat', say(id, 'three'));
    await expect.poll(() => contents(person, id)).toEqual(['one', 'two', 'three']);
    const limit = (usd: number | null) => ({
      limits: [{ scope: 'user', subject: sub, period: 'day', limit_usd: usd }],
    });
    expect((await admin.put('/v2/costs/limits', limit(0.000001))).status).toBe(200);
    gate.resolve();
    await first.stream.rest();
    const end = (await second.stream.rest()).at(-1);
    expect(end?.event).toBe('error');
    expect(end?.data).toMatchObject({ error: { code: 'COST_EXCEEDED' } });
    expect((await third).status).toBe(402);
    expect(await runOf(person, second.runId)).toMatchObject({
      status: 'cost_exceeded',
      cost_usd: 0,
      error: { code: 'COST_EXCEEDED' },
    });
    expect((await admin.put('/v2/costs/limits', limit(null))).status).toBe(200);
    expect((await person.post('/api/v1/chat', say(id, 'four'))).body).toMatchObject({
      content: 'Answer to four',
    });
    expect(await contents(person, id)).toEqual([
      'one',
      'Answer to one',
      'two',
      'three',
      'four',
      'Answer to four',
    ]);
    expect(requestOf('two')).toBeUndefined();
    const limits = (await person.get('/v2/costs/limits')).json<{ limits: { reserved_usd: number }[] }>();
    expect(limits.limits.every((one) => one.reserved_usd === 0)).toBe(true);
  });
});

// Of several nodes each is restarted in cluster.test.ts.
describe.skipIf(NODES > 1)('a process that dies', () => {
  it(req(
    'QUEUE-04',
    'loses no message that waits: they are answered in order, once, after the restart',
  ), async () => {
    holding('one', new Promise(() => {}));
    const id = await newConversation(admin);
    const first = await send(admin, id, 'one');
    await provider.seen(1);
    const second = await send(admin, id, 'two');
    const third = await send(admin, id, 'three');
    const back = await send(admin, id, 'back');
    await admin.post(`/api/v1/chat/runs/${back.runId}/cancel`);
    await server.end('SIGKILL');
    provider.reset();
    provider.always(echo);
    await server.start();
    admin = await server.signIn();
    await expect
      .poll(async () => (await runOf(admin, third.runId)).status, { timeout: 60_000 })
      .toBe('completed');
    expect((await runOf(admin, second.runId)).status).toBe('completed');
    // The first answer was being written when the server died: stored as failed, its question stays.
    expect(await runOf(admin, first.runId)).toMatchObject({
      status: 'failed',
      error: { code: 'SERVICE_UNAVAILABLE' },
    });
    await admin.post('/api/v1/chat', say(id, 'four'));
    expect(await contents(admin, id)).toEqual([
      'one',
      'two',
      'Answer to two',
      'three',
      'Answer to three',
      'back',
      '',
      'four',
      'Answer to four',
    ]);
    expect(provider.requests.map(lastOf)).toEqual(['two', 'three', 'four']);
    // Whoever was cut off gets the rest by the id of the last event.
    const resumed = await admin.stream(`/api/v1/chat/runs/${second.runId}/stream`, undefined, {
      headers: { 'last-event-id': `${second.runId}:1` },
    });
    expect((await resumed.rest()).map((event) => event.event)).toEqual([
      'agent.selected',
      'message.delta',
      'message.completed',
    ]);
  }, 120_000);

  it(req(
    'QUEUE-04',
    'and one that is stopped in order: what waits is answered after the start',
  ), async () => {
    holding('one', new Promise(() => {}));
    const id = await newConversation(admin);
    await send(admin, id, 'one');
    await provider.seen(1);
    const second = await send(admin, id, 'two');
    await server.end('SIGTERM');
    provider.reset();
    provider.always(echo);
    await server.start();
    admin = await server.signIn();
    await expect
      .poll(async () => (await runOf(admin, second.runId)).status, { timeout: 60_000 })
      .toBe('completed');
    expect((await contents(admin, id)).slice(-2)).toEqual(['two', 'Answer to two']);
  }, 120_000);
});
