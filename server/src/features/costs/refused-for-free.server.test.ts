import { beforeEach, describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import type { TestProvider, TestRequest } from '../../../test/support/provider.ts';
import { withWorld } from '../../../test/support/suite.ts';

/** A message that is refused for want of money has cost nothing: no call before its answer has been made either. */

const UNCLEAR = 'Please help with something unclear and general';
const isRouting = (request: TestRequest): boolean =>
  JSON.stringify(request.body.messages).includes('Choose the agent');

const it = withWorld({
  files: { PRICES_FILE: { 'compatible/test': { input: 1, output: 10 } } },
  env: {
    MODEL: 'compatible/test',
    CONTEXT_TOKENS: '8000',
    MAX_OUTPUT_TOKENS: '500',
  },
});

describe('a message that is refused for want of money', () => {
  let provider: TestProvider;
  let admin: Client;

  it.beforeAll(({ world }) => {
    ({ provider, admin } = world);
  });

  beforeEach(() => {
    provider.reset();
    provider.always((request) =>
      isRouting(request)
        ? {
            text: '{"agent_id":"athena","reason":"it may stand in a document","confidence":0.9}',
            usage: { inputTokens: 900, outputTokens: 20 },
          }
        : { text: 'Well.', usage: { inputTokens: 1000, outputTokens: 20 } },
    );
  });

  const state = async () => {
    const { limits } = (await admin.get('/v2/costs/limits')).json<{
      limits: { scope: string; period: string; used_usd: number; reserved_usd: number }[];
    }>();
    const day = limits.find((one) => one.scope === 'tenant' && one.period === 'day');
    if (day === undefined) throw new Error('no limit of the day');
    return day;
  };
  const limit = async (usd: number): Promise<void> => {
    const limits = [{ scope: 'tenant', period: 'day', limit_usd: Number(usd.toFixed(9)) }];
    expect((await admin.put('/v2/costs/limits', { limits })).status).toBe(200);
  };
  /** What each room leads to, from none to plenty, in steps of a tenth of a cent. */
  const rooms = async (message: string, conversationId?: string) => {
    const seen = { refused: 0, answered: 0, routed: 0 };
    for (let step = 0; seen.routed === 0 && step < 80; step += 1) {
      provider.requests.length = 0;
      const { used_usd: before } = await state();
      await limit(Number((before + step * 0.001).toFixed(9)));
      const { status } = await admin.post('/v2/chat', {
        message,
        ...(conversationId === undefined ? {} : { conversation_id: conversationId }),
      });
      const after = await state();
      const calls = provider.requests.filter((one) => one.body.messages !== undefined);
      if (status === 402)
        expect([step, calls.length, after.used_usd, after.reserved_usd]).toEqual([step, 0, before, 0]);
      else expect([step, status, after.reserved_usd]).toEqual([step, 200, 0]);
      if (status === 402) seen.refused += 1;
      else seen.answered += 1;
      if (calls.some(isRouting)) seen.routed += 1;
    }
    return seen;
  };

  it(
    req(
      'COST-03',
      'has not paid for the choice of an agent: where there is no money for both, the built-in router chooses',
    ),
    async () => {
      const { refused, answered, routed } = await rooms(UNCLEAR);
      expect(refused).toBeGreaterThan(1);
      expect(answered).toBeGreaterThan(1);
      expect(routed).toBe(1);
    },
  );

  it('has not paid for it when twenty come at once', async () => {
    const { used_usd } = await state();
    // Room for three or four answers with the choice of their agents.
    await limit(used_usd + 0.1);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => admin.post('/v2/chat', { message: UNCLEAR })),
    );
    const statuses = answers.map((one) => one.status);
    expect(new Set(statuses)).toEqual(new Set([200, 402]));
    const after = await state();
    expect(after.reserved_usd).toBe(0);
    expect(after.used_usd).toBeLessThanOrEqual(used_usd + 0.1);
    const routed = provider.requests.filter(isRouting).length;
    expect(routed).toBeLessThanOrEqual(statuses.filter((status) => status === 200).length);
  });

  it(req('COST-03', 'has not paid for a summary of its conversation'), async () => {
    const isSummary = (request: TestRequest): boolean =>
      JSON.stringify(request.body.messages).includes('Summarise the earlier part');
    const context = { agent_id: 'zeus' };
    const outcomes = { refused: 0, summarised: 0 };
    for (let step = 0; outcomes.summarised === 0 && step < 40; step += 1) {
      await limit(500);
      let id: string | undefined;
      for (let turn = 0; turn < 3; turn += 1) {
        const answer = await admin.post('/v2/chat', {
          message: `Note ${turn}: ${'the harbour has a pier and a crane. '.repeat(150)}`,
          context,
          ...(id === undefined ? {} : { conversation_id: id }),
        });
        id = answer.json<{ conversation_id: string }>().conversation_id;
      }
      const { used_usd: before } = await state();
      await limit(Number((before + step * 0.002).toFixed(9)));
      provider.requests.length = 0;
      const { status } = await admin.post('/v2/chat', {
        // So long that little room is left for what came before.
        message: `And the next one? ${'A crane has an arm and a hook. '.repeat(400)}`,
        context,
        conversation_id: id,
      });
      if (status === 402) {
        outcomes.refused += 1;
        expect([step, provider.requests.length, (await state()).used_usd]).toEqual([step, 0, before]);
      }
      if (provider.requests.some(isSummary)) outcomes.summarised += 1;
      expect((await state()).reserved_usd).toBe(0);
    }
    expect(outcomes.refused).toBeGreaterThan(1);
    expect(outcomes.summarised).toBe(1);
  });

  it('is answered by the agent of the built-in router where the one that the model chose has no money left', async () => {
    await limit(500);
    const agent = [{ scope: 'agent', subject: 'athena', period: 'day', limit_usd: 0 }];
    expect((await admin.put('/v2/costs/limits', { limits: agent })).status).toBe(200);
    const answer = await admin.post('/v2/chat', { message: UNCLEAR });
    expect(answer.status).toBe(200);
    expect(answer.json<{ agent_id: string }>().agent_id).not.toBe('athena');
    expect(provider.requests.filter(isRouting)).toHaveLength(1);
    expect((await state()).reserved_usd).toBe(0);
  });
});
