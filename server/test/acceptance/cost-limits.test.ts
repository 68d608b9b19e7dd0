import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.ts';
import { startTestProvider, type TestProvider } from '../support/provider.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** What is charged and what is not, and what a small rest of a limit allows. */

interface Usage {
  total_usd: number;
  requests: number;
}
interface Answer {
  id: string;
  run_id: string;
  conversation_id: string;
  cost_usd: number;
  finish_reason: string;
}

describe('costs of requests', () => {
  let provider: TestProvider;
  let server: TestServer;
  let admin: Client;

  beforeAll(async () => {
    provider = await startTestProvider();
    server = await startServer({
      // Ten dollars a million tokens of an answer: a thousandth of a dollar is 100 of them.
      files: { PRICES_FILE: { 'compatible/test': { input: 0, output: 10 } } },
      env: {
        MODEL: 'compatible/test',
        COMPATIBLE_BASE_URL: provider.url,
        MAX_OUTPUT_TOKENS: '10000',
      },
    });
    admin = await server.signIn();
  });
  afterAll(async () => {
    await server.close();
    await provider.close();
  });

  const usage = async (): Promise<Usage> =>
    (await admin.get('/api/v1/costs/usage?period=day&scope=tenant')).json<Usage>();
  const ask = (headers: Record<string, string> = {}) =>
    admin.post('/v2/chat', { message: 'How are you?', context: { agent_id: 'zeus' } }, { headers });

  it('are counted for each request, also where two have the same X-Request-ID', async () => {
    provider.reset();
    provider.always({ text: 'Well.', usage: { inputTokens: 10, outputTokens: 100 } });
    const before = await usage();
    const header = { 'x-request-id': 'the-same-twice' };
    expect((await ask(header)).json<Answer>().cost_usd).toBe(0.001);
    expect((await ask(header)).json<Answer>().cost_usd).toBe(0.001);
    const after = await usage();
    expect(after.requests - before.requests).toBe(2);
    expect(after.total_usd - before.total_usd).toBeCloseTo(0.002, 9);
  });

  it('are none for reading, exporting and replaying what is stored', async () => {
    provider.reset();
    provider.always({ text: 'Well.', usage: { inputTokens: 10, outputTokens: 100 } });
    const key = { 'idempotency-key': 'costs-once' };
    const first = (await ask(key)).json<Answer>();
    const before = await usage();
    const replayed = await ask(key);
    expect(replayed.headers.get('idempotent-replayed')).toBe('true');
    expect(replayed.json<Answer>().id).toBe(first.id);
    for (const target of [
      `/v2/conversations/${first.conversation_id}`,
      `/v2/conversations/${first.conversation_id}/export?format=markdown`,
      `/v2/chat/runs/${first.run_id}`,
      `/v2/chat/runs/${first.run_id}/stream`,
      '/v2/costs/limits',
    ])
      expect([target, (await admin.get(target)).status]).toEqual([target, 200]);
    const { total_usd, requests } = await usage();
    expect({ total_usd, requests }).toEqual({ total_usd: before.total_usd, requests: before.requests });
    expect(provider.requests).toHaveLength(1);
  });

  it('are capped to what is left of a limit, and refused where that is of no use: never passed', async () => {
    provider.reset();
    const limit = async (usd: number | null) => {
      const put = await admin.put('/v2/costs/limits', {
        limits: [{ scope: 'tenant', period: 'day', limit_usd: usd }],
      });
      expect(put.status).toBe(200);
    };
    // The model would go on for ever: it stops where it is told to.
    provider.always((request) => {
      const cap = request.body.max_tokens ?? request.body.max_completion_tokens ?? 0;
      return {
        text: 'On and on',
        finishReason: 'length',
        usage: { inputTokens: 10, outputTokens: Math.min(cap, 10_000) },
      };
    });
    const { total_usd: spent } = await usage();
    await limit(spent + 0.001);
    const capped = await ask();
    expect(capped.status).toBe(200);
    expect(capped.json<Answer>()).toMatchObject({ cost_usd: 0.001, finish_reason: 'length' });
    expect(provider.requests[0]?.body.max_tokens).toBe(100);
    expect((await usage()).total_usd).toBeCloseTo(spent + 0.001, 9);

    await limit(spent + 0.001 + 0.0001);
    const refused = await ask();
    expect(refused.status).toBe(402);
    expect(refused.json<{ details: unknown }>().details).toMatchObject({ scope: 'tenant', period: 'day' });
    expect(provider.requests).toHaveLength(1);
    await limit(500);
  });
});
