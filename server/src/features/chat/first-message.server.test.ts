import { beforeEach, describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import type { TestProvider, TestRequest } from '../../../test/support/provider.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { openSocket } from '../../../test/support/socket-client.ts';
import { withWorld } from '../../../test/support/suite.ts';

/** A conversation is busy from its first message on, whichever API each message comes by. */

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

type Send = (message: string, conversationId?: string) => Promise<unknown>;

const inConversation = (conversationId?: string) =>
  conversationId === undefined ? {} : { conversation_id: conversationId };
const chatRequest = (message: string, conversationId?: string) => ({
  message,
  context: { agent_id: 'zeus' },
  ...inConversation(conversationId),
});
const ok = async (answer: Promise<{ status: number; text: string }>): Promise<void> => {
  const { status, text } = await answer;
  if (status >= 300) throw new Error(`${status} ${text}`);
};

const overSocket: Send = async (message, conversationId) => {
  const socket = openSocket(`${server.url.replace('http', 'ws')}/v2/ws`, { token: admin.token ?? '' });
  await socket.next('ready');
  socket.send('chat.send', { id: '1', ...chatRequest(message, conversationId) });
  const accepted = await socket.next('chat.accepted');
  await socket.next('run.completed', (told) => told.payload.run_id === accepted.payload.run_id);
  socket.close();
};

const ENTRIES: Record<string, Send> = {
  'chat in JSON': (message, id) => ok(admin.post('/api/v1/chat', chatRequest(message, id))),
  'chat as a stream': async (message, id) => {
    const stream = await admin.stream('/api/v1/chat/stream', chatRequest(message, id));
    expect((await stream.rest()).at(-1)?.event).toBe('message.completed');
  },
  'the WebSocket': overSocket,
  invoke: (message, id) => ok(admin.post('/v2/agents/zeus/invoke', { message, ...inConversation(id) })),
  'the /v1 API': (message, id) =>
    ok(
      admin.post('/v1/chat/completions', {
        model: 'pentarch/zeus',
        store: true,
        messages: [{ role: 'user', content: message }],
        ...(id === undefined ? {} : { metadata: { conversation_id: id } }),
      }),
    ),
  A2A: (message, id) =>
    ok(
      admin.post('/a2a/zeus', {
        jsonrpc: '2.0',
        id: 1,
        method: 'message/send',
        params: {
          message: {
            kind: 'message',
            messageId: `${message} ${id ?? ''}`,
            role: 'user',
            parts: [{ kind: 'text', text: message }],
            ...(id === undefined ? {} : { contextId: id }),
          },
        },
      }),
    ),
};
const task: Send = async (description) => {
  const made = await admin.post('/v2/tasks', { description, agent_id: 'zeus' });
  const { id } = made.json<{ id: string }>();
  await expect
    .poll(async () => (await admin.get(`/v2/tasks/${id}`)).json<{ status: string }>().status)
    .toBe('completed');
};

const newest = async (): Promise<string | undefined> =>
  (await admin.get('/v2/conversations?limit=1')).json<{ items: { id: string }[] }>().items[0]?.id;
const contents = async (id: string): Promise<string[]> =>
  (await admin.get(`/api/v1/conversations/${id}`))
    .json<{ messages: { content: string }[] }>()
    .messages.map((message) => message.content);

/** The first message by its API, held at the model; resolves with its conversation. */
const begin = async (send: Send) => {
  const gate = Promise.withResolvers<void>();
  provider.always((request) => {
    const text = `Answer to ${lastOf(request)}`;
    return lastOf(request) === 'one' ? { text, hold: gate.promise } : { text };
  });
  const before = await newest();
  const first = send('one');
  first.catch(() => {});
  await provider.seen(1);
  await expect.poll(newest).not.toBe(before);
  return { first, id: (await newest()) ?? '', open: () => gate.resolve() };
};

for (const [name, send] of Object.entries({ ...ENTRIES, 'a task': task })) {
  describe(`a conversation made by ${name}`, () => {
    for (const [secondName, second] of Object.entries(ENTRIES)) {
      it(req('QUEUE-06', `keeps a message by ${secondName} waiting`), async () => {
        const { first, id, open } = await begin(send);
        const next = second('two', id);
        next.catch(() => {});
        await expect.poll(() => contents(id)).toEqual(['one', 'two']);
        const refused = await admin.post('/api/v1/chat', chatRequest('no', id), {
          headers: { prefer: 'no-wait' },
        });
        expect(refused.status).toBe(409);
        expect(provider.requests.map(lastOf)).toEqual(['one']);
        open();
        await Promise.all([first, next]);
        expect(await contents(id)).toEqual(['one', 'Answer to one', 'two', 'Answer to two']);
        const asked = provider.requests.find((request) => lastOf(request) === 'two');
        expect(asked?.body.messages?.map((message) => message.role)).toEqual([
          'system',
          'user',
          'assistant',
          'user',
        ]);
      });
    }
  });
}
