import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../../../test/support/client.ts';
import { startTestProvider, type TestProvider } from '../../../test/support/provider.ts';
import { startReceiver } from '../../../test/support/receiver.ts';
import { startServer, type TestServer } from '../../../test/support/server.ts';

/** What is told of a limit: by webhook and in the inbox, once each in a period. */

let provider: TestProvider;
let server: TestServer;
let admin: Client;
let receiver: Awaited<ReturnType<typeof startReceiver>>;

beforeAll(async () => {
  provider = await startTestProvider();
  receiver = await startReceiver((response) => response.writeHead(200).end());
  server = await startServer({
    files: { PRICES_FILE: { 'compatible/test': { input: 0, output: 10 } } },
    env: {
      MODEL: 'compatible/test',
      COMPATIBLE_BASE_URL: provider.url,
      MAX_OUTPUT_TOKENS: '1000',
      WEBHOOK_ALLOW_PRIVATE: 'on',
    },
  });
  admin = await server.signIn();
});
afterAll(async () => {
  await server?.close();
  await receiver?.close();
  await provider?.close();
});

it('tells of 50, 75, 90 and 100 % as they are used, and of the first refusal, once each', async () => {
  const events = ['cost.alert', 'cost.limit_reached'];
  expect((await admin.post('/v2/webhooks', { url: receiver.url, events })).status).toBe(201);
  const limits = [{ scope: 'tenant', period: 'day', limit_usd: 0.02 }];
  expect((await admin.put('/v2/costs/limits', { limits })).status).toBe(200);
  const ask = async (outputTokens: number): Promise<number> => {
    provider.always({ text: 'Well.', usage: { inputTokens: 10, outputTokens } });
    return (await admin.post('/v2/chat', { message: 'How are you?', context: { agent_id: 'iris' } })).status;
  };
  const told = () =>
    receiver.received
      .map(({ body }) => {
        const { event, data } = JSON.parse(body) as {
          event: string;
          data: { threshold_percent: number | null; used_usd: number };
        };
        return `${event} ${data.threshold_percent} at ${data.used_usd}`;
      })
      .sort();
  const comes = (expected: string[]) => expect.poll(told, { timeout: 20_000 }).toEqual([...expected].sort());

  expect(await ask(1_000)).toBe(200);
  const half = ['cost.alert 50 at 0.01'];
  await comes(half);
  expect(await ask(1_000)).toBe(200);
  const full = [...half, ...[75, 90, 100].map((percent) => `cost.alert ${percent} at 0.02`)];
  await comes(full);
  expect(await ask(1_000)).toBe(402);
  const refused = [...full, 'cost.limit_reached null at 0.02'];
  await comes(refused);
  expect(await ask(1_000)).toBe(402);

  // A raised limit is another one: what has been told of the first is told of it too, after all that came before.
  expect(
    (await admin.put('/v2/costs/limits', { limits: limits.map((one) => ({ ...one, limit_usd: 0.06 })) }))
      .status,
  ).toBe(200);
  expect(await ask(1_000)).toBe(200);
  await comes([...refused, 'cost.alert 50 at 0.03']);

  const { items } = (await admin.get('/v2/notifications?category=costs&limit=100')).json<{
    items: { title: string }[];
  }>();
  expect(items.map((one) => one.title).sort()).toEqual(
    [
      'Costs: a call was refused',
      'Costs: critical',
      'Costs: exceeded',
      'Costs: info',
      'Costs: info',
      'Costs: warning',
    ].sort(),
  );
});
