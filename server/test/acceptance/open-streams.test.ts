import { beforeEach, describe, expect } from 'vitest';
import { req } from '../requirements.ts';
import type { Client, EventStream } from '../support/client.ts';
import type { TestProvider } from '../support/provider.ts';
import type { TestServer } from '../support/server.ts';
import { openSocket } from '../support/socket-client.ts';
import { withWorld } from '../support/suite.ts';

/** Streams and sockets that are open while their person loses the right to them. */

const PASSWORD = 'a long password of a person';
const question = { message: 'Tell me a story', context: { agent_id: 'zeus' } };

let server: TestServer;
let provider: TestProvider;
let admin: Client;

const it = withWorld({ env: { MODEL_TIMEOUT_S: '600' } });
it.beforeAll(({ world }) => {
  ({ provider, server, admin } = world);
});
beforeEach(() => provider.reset());

let count = 0;
const person = async (maker: Client = admin, roles = ['user']) => {
  count += 1;
  const email = `person${count}@example.test`;
  const made = await maker.post('/v2/users', { email, password: PASSWORD, roles });
  expect(made.status, made.text).toBe(201);
  return { id: made.json<{ id: string }>().id, client: await server.signIn(email, PASSWORD) };
};
const otherTenant = async () => {
  count += 1;
  const boss = { email: `boss${count}@other.test`, password: PASSWORD };
  const made = await admin.post('/v2/tenants', { name: 'Other', slug: `other-${count}`, admin: boss });
  return { id: made.json<{ id: string }>().id, client: await server.signIn(boss.email, boss.password) };
};

/** A stream in mid-answer, whose provider says no more. */
const openRun = async (
  client: Client,
  path = '/v2/chat/stream',
): Promise<{ stream: EventStream; runId: string }> => {
  provider.script({ chunks: ['Once ', 'upon ', 'a time.'], hangAfter: 1 });
  const stream = await client.stream(path, question);
  const [started] = await stream.until('message.delta');
  return { stream, runId: started?.id.split(':')[0] ?? '' };
};
const openStream = async (client: Client, path?: string): Promise<EventStream> =>
  (await openRun(client, path)).stream;
const lastOf = async (stream: EventStream) => (await stream.rest()).at(-1);

describe('open streams and sockets', () => {
  it(req('AUTH-08', 'a deactivation ends a stream with an error that says why, and a socket'), async () => {
    const { id, client } = await person();
    const stream = await openStream(client);
    const socket = openSocket(`${server.url.replace('http', 'ws')}/v2/ws`, { token: client.token ?? '' });
    await socket.next('ready');
    expect((await admin.delete(`/v2/users/${id}`)).status).toBe(204);
    expect(await lastOf(stream)).toMatchObject({
      // No id: the events of the run go on where they were, for whoever may read them.
      id: '',
      event: 'error',
      data: { error: 'unauthorized', code: 'TOKEN_REVOKED' },
    });
    expect((await socket.closed()).code).toBe(4401);
  });

  it(req('AUTH-08', 'so does a role that lacks the right, by the permission’s name'), async () => {
    const { id, client } = await person();
    const stream = await openStream(client, '/api/v1/chat/stream');
    expect((await admin.patch(`/v2/users/${id}`, { roles: ['readonly'] })).status).toBe(200);
    expect(await lastOf(stream)).toMatchObject({
      event: 'error',
      data: { error: { code: 'FORBIDDEN', details: { required: 'chat:write' } } },
    });
  });

  it(req('AUTH-08', 'so do a sign-out, an ended key and a suspended tenant; others go on'), async () => {
    const out = await person();
    const kept = await person();
    const other = await otherTenant();
    const key = (await kept.client.post('/v2/auth/api-keys', { name: 'k' })).json<{
      id: string;
      key: string;
    }>();
    const going = await openRun(admin);
    const outStream = await openStream(out.client);
    const otherStream = await openStream(other.client);
    provider.script({ chunks: ['Once ', 'upon '], hangAfter: 1 });
    const keyStream = await server
      .anonymous()
      .stream('/v2/chat/stream', question, { headers: { authorization: `Bearer ${key.key}` } });
    await keyStream.until('message.delta');
    expect((await out.client.post('/v2/auth/logout')).status).toBe(204);
    expect((await kept.client.delete(`/v2/auth/api-keys/${key.id}`)).status).toBe(204);
    expect((await admin.patch(`/v2/tenants/${other.id}`, { status: 'suspended' })).status).toBe(200);
    expect(await lastOf(outStream)).toMatchObject({ event: 'error', data: { code: 'TOKEN_REVOKED' } });
    expect(await lastOf(keyStream)).toMatchObject({ event: 'error', data: { error: 'unauthorized' } });
    expect(await lastOf(otherStream)).toMatchObject({ event: 'error', data: { error: 'forbidden' } });
    // Looked at as often as the others, and still there: it tells how its own run ends.
    expect((await admin.post(`/v2/chat/runs/${going.runId}/cancel`)).status).toBe(202);
    expect(await lastOf(going.stream)).toMatchObject({
      event: 'message.completed',
      data: { finish_reason: 'cancelled' },
    });
  });

  it(req('AUTH-08', 'the doors of other protocols do the same'), async () => {
    const { id, client } = await person();
    const headers = { authorization: `Bearer ${client.token}`, 'content-type': 'application/json' };
    provider.script(
      { chunks: ['Once ', 'upon '], hangAfter: 1 },
      { chunks: ['Once ', 'upon '], hangAfter: 1 },
    );
    const openAi = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify({
        model: 'pentarch/zeus',
        stream: true,
        messages: [{ role: 'user', content: 'A story' }],
      }),
    });
    expect(openAi.status).toBe(200);
    const a2a = await fetch(`${server.url}/a2a/zeus`, {
      method: 'POST',
      headers,
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'message/stream',
        params: {
          message: {
            kind: 'message',
            role: 'user',
            messageId: 'm1',
            parts: [{ kind: 'text', text: 'A story' }],
          },
        },
      }),
    });
    expect(a2a.headers.get('content-type')).toContain('text/event-stream');
    expect((await admin.delete(`/v2/users/${id}`)).status).toBe(204);
    const [chunks, updates] = await Promise.all([openAi.text(), a2a.text()]);
    expect(chunks).not.toContain('[DONE]');
    expect(chunks.trim().split('\n\n').at(-1)).toMatch(/^data: \{"error":\{/);
    expect(updates.trim().split('\n\n').at(-1)).toMatch(
      /^event: error\ndata: \{"jsonrpc":"2.0","id":1,"error"/,
    );
  });

  it(req('AUTH-08', 'a run that goes on calls no tool that its person may not call any more'), async () => {
    const [demoted, gone, kept] = [await person(), await person(), await person()];
    const cases: [name: string, Client, change: () => Promise<{ status: number }>, outcome: string][] = [
      ['kept', kept.client, () => admin.get('/v2/auth/me'), 'completed'],
      [
        'demoted',
        demoted.client,
        () => admin.patch(`/v2/users/${demoted.id}`, { roles: ['readonly'] }),
        'denied',
      ],
      ['gone', gone.client, () => admin.delete(`/v2/users/${gone.id}`), 'denied'],
    ];
    for (const [name, client, change, outcome] of cases) {
      const release = Promise.withResolvers<void>();
      // Due in a far year: a task that runs would take replies of the test's runs.
      const args = JSON.stringify({
        description: `buy milk for ${name}`,
        scheduled_at: '2099-01-01T00:00:00.000Z',
      });
      provider.script(
        { hold: release.promise, toolCalls: [{ id: 'c1', name: 'create_task', arguments: args }] },
        { chunks: ['Done.'] },
      );
      // It has a title already: the model is asked for none, and every reply is the run's.
      const conversation = await client.post('/v2/conversations', { title: name });
      const { id } = conversation.json<{ id: string }>();
      const request = { message: 'Remind me', conversation_id: id, context: { agent_id: 'chronos' } };
      const stream = await client.stream('/v2/chat/stream', request);
      const [started] = await stream.until('agent.selected');
      if (started === undefined) throw new Error('no event');
      const { run_id: runId } = started.data as { run_id: string };
      expect((await change()).status).toBeLessThan(300);
      release.resolve();
      const calls = async () =>
        (await admin.get(`/v2/conversations/${id}`))
          .json<{ messages: { tool_calls: { status: string }[] }[] }>()
          .messages.flatMap((message) => message.tool_calls)
          .map((call) => call.status);
      // To its end, so that the next one's replies are its own.
      const state = async () => (await admin.get(`/v2/chat/runs/${runId}`)).json<{ status: string }>().status;
      await expect.poll(state, { timeout: 20_000 }).toBe('completed');
      expect([name, await calls()]).toEqual([name, [outcome]]);
      const tasks = await admin.get('/v2/tasks?limit=100');
      expect([name, tasks.text.includes(`buy milk for ${name}`)]).toEqual([name, outcome === 'completed']);
      stream.close();
    }
  });

  it(req('AUTH-08', 'a socket tells a demoted person no more than the new role may read'), async () => {
    const { id, client } = await person(admin, ['operator']);
    const owner = await person();
    const socket = openSocket(`${server.url.replace('http', 'ws')}/v2/ws`, { token: client.token ?? '' });
    await socket.next('ready');
    const task = { description: 'later', scheduled_at: '2099-01-01T00:00:00.000Z' };
    const first = (await owner.client.post('/v2/tasks', task)).json<{ id: string }>();
    const saw = (taskId: string) =>
      socket.messages.some((m) => m.type === 'task.updated' && JSON.stringify(m.payload).includes(taskId));
    await expect.poll(() => saw(first.id), { timeout: 10_000 }).toBe(true);
    expect((await admin.patch(`/v2/users/${id}`, { roles: ['user'] })).status).toBe(200);
    // Looks once a second: what it publishes after a later look of the same socket is not told any more.
    await expect
      .poll(
        async () => {
          const next = (await owner.client.post('/v2/tasks', task)).json<{ id: string }>();
          // An own event after it: whatever was to come of the other one has come by then.
          const own = (await client.post('/v2/tasks', task)).json<{ id: string }>();
          await expect.poll(() => saw(own.id), { timeout: 10_000 }).toBe(true);
          return saw(next.id);
        },
        { timeout: 5_000 },
      )
      .toBe(false);
    socket.close();
  });
});
