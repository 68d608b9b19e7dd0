import { beforeEach, describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import type { TestProvider } from '../../../test/support/provider.ts';
import { withWorld } from '../../../test/support/suite.ts';

/** Every call of a model or an embedder is reserved, bounded and booked, whichever part of the platform makes it. */

const UNCLEAR = 'Please help with something unclear and general';
const ABSURD = 9_000_000_000;

interface Limit {
  scope: string;
  period: string;
  limit_usd: number;
  used_usd: number;
  reserved_usd: number;
}

const it = withWorld({
  files: {
    PRICES_FILE: {
      'compatible/test': { input: 1.25, output: 10 },
      'compatible/emb': { input: 100, output: 0 },
    },
  },
  env: {
    MODEL: 'compatible/test',
    MEMORY_MODEL: 'compatible/test',
    EMBEDDING_MODEL: 'compatible/emb',
    EMBEDDING_DIMENSIONS: '64',
  },
});

describe('calls of models and embedders', () => {
  let provider: TestProvider;
  let admin: Client;

  it.beforeAll(({ world }) => {
    ({ provider, admin } = world);
  });

  beforeEach(async () => {
    provider.reset();
    provider.embeddingTokens(undefined);
    await limit(500);
  });

  const limit = async (usd: number): Promise<void> => {
    const limits = [{ scope: 'tenant', period: 'day', limit_usd: usd }];
    expect((await admin.put('/v2/costs/limits', { limits })).status).toBe(200);
  };
  const day = async (): Promise<Limit> => {
    const { limits } = (await admin.get('/v2/costs/limits')).json<{ limits: Limit[] }>();
    const found = limits.find((one) => one.scope === 'tenant' && one.period === 'day');
    if (found === undefined) throw new Error('no limit of the day');
    return found;
  };
  const rows = async (): Promise<Record<string, string>[]> => {
    const { text } = await admin.get('/v2/costs/usage/export?scope=tenant&period=day');
    const [head = '', ...lines] = text.trim().split(/\r?\n/);
    const names = head.split(',');
    return lines.map((line) =>
      Object.fromEntries(line.split(',').map((value, i) => [names[i] ?? '', value])),
    );
  };
  const embeddingRows = async () => (await rows()).filter((row) => row.kind === 'embedding').length;
  const embeddingCalls = () => provider.meter.filter((call) => call.kind === 'embedding').length;
  const settled = () => expect.poll(async () => (await day()).reserved_usd, { timeout: 20_000 }).toBe(0);

  it(
    req('COST-02', 'are bounded, whatever a provider says of routing, answers, memory and embeddings'),
    async () => {
      provider.always({ text: 'Well.', usage: { inputTokens: ABSURD, outputTokens: ABSURD } });
      provider.embeddingTokens(ABSURD);
      const { used_usd } = await day();
      await limit(used_usd + 20);
      const before = (await rows()).length;
      expect((await admin.post('/v2/chat', { message: UNCLEAR })).status).toBe(200);
      await admin.post('/v2/chat', {
        message: 'Nimbus has gone the way of the dodo, nobody wanted to put money into it.',
        context: { agent_id: 'hestia' },
      });
      expect((await admin.post('/v1/embeddings', { model: 'pentarch/embedding', input: 'abc' })).status).toBe(
        200,
      );
      await expect
        .poll(() => provider.requests.some((one) => one.body.response_format !== undefined), {
          timeout: 20_000,
        })
        .toBe(true);
      await settled();
      const after = await day();
      expect(after.used_usd).toBeLessThanOrEqual(after.limit_usd);
      const booked = (await rows()).slice(0, -before || undefined);
      expect(booked.length).toBeGreaterThan(3);
      for (const row of booked) expect(Number(row.input_tokens)).toBeLessThan(1_000_000);
    },
  );

  /** Requests that lead to the embedder, documents, memory and routing among them. */
  const requests: [string, () => Promise<unknown>][] = [
    ['a document', () => admin.post('/v2/knowledge/documents', { title: 'a', content: 'Lamps are green.' })],
    ['a search', () => admin.post('/v2/knowledge/search', { query: 'lamps', include_memories: true })],
    ['a program', () => admin.post('/v1/embeddings', { model: 'pentarch/embedding', input: ['a', 'b'] })],
    [
      'what is to be remembered',
      () =>
        admin.post('/v2/chat', {
          message: 'Remember that my dog is called Rex',
          context: { agent_id: 'memorix' },
        }),
    ],
    [
      'recall',
      () => admin.post('/v2/chat', { message: 'What is my dog called?', context: { agent_id: 'zeus' } }),
    ],
    ['routing', () => admin.post('/v2/chat', { message: UNCLEAR })],
    ['memory', () => admin.get('/v2/memory/entities?q=dog')],
  ];

  it(req('COST-01', 'are one row of the ledger for each call of the embedder'), async () => {
    provider.always({ text: 'Well.' });
    const before = await embeddingRows();
    // Counted over all requests together: what one begins may end while the next one is used.
    for (const [name, use] of requests) {
      await use();
      await expect
        .poll(async () => [name, (await embeddingRows()) - before - embeddingCalls()], { timeout: 20_000 })
        .toEqual([name, 0]);
    }
    await expect.poll(embeddingCalls, { timeout: 20_000 }).toBeGreaterThan(4);
    await settled();
  });

  it(req('COST-03', 'are none where the limit is 0'), async () => {
    await settled();
    provider.reset();
    await limit(0);
    for (const [, use] of requests) await use();
    await admin.post('/v2/chat', { message: `${UNCLEAR}, once more` });
    await settled();
    expect(provider.meter).toEqual([]);
  });

  it('count to the conversation that they learn from, after its answer too', async () => {
    provider.always({ text: 'Well.', usage: { inputTokens: 100, outputTokens: 10 } });
    const asked = await admin.post('/v2/chat', {
      message: 'Remember that my boat is called Halcyon and lies at berth four',
      context: { agent_id: 'iris' },
    });
    const { conversation_id: id, run_id } = asked.json<{ conversation_id: string; run_id: string }>();
    const ofIt = async () => (await rows()).filter((row) => row.conversation_id === id);
    // The facts are read by a model, and what they say is embedded, when the run has ended.
    const after = async () =>
      new Set((await ofIt()).filter((row) => row.run_id !== run_id).map((row) => row.kind));
    await expect.poll(after, { timeout: 20_000 }).toEqual(new Set(['model', 'embedding']));
    await settled();
    const { total_cost_usd } = (await admin.get(`/v2/conversations/${id}`)).json<{
      total_cost_usd: number;
    }>();
    const nano = (await ofIt()).reduce((sum, row) => sum + Math.round(Number(row.cost_usd) * 1e9), 0);
    expect(Math.round(total_cost_usd * 1e9)).toBe(nano);
  });

  it(req(
    'COST-11',
    'book what the provider bills beyond the reservation, mark it, tell it once, and refuse what no longer fits',
  ), async () => {
    await settled();
    // Only of the limit of this test: those before it may have been used up as well.
    const notifications = async () =>
      (await admin.get('/v2/notifications?limit=100')).json<{ items: { id: string; body: string }[] }>()
        .items;
    const earlier = new Set((await notifications()).map((one) => one.id));
    const alerts = async () =>
      (await notifications()).filter((one) => !earlier.has(one.id) && /100 ?%/.test(JSON.stringify(one)));
    const { used_usd: before } = await day();
    // The day has room for an answer, and none for the prompt that the provider will count.
    await limit(Number((before + 0.035).toFixed(9)));
    // Pictures and a provider's own instructions: more tokens than bytes were sent.
    provider.always({ text: 'Well.', usage: { inputTokens: 30_000, outputTokens: 50 } });
    const body = { message: 'Hi', context: { agent_id: 'zeus' } };
    const told = await admin.post('/v2/chat', body);
    expect(told.status, told.text).toBe(200);
    const { run_id } = told.json<{ run_id: string }>();
    const row = (await rows()).find((one) => one.run_id === run_id && one.kind === 'model');
    expect(row).toMatchObject({
      input_tokens: '30000',
      output_tokens: '50',
      cost_usd: '0.038000000',
      estimated: 'false',
      beyond_estimate: 'true',
    });
    await settled();
    const after = await day();
    expect(after.used_usd).toBeGreaterThan(after.limit_usd);
    const usage = (await admin.get('/v2/costs/usage?period=day')).json<{ beyond_estimate: number }>();
    expect(usage.beyond_estimate).toBe((await rows()).filter((one) => one.beyond_estimate === 'true').length);
    for (let i = 0; i < 3; i++) expect((await admin.post('/v2/chat', body)).status).toBe(402);
    await expect.poll(async () => (await alerts()).length, { timeout: 20_000 }).toBeGreaterThan(0);
    expect(await alerts()).toHaveLength(1);
  }, 60_000);

  it(
    req('COST-11', 'book what came where a provider has told its usage under way, or left out a part'),
    async () => {
      const text = 'Some twenty words '.repeat(8);
      const outputOf = async (rawUsage: Record<string, unknown>) => {
        provider.always({ text, rawUsage });
        const body = { message: 'How are you?', context: { agent_id: 'zeus' } };
        const { run_id } = (await admin.post('/v2/chat', body)).json<{ run_id: string }>();
        const row = (await rows()).find((one) => one.run_id === run_id && one.kind === 'model');
        return [Number(row?.input_tokens), Number(row?.output_tokens), row?.estimated] as const;
      };
      const [, came] = await outputOf({});
      expect(came).toBeGreaterThan(20);
      expect(await outputOf({ prompt_tokens: 70, completion_tokens: 0 })).toEqual([70, came, 'true']);
      expect(await outputOf({ prompt_tokens: 70 })).toEqual([70, came, 'true']);
      const [input, output, estimated] = await outputOf({ completion_tokens: 40 });
      expect([input > 0, output, estimated]).toEqual([true, 40, 'true']);
    },
  );

  it(req('COST-07', "keep a provider's own figure beside what is charged"), async () => {
    const rawUsage = { prompt_tokens: 10, completion_tokens: 5, cost: 0.5 };
    provider.always({ text: 'Well.', rawUsage });
    const body = { message: 'How are you?', context: { agent_id: 'zeus' } };
    const told = await admin.post('/v2/chat', body);
    const { cost_usd, run_id } = told.json<{ cost_usd: number; run_id: string }>();
    const ofRun = (await rows()).filter((row) => row.run_id === run_id);
    expect(ofRun.reduce((nano, row) => nano + Math.round(Number(row.cost_usd) * 1e9), 0)).toBe(
      Math.round(cost_usd * 1e9),
    );
    expect((await admin.post('/v2/chat/stream', body)).status).toBe(200);
    const ofAnswers = async () =>
      (await rows())
        .filter((row) => row.kind === 'model' && row.agent_id === 'zeus' && row.provider_cost_usd !== '')
        .map((row) => [row.cost_usd, row.provider_cost_usd]);
    await expect.poll(ofAnswers, { timeout: 20_000 }).toEqual([
      ['0.000062500', '0.500000000'],
      ['0.000062500', '0.500000000'],
    ]);
  });

  it(
    req('COST-11', 'are no estimates where the provider tells its counts and the price is known'),
    async () => {
      await settled();
      provider.always({ text: 'Well.', usage: { inputTokens: 70, outputTokens: 5 } });
      const known = new Set((await rows()).map((row) => row.id));
      for (const [, use] of requests) await use();
      expect((await admin.post('/v2/chat/stream', { message: UNCLEAR })).status).toBe(200);
      await settled();
      const booked = (await rows()).filter((row) => !known.has(row.id));
      expect(new Set(booked.map((row) => row.kind))).toEqual(new Set(['model', 'embedding']));
      expect(booked.length).toBeGreaterThan(10);
      expect(booked.filter((row) => row.estimated !== 'false')).toEqual([]);
      // Told nothing, the same calls are.
      provider.always({ text: 'Well.', usage: 'none' });
      const body = { message: 'How are you?', context: { agent_id: 'zeus' } };
      const { run_id } = (await admin.post('/v2/chat', body)).json<{ run_id: string }>();
      const untold = (await rows()).filter((row) => row.run_id === run_id && row.kind === 'model');
      expect(untold.map((row) => row.estimated)).toEqual(['true']);
    },
  );
});
