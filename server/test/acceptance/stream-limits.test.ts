import { afterAll, beforeAll, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import type { Client, EventStream } from '../support/client.ts';
import { startTestProvider, type TestProvider } from '../support/provider.ts';
import { startServer, type TestServer } from '../support/server.ts';

const MAX = 2;
let server: TestServer;
let provider: TestProvider;
let admin: Client;
const open: EventStream[] = [];

beforeAll(async () => {
  provider = await startTestProvider();
  server = await startServer({
    env: {
      MODEL: 'compatible/test-model',
      COMPATIBLE_BASE_URL: provider.url,
      MODEL_TIMEOUT_S: '600',
      RATE_LIMITS: 'on',
      // Streams alone are bounded here.
      RATE_FREE: '100000:10000',
      STREAMS_PER_CALLER: String(MAX),
    },
  });
  admin = await server.signIn();
});
afterAll(async () => {
  for (const stream of open) stream.close();
  await server.close();
  await provider.close();
});

const question = { message: 'Tell me a story', context: { agent_id: 'zeus' } };
const rpc = (method: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: {
    message: {
      kind: 'message',
      role: 'user',
      messageId: crypto.randomUUID(),
      parts: [{ kind: 'text', text: 'A story' }],
    },
  },
});
const completion = {
  model: 'pentarch/zeus',
  stream: true,
  messages: [{ role: 'user', content: 'A story' }],
};
const DOORS: [path: string, body: () => unknown][] = [
  ['/v2/chat/stream', () => question],
  ['/api/v1/chat/stream', () => question],
  ['/v1/chat/completions', () => completion],
  ['/a2a/zeus', () => rpc('message/stream')],
];
const post = (path: string, body: unknown, key?: string) =>
  fetch(server.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${admin.token}`,
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
  });

it(
  req('WS-08', 'a stream too many is refused at every door, before a run begins or a provider is asked'),
  async () => {
    for (let n = 0; n < MAX; n += 1) {
      provider.script({ chunks: ['Once ', 'upon '], hangAfter: 1 });
      const stream = await admin.stream('/v2/chat/stream', question);
      open.push(stream);
      await stream.until('message.delta');
    }
    const conversations = async () => (await admin.get('/v2/conversations')).json<{ total: number }>().total;
    // The title of a conversation may be asked of the model beside its answer.
    const [calls, before] = [provider.requests.length, await conversations()];
    for (const [path, body] of DOORS)
      for (const key of [undefined, crypto.randomUUID()]) {
        const answer = await post(path, body(), key);
        const text = await answer.text();
        expect([path, answer.status, text]).toEqual([path, 429, expect.stringContaining('event streams')]);
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      }
    expect([await conversations(), provider.requests.length]).toEqual([before, calls]);
    // One less, and each of them opens again.
    open.shift()?.close();
    for (const [path, body] of DOORS) {
      provider.script({ text: 'The end.' });
      await expect
        .poll(async () => {
          const answer = await post(path, body());
          await answer.text();
          return answer.status;
        })
        .toBe(200);
    }
  },
);
