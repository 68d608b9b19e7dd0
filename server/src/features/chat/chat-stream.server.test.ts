import { beforeEach, describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client, SseEvent } from '../../../test/support/client.ts';
import type { TestProvider } from '../../../test/support/provider.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { expectErrorA, expectErrorB } from '../../../test/support/shapes.ts';
import { withWorld } from '../../../test/support/suite.ts';

const STREAM = '/api/v1/chat/stream';
const question = { message: 'Tell me a story', context: { agent_id: 'zeus' } };

let server: TestServer;
let provider: TestProvider;
let admin: Client;

const it = withWorld({ env: { MODEL_TIMEOUT_S: '2' } });
it.beforeAll(({ world }) => {
  ({ provider, server, admin } = world);
});
beforeEach(() => provider.reset());

const dataOf = <T>(event: SseEvent | undefined): T => event?.data as T;
const text = (events: readonly SseEvent[]): string =>
  events
    .filter((event) => event.event === 'message.delta')
    .map((event) => dataOf<{ content: string }>(event).content)
    .join('');
const runIdOf = (events: readonly SseEvent[]): string => dataOf<{ run_id: string }>(events[0]).run_id;
const runState = async (id: string) =>
  (await admin.get(`/api/v1/chat/runs/${id}`)).json<{
    status: string;
    conversation_id: string;
    cost_usd: number;
  }>();
const messagesOf = async (conversationId: string) =>
  (await admin.get(`/api/v1/conversations/${conversationId}`)).json<{
    messages: { role: string; content: string; id: string }[];
  }>().messages;

describe('POST chat/stream', () => {
  it(req('STREAM-01', 'sends the events in order, with ids, the whole answer last'), async () => {
    provider.script({ chunks: ['Once ', 'upon ', 'a 🐉 ', 'time.'], chunkDelayMs: 20, splitBytes: 3 });
    const stream = await admin.stream(STREAM, question);
    expect(stream.status).toBe(200);
    expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(stream.headers.get('cache-control')).toContain('no-cache');
    expect(stream.headers.get('x-accel-buffering')).toBe('no');
    expect(stream.headers.get('x-ratelimit-limit')).toMatch(/^\d+$/);
    const events = await stream.rest();
    const runId = runIdOf(events);
    expect(events.map((event) => event.id)).toEqual(events.map((_, i) => `${runId}:${i + 1}`));
    const names = events.map((event) => event.event);
    expect(names.slice(0, 2)).toEqual(['run.started', 'agent.selected']);
    expect(new Set(names.slice(2, -1))).toEqual(new Set(['message.delta']));
    expect(names.at(-1)).toBe('message.completed');
    expect(text(events)).toBe('Once upon a 🐉 time.');
    const started = dataOf<Record<string, string>>(events[0]);
    expect(events[1]?.data).toEqual({
      agent_id: 'zeus',
      reason: expect.any(String),
      confidence: 1,
      candidates: expect.any(Array),
    });
    const completed = dataOf<Record<string, unknown>>(events.at(-1));
    expect(completed).toMatchObject({
      id: started.message_id,
      run_id: runId,
      conversation_id: started.conversation_id,
      content: 'Once upon a 🐉 time.',
      agent_id: 'zeus',
      finish_reason: 'stop',
      tool_calls: [],
      citations: [],
      proposals: [],
    });
    expect(await messagesOf(String(started.conversation_id))).toEqual([
      expect.objectContaining({ role: 'user', content: question.message }),
      expect.objectContaining({ role: 'assistant', content: completed.content, id: completed.id }),
    ]);
  });

  it.each([
    ['/api/v1', { resetAfter: 2 }, 'UPSTREAM_ERROR'],
    ['/v2', { resetAfter: 2 }, 'UPSTREAM_ERROR'],
    ['/api/v2', { errorChunkAfter: 2 }, 'UPSTREAM_ERROR'],
    ['/v2', { hangAfter: 2 }, 'UPSTREAM_TIMEOUT'],
  ] as const)(
    req('STREAM-02', '%s: a provider with %j ends in an error event'),
    async (prefix, fault, code) => {
      provider.always({ chunks: ['a', 'b', 'c', 'd'], ...fault });
      const stream = await admin.stream(`${prefix}/chat/stream`, question);
      const events = await stream.rest();
      expect(events.at(-1)?.event).toBe('error');
      expect(events.filter((event) => event.event === 'message.completed')).toEqual([]);
      const requestId = stream.headers.get('x-request-id');
      expect(events.at(-1)?.data).toEqual(
        prefix === '/api/v1'
          ? {
              error: {
                code,
                message: expect.any(String),
                details: expect.objectContaining({ provider: 'compatible' }),
                request_id: requestId,
              },
            }
          : {
              error: code.toLowerCase(),
              code,
              message: expect.any(String),
              details: expect.objectContaining({ provider: 'compatible' }),
              request_id: requestId,
            },
      );
      const run = await runState(runIdOf(events));
      expect(run.status).toBe('failed');
      expect((await messagesOf(run.conversation_id))[0]).toMatchObject({
        role: 'user',
        content: question.message,
      });
    },
  );

  it(req('STREAM-03', 'refuses with a normal error before the first byte'), async () => {
    expectErrorA(await server.anonymous().post(STREAM, question), 401, 'UNAUTHORIZED');
    expectErrorA(await admin.post(STREAM, { message: '' }), 422, 'VALIDATION_ERROR');
    expectErrorB(await admin.post('/v2/chat/stream', { ...question, nonsense: 1 }), 422, 'VALIDATION_ERROR');
  });
});

describe('a client that goes away', () => {
  it(req('STREAM-04', 'changes nothing: question and answer are stored and charged'), async () => {
    const gate = Promise.withResolvers<void>();
    provider.script({ chunks: ['The ', 'whole ', 'answer.'], hold: gate.promise });
    const stream = await admin.stream(STREAM, question);
    const events = await stream.until('agent.selected');
    const runId = runIdOf(events);
    expect(await runState(runId)).toMatchObject({ status: 'running' });
    stream.close();
    gate.resolve();
    await expect.poll(async () => (await runState(runId)).status).toBe('completed');
    const run = await runState(runId);
    expect(run.cost_usd).toBeGreaterThan(0);
    expect(await messagesOf(run.conversation_id)).toEqual([
      expect.objectContaining({ role: 'user', content: question.message }),
      expect.objectContaining({ role: 'assistant', content: 'The whole answer.' }),
    ]);
    const [request] = provider.requests;
    expect(await request?.ended).toBe('complete');
  });

  it(req('STREAM-04', 'does not end a JSON answer either'), async () => {
    const gate = Promise.withResolvers<void>();
    provider.script({ text: 'kept', hold: gate.promise });
    const hangUp = new AbortController();
    const made = (await admin.post('/v2/conversations', {})).json<{ id: string }>();
    const call = admin.post('/v2/chat', { ...question, conversation_id: made.id }, { signal: hangUp.signal });
    await provider.seen(1);
    hangUp.abort();
    await expect(call).rejects.toThrow();
    gate.resolve();
    await expect
      .poll(async () => (await messagesOf(made.id)).map((m) => m.content))
      .toEqual([question.message, 'kept']);
  });

  it(req('STREAM-05', 'gets what it missed with Last-Event-ID, live and after the end'), async () => {
    const gate = Promise.withResolvers<void>();
    provider.script({ chunks: ['one ', 'two ', 'three'], hold: gate.promise });
    const stream = await admin.stream(STREAM, question);
    const begun = await stream.until('agent.selected');
    stream.close();
    const runId = runIdOf(begun);
    const path = `/api/v1/chat/runs/${runId}/stream`;
    const second = await admin.stream(path, undefined, { headers: { 'last-event-id': begun[0]?.id ?? '' } });
    expect(await second.next()).toEqual(begun[1]);
    gate.resolve();
    const rest = await second.rest();
    expect(text(rest)).toBe('one two three');
    expect(rest.at(-1)?.event).toBe('message.completed');

    const replay = async (lastId?: string) =>
      (
        await admin.stream(
          path,
          undefined,
          lastId === undefined ? {} : { headers: { 'last-event-id': lastId } },
        )
      ).rest();
    const whole = await replay();
    expect(whole.slice(0, 2)).toEqual(begun);
    expect(text(whole)).toBe('one two three');
    expect(whole.at(-1)?.data).toEqual(rest.at(-1)?.data);
    expect(await replay(whole[1]?.id)).toEqual(whole.slice(2));
    expect(await replay(whole.at(-1)?.id)).toEqual([]);
  });

  it(req('STREAM-05', 'two readers of one run see the same'), async () => {
    const gate = Promise.withResolvers<void>();
    provider.script({ chunks: ['a', 'b', 'c'], hold: gate.promise, chunkDelayMs: 10 });
    const first = await admin.stream(STREAM, question);
    const begun = await first.until('agent.selected');
    const second = await admin.stream(`/api/v1/chat/runs/${runIdOf(begun)}/stream`);
    gate.resolve();
    const [one, two] = await Promise.all([first.rest(), second.rest()]);
    expect(two).toEqual([...begun, ...one]);
  });
});

describe('POST chat/runs/{id}/cancel', () => {
  it(req('STREAM-06', 'stops within a second, keeps what was said and charges it'), async () => {
    provider.script({ chunks: ['Begun ', 'never ended'], hangAfter: 1 });
    const stream = await admin.stream(STREAM, question);
    const events = await stream.until('message.delta');
    const runId = runIdOf(events);
    const startedAt = performance.now();
    const cancelled = await admin.post(`/api/v1/chat/runs/${runId}/cancel`);
    const rest = await stream.rest();
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    expect(cancelled.status).toBe(202);
    expect(cancelled.body).toMatchObject({ id: runId, status: 'cancelled' });
    expect(rest.at(-1)?.event).toBe('message.completed');
    expect(rest.at(-1)?.data).toMatchObject({ finish_reason: 'cancelled', content: 'Begun ' });
    const run = await runState(runId);
    expect(run.status).toBe('cancelled');
    expect(run.cost_usd).toBeGreaterThan(0);
    expect((await messagesOf(run.conversation_id)).at(-1)).toMatchObject({
      role: 'assistant',
      content: 'Begun ',
    });
    expect(await provider.requests[0]?.ended).not.toBe('complete');
    expectErrorA(await admin.post(`/api/v1/chat/runs/${runId}/cancel`), 409, 'CONFLICT');
  });

  it(req('STREAM-06', 'is 409 for a run that has finished'), async () => {
    const answer = (await admin.post('/v2/chat', question)).json<{ run_id: string }>();
    expectErrorB(await admin.post(`/v2/chat/runs/${answer.run_id}/cancel`), 409, 'CONFLICT');
  });
});

describe('a busy conversation', () => {
  it(
    req(['STREAM-01', 'CHAT-01'], 'lets the second message wait, or refuses it with Prefer: no-wait'),
    async () => {
      const gate = Promise.withResolvers<void>();
      const { id } = (await admin.post('/v2/conversations', {})).json<{ id: string }>();
      provider.script({ text: 'first', hold: gate.promise }, { text: 'second' });
      const body = { ...question, conversation_id: id };
      const first = admin.post('/v2/chat', { ...body, message: 'one' });
      await provider.seen(1);
      const refused = await admin.post('/v2/chat', body, { headers: { prefer: 'no-wait' } });
      expectErrorB(refused, 409, 'CONFLICT');
      // The APIs of other protocols, each with its own shape of errors.
      const noWait = { headers: { prefer: 'no-wait' } };
      const metadata = { conversation_id: id };
      const model = 'pentarch/zeus';
      const messages = [{ role: 'user', content: 'Two?' }];
      const rpc = {
        jsonrpc: '2.0',
        id: 1,
        method: 'message/send',
        params: {
          message: {
            kind: 'message',
            messageId: 'm1',
            role: 'user',
            contextId: id,
            parts: [{ kind: 'text', text: 'Two?' }],
          },
        },
      };
      const foreign = [
        await admin.post('/v1/chat/completions', { model, messages, metadata }, noWait),
        await admin.post('/v1/chat/completions', { model, messages, metadata, stream: true }, noWait),
        await admin.post('/v1/responses', { model, input: 'Two?', metadata }, noWait),
        await admin.post('/v1/messages', { model, max_tokens: 64, messages, metadata }, noWait),
        await admin.post('/a2a', rpc, noWait),
      ];
      expect(foreign.map(({ status, text }) => `${status} ${text}`)).toEqual(
        foreign.map(() => expect.stringMatching(/^409 \{.*"error":/)),
      );
      const second = admin.post('/v2/chat', { ...body, message: 'two' });
      gate.resolve();
      expect((await first).body).toMatchObject({ content: 'first' });
      expect((await second).body).toMatchObject({ content: 'second' });
      expect((await messagesOf(id)).map((message) => message.content)).toEqual([
        'one',
        'first',
        'two',
        'second',
      ]);
    },
  );
});
