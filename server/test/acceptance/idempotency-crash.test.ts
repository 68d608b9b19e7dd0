import { beforeEach, describe, expect } from 'vitest';
import { req } from '../requirements.ts';
import type { Answer, Client } from '../support/client.ts';
import type { TestProvider } from '../support/provider.ts';
import type { TestServer } from '../support/server.ts';
import { withWorld } from '../support/suite.ts';

/** A client that lost its answer with the server's process asks again under the same key. */

const NODE_TAKEOVER_MS = 60_000;

let server: TestServer;
let provider: TestProvider;
let admin: Client;

const it = withWorld();
it.beforeAll(({ world }) => {
  ({ provider, server, admin } = world);
});
beforeEach(() => provider.reset());

const QUESTION = { message: 'What time is it?', context: { agent_id: 'chronos' } };
const COMPLETION = {
  model: 'pentarch/chronos',
  messages: [{ role: 'user', content: QUESTION.message }],
};
const withKey = (key: string) => ({ headers: { 'idempotency-key': key } });
/** Those that lists leave out as well. */
const conversations = async (): Promise<number> => {
  const counted = async (status: string) =>
    (await admin.get(`/v2/conversations?status=${status}`)).json<{ total: number }>().total;
  return (await counted('active')) + (await counted('unlisted'));
};

/** Ends the server at once while it waits for the provider's `calls`th answer, which never comes to that process. */
const killAt = async (calls: number, sent: Promise<unknown>, gate: PromiseWithResolvers<void>) => {
  sent.catch(() => {});
  await provider.seen(calls);
  await server.end('SIGKILL');
  gate.resolve();
  await sent.catch(() => {});
  await server.start();
};

/** Asks again until the run of the first request has come to an end. */
const afterwards = async (again: () => Promise<Answer>): Promise<Answer> => {
  let answer = await again();
  await expect
    .poll(
      async () => {
        if (answer.status === 409) answer = await again();
        return answer.status;
      },
      { timeout: NODE_TAKEOVER_MS },
    )
    .not.toBe(409);
  return answer;
};

/** A tool, an answer that is lost at the gate, and the one after the restart, when `goOn` lets it. */
const threeSteps = (gate: Promise<void>, goOn: Promise<void> = Promise.resolve()): void => {
  provider.script(
    { toolCalls: [{ id: 'call_1', name: 'list_tasks', arguments: '{}' }] },
    { text: 'lost', hold: gate },
    { text: 'noon', hold: goOn },
  );
};

describe('the same Idempotency-Key after kill -9', () => {
  const doors = [
    { door: 'POST /api/v1/chat', path: '/api/v1/chat', body: QUESTION },
    {
      door: 'POST /v2/agents/{id}/invoke',
      path: '/v2/agents/chronos/invoke',
      body: { message: 'The time?' },
    },
    { door: 'POST /v1/chat/completions', path: '/v1/chat/completions', body: COMPLETION },
  ];

  it.each(doors)(
    req('IDEM-06', '$door: the run that went on is the answer'),
    async ({ door, path, body }) => {
      const key = `goes-on ${door}`;
      const before = await conversations();
      const gate = Promise.withResolvers<void>();
      threeSteps(gate.promise);
      const ask = () => admin.post(path, body, withKey(key));
      await killAt(2, ask(), gate);
      const again = await afterwards(ask);
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
      expect(again.text).toContain('noon');
      // The first two calls, and the second one once more where the run went on: no request was begun anew.
      expect(provider.requests.length).toBe(3);
      expect(await conversations()).toBe(before + 1);
      const later = await ask();
      expect([later.text, later.headers.get('idempotent-replayed')]).toEqual([again.text, 'true']);
    },
  );

  it.each(doors)(
    req('IDEM-06', '$door: a run that failed with the process is told, and then the key is free'),
    async ({ door, path, body }) => {
      const key = `failed ${door}`;
      const before = await conversations();
      const gate = Promise.withResolvers<void>();
      provider.script({ text: 'lost', hold: gate.promise }, { text: 'asked anew' });
      const ask = () => admin.post(path, body, withKey(key));
      await killAt(1, ask(), gate);
      const told = await afterwards(ask);
      expect(told.status).toBe(503);
      expect(told.headers.get('retry-after')).not.toBeNull();
      expect(told.text).toContain('interrupted');
      expect(provider.requests.length).toBe(1);
      expect(await conversations()).toBe(before + 1);
      const anew = await ask();
      expect([anew.status, anew.headers.get('idempotent-replayed')]).toEqual([200, null]);
      expect(anew.text).toContain('asked anew');
    },
  );

  it(req('IDEM-06', 'a stream: that of the first request’s run, to its end'), async () => {
    const gate = Promise.withResolvers<void>();
    threeSteps(gate.promise);
    const ask = () => admin.stream('/api/v1/chat/stream', QUESTION, withKey('a stream'));
    const first = await ask();
    const [started] = await first.until('run.started');
    await killAt(2, first.rest(), gate);
    const again = await ask();
    const events = await again.rest();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(events[0]).toEqual(started);
    expect(events.at(-1)).toMatchObject({ event: 'message.completed', data: { content: 'noon' } });
    expect(provider.requests.length).toBe(3);
  });

  it(req('IDEM-06', 'a message that waited for its turn is there once'), async () => {
    const gate = Promise.withResolvers<void>();
    const { id } = (await admin.post('/v2/conversations', {})).json<{ id: string }>();
    provider.script(
      { toolCalls: [{ id: 'call_1', name: 'list_tasks', arguments: '{}' }] },
      { text: 'lost', hold: gate.promise },
      { text: 'first' },
      { text: 'second' },
    );
    const first = admin.post('/v2/chat', { ...QUESTION, conversation_id: id });
    first.catch(() => {});
    await provider.seen(2);
    const ask = () =>
      admin.post('/v2/chat', { ...QUESTION, message: 'and then?', conversation_id: id }, withKey('it waits'));
    const second = ask();
    second.catch(() => {});
    const stored = async () =>
      (await admin.get(`/v2/conversations/${id}`)).json<{ messages: { content: string }[] }>().messages;
    await expect.poll(async () => (await stored()).some(({ content }) => content === 'and then?')).toBe(true);
    await killAt(2, second, gate);
    const again = await afterwards(ask);
    expect(again.json<{ content: string }>().content).toBe('second');
    expect((await stored()).filter(({ content }) => content === 'and then?')).toHaveLength(1);
  });
});
