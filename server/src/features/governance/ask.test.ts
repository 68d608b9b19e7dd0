import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startWorld, TENANT, userId, type World } from '../../../test/governance/harness.ts';
import { ModelError } from '../../kernel/model.ts';
import { createMeteredGenerate, ModelCallError, type ModelCallResult } from '../models/index.ts';
import { createVoteAsk, type Proposal } from './index.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.close());

const usage = {
  inputTokens: 50,
  outputTokens: 9,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  estimated: false,
};
const ref = { id: 'openai/x', provider: 'openai', name: 'x' };
const proposal: Proposal = {
  id: 'p1',
  tenantId: TENANT,
  requestedBy: userId('ada'),
  agentId: 'zeus',
  conversationId: 'c1',
  runId: 'r1',
  requestId: 'q1',
  action: 'a',
  description: '',
  estimatedNano: 0,
  risk: 'low',
  flags: [],
  status: 'voting',
  reason: null,
  tool: null,
  tainted: false,
  decider: null,
  thenApproval: null,
  confirmedAt: null,
  credential: null,
  evidence: null,
  createdAt: 0,
  deadline: 0,
  expiresAt: 0,
  decidedAt: null,
  decidedBy: null,
  execution: null,
  ballots: [],
};

const ask = (worstNano: number, generate: () => Promise<ModelCallResult>) =>
  createVoteAsk({
    models: { defaultModel: ref, resolve: () => ref },
    generate: createMeteredGenerate({
      db: world.db,
      costs: world.costs,
      models: { promptBound: () => 0, worstCase: () => worstNano, generate },
    }),
  })({
    proposal,
    seat: 'aegis',
    model: null,
    messages: [],
    schema: { name: 'vote', schema: {} },
    signal: new AbortController().signal,
  });

const result: ModelCallResult = {
  content: 'yes',
  toolCalls: [],
  finishReason: 'stop',
  usage,
  model: 'x',
  ref,
  costNanoUsd: 700,
  estimated: false,
  attempts: 1,
};
const ledger = () =>
  world.db.read
    .selectFrom('ledger')
    .select(['agent_id', 'conversation_id', 'user_id', 'cost_nano', 'estimated'])
    .execute();
const reserved = async () =>
  (await world.db.read.selectFrom('cost_counters').select('reserved_nano').execute()).map(
    (row) => row.reserved_nano,
  );

describe('a vote by a model', () => {
  it('is reserved, settled and counted for the person who asked and the seat', async () => {
    expect(await ask(1000, async () => result)).toEqual({ text: 'yes', model: 'openai/x' });
    expect(await ledger()).toEqual([
      { agent_id: 'aegis', conversation_id: 'c1', user_id: userId('ada'), cost_nano: 700, estimated: 0 },
    ]);
    expect(new Set(await reserved())).toEqual(new Set([0]));
  });

  it('is refused without a call where the limit leaves no room', async () => {
    let called = false;
    const refused = ask(501e9, async () => {
      called = true;
      return result;
    });
    await expect(refused).rejects.toMatchObject({ code: 'COST_EXCEEDED' });
    expect(called).toBe(false);
  });

  it('leaves nothing reserved when the call fails, and charges what had come', async () => {
    const broken = new ModelError('unavailable', 'openai', 'reset', { partial: { content: 'y', usage } });
    await expect(ask(1000, () => Promise.reject(new ModelCallError(broken, ref, 300)))).rejects.toThrow(
      'reset',
    );
    await expect(ask(1000, () => Promise.reject(new Error('odd')))).rejects.toThrow('odd');
    await expect(ask(1000, async () => ({ ...result, finishReason: 'length' }))).rejects.toMatchObject({
      code: 'UPSTREAM_ERROR',
    });
    expect((await ledger()).map((row) => [row.cost_nano, row.estimated])).toEqual([
      [300, 1],
      [700, 0],
    ]);
    expect(new Set(await reserved())).toEqual(new Set([0]));
  });
});
