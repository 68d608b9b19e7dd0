import { beforeEach, describe, expect } from 'vitest';
import type { Client } from '../../../test/support/client.ts';
import type { TestProvider } from '../../../test/support/provider.ts';
import { withWorld } from '../../../test/support/suite.ts';

/** Where embeddings cost: they count to the run that they are made for, and a refused message has paid for none. */

interface Answer {
  run_id: string;
  conversation_id: string;
  finish_reason: string;
  cost_usd: number;
  tool_calls: { name: string; status: string }[];
}

const nano = (usd: number | string | undefined): number => Math.round(Number(usd) * 1e9);
const sum = (rows: readonly Record<string, string>[]): number =>
  rows.reduce((total, row) => total + nano(row.cost_usd), 0);

const it = withWorld({
  files: {
    PRICES_FILE: {
      'compatible/test': { input: 1, output: 10 },
      'compatible/emb': { input: 100, output: 0 },
    },
  },
  env: {
    MODEL: 'compatible/test',
    EMBEDDING_MODEL: 'compatible/emb',
    EMBEDDING_DIMENSIONS: '64',
    MAX_OUTPUT_TOKENS: '500',
  },
});

describe('embeddings that cost', () => {
  let provider: TestProvider;
  let admin: Client;
  let callsWithoutDocuments: string[] = [];

  it.beforeAll(async ({ world }) => {
    ({ provider, admin } = world);
    expect((await admin.post('/v2/knowledge/search', { query: 'the pier' })).status).toBe(200);
    callsWithoutDocuments = provider.meter.map((call) => call.kind);
    for (const [path, body] of [
      ['/v2/knowledge/documents', { title: 'Harbour', content: 'The harbour has a pier and a crane.' }],
      ['/v2/memory/entities', { name: 'Rex', entity_type: 'dog', observations: ['is fond of the pier'] }],
    ] as const)
      expect((await admin.post(path, body)).status).toBe(201);
  });

  beforeEach(async () => {
    provider.reset();
    await limit('tenant', 'day', 500);
    await limit('run', 'run', 5);
  });

  const limit = async (scope: string, period: string, usd: number): Promise<void> => {
    const limits = [{ scope, period, limit_usd: Number(usd.toFixed(9)) }];
    expect((await admin.put('/v2/costs/limits', { limits })).status).toBe(200);
  };
  const day = async () => {
    const { limits } = (await admin.get('/v2/costs/limits')).json<{
      limits: { scope: string; period: string; used_usd: number; reserved_usd: number }[];
    }>();
    const found = limits.find((one) => one.scope === 'tenant' && one.period === 'day');
    if (found === undefined) throw new Error('no limit of the day');
    return found;
  };
  const settled = () => expect.poll(async () => (await day()).reserved_usd, { timeout: 20_000 }).toBe(0);
  const rows = async (field: string, value: string): Promise<Record<string, string>[]> => {
    const { text } = await admin.get('/v2/costs/usage/export?scope=tenant&period=day');
    const [head = '', ...lines] = text.trim().split(/\r?\n/);
    const names = head.split(',');
    return lines
      .map((line) => Object.fromEntries(line.split(',').map((cell, i) => [names[i] ?? '', cell])))
      .filter((row) => row[field] === value);
  };
  const kinds = (found: readonly Record<string, string>[]) => new Set(found.map((row) => row.kind));

  it('are not asked for where there are no documents', () => {
    expect(callsWithoutDocuments).toEqual([]);
  });

  it('count to the limit and to the cost of their run, those of its tools too', async () => {
    provider.always((request) => {
      const told = request.body.messages?.filter((one) => one.role === 'tool').length ?? 0;
      const name = request.body.tools?.map((one) => one.function.name).find((one) => /search_doc/.test(one));
      if (name === undefined || told >= 8) return { text: 'Well.' };
      const query = `the crane number ${told} at the pier, ${'and what stands beside it '.repeat(6)}`;
      return {
        toolCalls: [{ id: `call-${told}`, name, arguments: JSON.stringify({ query }) }],
        usage: { inputTokens: 100, outputTokens: 10 },
      };
    });
    const ask = async (message: string): Promise<Answer> => {
      const answer = await admin.post('/v2/agents/athena/invoke', { message });
      expect(answer.status).toBe(200);
      return answer.json<Answer>();
    };
    const free = await ask('What do the documents say of the cranes?');
    await settled();
    const all = await rows('run_id', free.run_id);
    expect(kinds(all)).toEqual(new Set(['model', 'embedding']));
    expect(nano(free.cost_usd)).toBe(sum(all));
    expect(all.filter((row) => row.kind === 'embedding').length).toBeGreaterThanOrEqual(8);
    const conversation = (await admin.get(`/v2/conversations/${free.conversation_id}`)).json<{
      total_cost_usd: number;
    }>();
    expect(nano(conversation.total_cost_usd)).toBe(sum(await rows('conversation_id', free.conversation_id)));

    // Half of it: the run goes on by words, or ends; what it spends stays below.
    await limit('run', 'run', free.cost_usd / 2);
    const tight = await ask('And what do they say of the piers?');
    await settled();
    const spent = await rows('run_id', tight.run_id);
    expect(kinds(spent).has('embedding')).toBe(true);
    expect(sum(spent)).toBeLessThanOrEqual(nano((free.cost_usd / 2).toFixed(9)));
  });

  it('are paid for by no message that is refused, at any room, and change no answer but to one by words', async () => {
    provider.always({ text: 'Well.', usage: { inputTokens: 500, outputTokens: 20 } });
    const ways: [string, Record<string, unknown>][] = [
      ['routed', {}],
      ['addressed', { context: { agent_id: 'athena' } }],
    ];
    for (const [way, more] of ways) {
      const seen = { refused: 0, words: 0, meaning: 0 };
      for (let step = 0; seen.meaning === 0 && step < 60; step += 1) {
        await settled();
        const { used_usd: before } = await day();
        await limit('tenant', 'day', before + step * 0.002);
        provider.reset();
        provider.always({ text: 'Well.', usage: { inputTokens: 500, outputTokens: 20 } });
        const message = `Where is Rex at the pier when the crane of berth ${step} works, ${way}?`;
        const { status } = await admin.post('/v2/chat', { message, ...more });
        await settled();
        const calls = provider.meter.map((call) => call.kind);
        if (status === 402) {
          seen.refused += 1;
          expect([way, step, calls, (await day()).used_usd]).toEqual([way, step, [], before]);
          continue;
        }
        expect([way, step, status]).toEqual([way, step, 200]);
        if (calls.includes('embedding')) seen.meaning += 1;
        else seen.words += 1;
      }
      expect([way, seen.meaning]).toEqual([way, 1]);
      expect(seen.refused).toBeGreaterThan(1);
      expect(seen.words).toBeGreaterThan(0);
    }
  });

  it('leave the prompt of an answer that is stopped before its first word on the ledger', async () => {
    provider.always({ hangAfter: 0 });
    const answer = admin.post('/v2/chat', { message: 'How are you?', context: { agent_id: 'iris' } });
    await expect.poll(() => provider.requests.filter((one) => one.body.messages).length).toBe(1);
    const list = await admin.get('/v2/conversations?limit=1');
    const [conversation] = list.json<{ items: { id: string }[] }>().items;
    const { messages } = (await admin.get(`/v2/conversations/${conversation?.id}`)).json<{
      messages: { run_id: string }[];
    }>();
    const runId = messages[0]?.run_id ?? '';
    expect((await admin.post(`/v2/chat/runs/${runId}/cancel`, {})).status).toBe(202);
    expect((await answer).json<Answer>()).toMatchObject({ run_id: runId, finish_reason: 'cancelled' });
    await settled();
    const booked = (await rows('run_id', runId)).filter((row) => row.kind === 'model');
    expect(booked).toHaveLength(1);
    expect(booked[0]).toMatchObject({ output_tokens: '0', estimated: 'true' });
    expect(nano(booked[0]?.cost_usd)).toBeGreaterThan(0);
  });
});
