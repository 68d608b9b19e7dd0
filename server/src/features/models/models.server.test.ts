import { expect } from 'vitest';
import type { TestProvider } from '../../../test/support/provider.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { withWorld } from '../../../test/support/suite.ts';

/** The models that a person may choose from, and that the choice holds. */

let server: TestServer;
let provider: TestProvider;
const it = withWorld({
  env: {
    MODEL: 'compatible/first',
    MODELS: 'compatible/second,compatible/third',
    COMPATIBLE_API_KEY: 'x',
  },
  files: { PRICES_FILE: { 'compatible/second': { input: 2, cached_input: 0.5, output: 8 } } },
});
it.beforeAll(({ world }) => {
  ({ provider, server } = world);
});

interface Listed {
  items: { id: string; default: boolean }[];
  next_cursor: string | null;
}

it('are listed with their prices, the default first, to everybody who is signed in', async () => {
  const admin = await server.signIn();
  const all = await admin.get('/v2/models');
  expect(all.status).toBe(200);
  expect(all.body).toMatchObject({
    total: 4,
    has_more: false,
    items: [
      { id: 'compatible/first', default: true, local: false, available: true, price: { estimated: true } },
      {
        id: 'compatible/second',
        provider: 'compatible',
        default: false,
        price: { input: 2, cached_input: 0.5, output: 8, estimated: false },
      },
      { id: 'compatible/third' },
      { id: 'builtin', local: true, price: { input: 0, output: 0, estimated: false } },
    ],
  });
  const first = (await admin.get('/api/v1/models?limit=2')).json<Listed>();
  const rest = (await admin.get(`/api/v1/models?cursor=${first.next_cursor ?? ''}`)).json<Listed>();
  expect([...first.items, ...rest.items]).toEqual(all.json<Listed>().items);
  expect((await admin.get('/v2/models?colour=1')).status).toBe(422);
  expect((await server.anonymous().get('/v2/models')).status).toBe(401);
});

it('are what the chat takes, and what stands with the question afterwards', async () => {
  const admin = await server.signIn();
  provider.reset();
  provider.always(() => ({ chunks: ['Good.'] }));
  for (const { id } of (await admin.get('/v2/models')).json<Listed>().items) {
    const answer = await admin.post('/api/v1/chat', {
      message: 'Hello there',
      context: { model: id, agent_id: 'zeus' },
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ metadata: { model: id } });
    const { conversation_id } = answer.json<{ conversation_id: string }>();
    const { messages } = (await admin.get(`/api/v1/conversations/${conversation_id}`)).json<{
      messages: { role: string; metadata: Record<string, unknown> }[];
    }>();
    expect(messages.find((one) => one.role === 'user')?.metadata).toMatchObject({ model: id });
  }
  const other = await admin.post('/api/v1/chat', {
    message: 'Hello',
    context: { model: 'compatible/fourth' },
  });
  expect(other.status).toBe(422);
});
