import { afterEach, describe, expect, it } from 'vitest';
import {
  aTool,
  startWorld,
  TENANT,
  userId,
  type World,
  type WorldOptions,
} from '../../../test/governance/harness.ts';
import { req } from '../../../test/requirements.ts';

// On PostgreSQL too where test/support/stores.ts finds a server.
let world: World;
const start = async (options: WorldOptions = {}): Promise<World> => {
  world = await startWorld(options);
  return world;
};
afterEach(async () => {
  await world.close();
  expect(world.errors).toEqual([]);
});

const human = { policies: { shop: { tools: { 'ord*': { approval: 'human', cost_usd: 20 } } } } };
const args = { article: 'paper' };
const check = (given: Record<string, unknown> = args, more = {}) =>
  world.governance.gate.check(aTool(), given, world.context('user.ada', more));
const decide = (id: string, vote: 'approve' | 'reject', reason = '') =>
  world.request('POST', `/governance/proposals/${id}/vote`, { as: 'operator.bob', body: { vote, reason } });
const waiting = async (work: ReturnType<typeof check>): Promise<string> => {
  const decision = await work;
  if (decision.outcome !== 'wait') throw new Error(`expected to wait: ${JSON.stringify(decision)}`);
  return decision.proposalId;
};

describe('the gate', () => {
  it('lets harmless and cheap calls through without a record', async () => {
    await start({ config: { policies: { shop: { default: { cost_usd: 50 } } } } });
    const harmless = aTool({
      annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
    });
    expect(await world.governance.gate.check(harmless, args, world.context('user.ada'))).toEqual({
      outcome: 'run',
    });
    expect((await world.request('GET', '/governance/proposals')).body).toEqual([]);
  });

  it(
    req(
      'GOV-01',
      'asks the five for a destructive tool without a policy, and for over 50; a person for over 100 and for flags',
    ),
    async () => {
      await start();
      const status = async (
        tool: Parameters<typeof aTool>[0],
        policy: Record<string, unknown> | null,
        runId: string,
      ) => {
        await world.close();
        await start({ ports: { policyOf: () => policy } });
        const decision = await world.governance.gate.check(
          aTool(tool),
          args,
          world.context('user.ada', { runId }),
        );
        if (decision.outcome !== 'wait') return decision.outcome;
        return (await world.request('GET', '/governance/proposals?status=awaiting_human')).body.length === 1
          ? 'human'
          : 'pentarchy';
      };
      const plain = {
        annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
      };
      expect(await status({}, null, 'a')).toBe('pentarchy');
      expect(await status({}, { approval: 'auto' }, 'b')).toBe('run');
      expect(await status(plain, { cost_usd: 50.01 }, 'c')).toBe('pentarchy');
      expect(await status(plain, { cost_usd: 100.01 }, 'd')).toBe('human');
      expect(await status(plain, { approval: 'auto', cost_usd: 100.01 }, 'e')).toBe('human');
      expect(await status(plain, { approval: 'auto', flags: ['irreversible'] }, 'f')).toBe('human');
      expect(await status(plain, { risk: 'high' }, 'g')).toBe('pentarchy');
      expect(await status(plain, { risk: 'critical' }, 'h')).toBe('human');
      expect(await status(plain, { risk: 'critical', approval: 'auto' }, 'i')).toBe('human');
    },
  );

  it('asks the person before a call leaves the platform once untrusted content is in the run', async () => {
    const hints = { readOnly: false, destructive: false, idempotent: false, openWorld: true };
    const outcome = async (annotations: typeof hints, runId: string, tainted = true) =>
      (
        await world.governance.gate.check(
          aTool({ annotations }),
          args,
          world.context('user.ada', { runId, tainted }),
        )
      ).outcome;
    await start();
    expect(await outcome(hints, 'a')).toBe('wait');
    expect(await outcome(hints, 'b', false)).toBe('run');
    expect(await outcome({ ...hints, openWorld: false }, 'c')).toBe('run');
    // Reading is sending: what it declares of itself counts for nothing.
    expect(await outcome({ ...hints, readOnly: true }, 'd')).toBe('wait');
    expect((await world.request('GET', '/governance/proposals?status=awaiting_human')).body).toMatchObject([
      { asks_requester: true, tainted: true },
      { asks_requester: true, tainted: true },
    ]);
    await world.close();
    await start({ ports: { policyOf: () => ({ approval: 'auto' as const }) } });
    expect(await outcome(hints, 'e')).toBe('run');
  });

  it('keeps the call for the run that asked, and carries it out once it is approved', async () => {
    await start({ config: human });
    const id = await waiting(check());
    expect(world.events.map((event) => event.type)).toEqual(['proposal.created']);
    const { body } = await world.request('GET', `/governance/proposals/${id}`, { as: 'user.ada' });
    expect(body).toMatchObject({
      action: 'shop.order',
      status: 'awaiting_human',
      estimated_cost: 20,
      requested_by: userId('ada'),
      agent_id: 'zeus',
      conversation_id: 'c1',
      run_id: 'r1',
      tool: { server: 'shop', name: 'order', arguments: args },
    });
    await decide(id, 'approve');
    await world.governance.idle();
    expect(world.calls).toHaveLength(1);
    expect(world.calls[0]?.context).toMatchObject({
      agentId: 'zeus',
      conversationId: 'c1',
      runId: 'r1',
      caller: { userId: userId('ada') },
    });
    expect(world.decided).toMatchObject([
      {
        status: 'approved',
        execution: { status: 'completed', result: { order: 1 } },
        proposal: { id, run_id: 'r1' },
      },
    ]);
  });

  it('makes one proposal of equal calls at the same instant', async () => {
    await start({ config: human });
    const decisions = await Promise.all(Array.from({ length: 10 }, () => check()));
    expect(new Set(decisions.map((d) => JSON.stringify(d))).size).toBe(1);
    expect((await world.request('GET', '/governance/proposals')).body).toHaveLength(1);
  });

  it(
    req(
      'GOV-06',
      'denies the same call in the same run after a rejection without a new vote; other arguments and runs ask anew',
    ),
    async () => {
      await start({ config: human });
      const id = await waiting(check());
      await decide(id, 'reject', 'too much paper');
      const again = await check({ article: 'paper' });
      expect(again).toMatchObject({
        outcome: 'denied',
        proposalId: id,
        reason: expect.stringContaining('too much paper'),
      });
      expect(await waiting(check({ article: 'pens' }))).not.toBe(id);
      expect(await waiting(check(args, { runId: 'r2' }))).not.toBe(id);
      expect((await world.request('GET', '/governance/proposals')).body).toHaveLength(3);
      expect(world.calls).toEqual([]);
    },
  );

  it(req('GOV-06', 'does not let an approval serve changed arguments, nor a second call'), async () => {
    await start({ config: human });
    const id = await waiting(check());
    await decide(id, 'approve');
    await world.governance.idle();
    const changed = await waiting(check({ article: 'gold' }));
    const second = await waiting(check());
    expect(new Set([id, changed, second]).size).toBe(3);
    expect(world.calls.map((call) => call.args)).toEqual([args]);
  });

  it(req('GOV-06', 'treats every API alike: a direct call waits in the same way'), async () => {
    await start({ config: human });
    const direct = { agentId: null, conversationId: null, runId: null };
    const id = await waiting(check(args, direct));
    expect(await waiting(check(args, direct))).toBe(id);
    await decide(id, 'reject');
    expect(await waiting(check(args, direct))).not.toBe(id);
  });

  it('tells a waiting run what stands, what was decided and what came of it; nobody else', async () => {
    await start({ config: human });
    const { runProposals } = world.governance;
    const owner = { tenantId: TENANT, userId: userId('ada') };
    const id = await waiting(check());
    expect(await runProposals.show(owner, id)).toMatchObject({ id, status: 'awaiting_human' });
    expect(await runProposals.decisionOn(owner, id)).toBeNull();
    await expect(runProposals.show({ ...owner, userId: userId('eve') }, id)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await decide(id, 'approve', 'fine');
    await world.governance.idle();
    const decision = await runProposals.decisionOn(owner, id);
    expect(decision).toMatchObject({
      status: 'approved',
      reason: 'fine',
      execution: { status: 'completed', result: { order: 1 } },
    });
    expect(world.decided).toEqual([decision]);
    await runProposals.withdrawOf({ ...owner, type: 'person' }, 'r1');
    expect(await runProposals.decisionOn(owner, id)).toEqual(decision);
    const open = await waiting(check({ article: 'pens' }));
    await runProposals.withdrawOf({ ...owner, type: 'person' }, 'r1');
    expect(await runProposals.decisionOn(owner, open)).toMatchObject({
      status: 'cancelled',
      execution: null,
    });
  });
});
