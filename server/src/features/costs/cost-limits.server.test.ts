import { describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import type { TestProvider } from '../../../test/support/provider.ts';
import { withWorld } from '../../../test/support/suite.ts';

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

const it = withWorld({
  // Ten dollars a million tokens of an answer: a thousandth of a dollar is 100 of them.
  files: { PRICES_FILE: { 'compatible/test': { input: 0, output: 10 } } },
  env: {
    MODEL: 'compatible/test',
    MAX_OUTPUT_TOKENS: '10000',
    MCP_BUILTIN: 'on',
  },
});

describe('costs of requests', () => {
  let provider: TestProvider;
  let admin: Client;

  it.beforeAll(({ world }) => {
    ({ provider, admin } = world);
  });

  const usage = async (): Promise<Usage> =>
    (await admin.get('/api/v1/costs/usage?period=day&scope=tenant')).json<Usage>();
  const ask = (headers: Record<string, string> = {}) =>
    admin.post('/v2/chat', { message: 'How are you?', context: { agent_id: 'zeus' } }, { headers });

  it(req('COST-01', 'are counted for each request, also where two have the same X-Request-ID'), async () => {
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

  it(req('COST-06', 'are none for reading, exporting and replaying what is stored'), async () => {
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

  it(
    req(
      'COST-04',
      'are capped to what is left of a limit, and refused where that is of no use: never passed',
    ),
    async () => {
      provider.reset();
      const limit = async (usd: number | null) => {
        const put = await admin.put('/v2/costs/limits', {
          limits: [
            { scope: 'tenant', period: 'day', limit_usd: usd === null ? null : Number(usd.toFixed(9)) },
          ],
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
    },
  );

  it(
    req(
      'COST-05',
      'end a run that has begun with what it has, never with 402, and its key does not run the tools again',
    ),
    async () => {
      const invoke = (key: string) =>
        admin.post(
          '/v2/agents/hephaestus/invoke',
          { message: 'What time is it?' },
          { headers: { 'idempotency-key': key } },
        );
      const complete = (stream: boolean) => (key: string) =>
        admin.post(
          '/v1/chat/completions',
          { model: 'pentarch/hephaestus', messages: [{ role: 'user', content: 'What time is it?' }], stream },
          { headers: { 'idempotency-key': key } },
        );
      const ways = { invoke, complete: complete(false), stream: complete(true) };
      const set = async (usd: number) => {
        const limits = [{ scope: 'run', period: 'run', limit_usd: usd }];
        expect((await admin.put('/v2/costs/limits', { limits })).status).toBe(200);
      };
      await set(0.05);
      for (const [way, ask] of Object.entries(ways)) {
        provider.reset();
        // The first call may write 5,000 tokens and does: it asks for a tool without a word, and nothing is left for a second.
        provider.always({
          chunks: [],
          toolCalls: [{ id: 'c', name: 'time__get_current_time', arguments: '{"timezone":"Asia/Tokyo"}' }],
          usage: { inputTokens: 10, outputTokens: 5_000 },
        });
        const first = await ask(`half-way-${way}`);
        expect([way, first.status, first.text]).toEqual([way, 200, expect.stringContaining('cost_exceeded')]);
        const again = await ask(`half-way-${way}`);
        expect([way, again.status, again.headers.get('idempotent-replayed')]).toEqual([way, 200, 'true']);
        expect(provider.requests).toHaveLength(1);
        if (way !== 'invoke') continue;
        const answer = first.json<Answer & { content: string; tool_calls: unknown[] }>();
        expect(answer).toMatchObject({ content: '', finish_reason: 'cost_exceeded', cost_usd: 0.05 });
        expect(answer.tool_calls).toMatchObject([{ name: 'get_current_time', status: 'completed' }]);
        const run = await admin.get(`/v2/chat/runs/${answer.run_id}`);
        expect(run.json()).toMatchObject({ status: 'cost_exceeded', error: { code: 'COST_EXCEEDED' } });
      }
      // Before the first call it is a refusal.
      provider.reset();
      await set(0);
      for (const [way, ask] of Object.entries(ways))
        expect([way, (await ask(`none-${way}`)).status]).toEqual([way, 402]);
      expect(provider.requests).toHaveLength(0);
      await set(5);
    },
  );
});
