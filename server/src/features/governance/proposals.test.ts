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
import { verifyAudit } from '../audit/index.ts';

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

const propose = (body: Record<string, unknown>, as = 'user.ada') =>
  world.request('POST', '/governance/proposals', {
    as,
    body: { action: 'Order paper', description: 'Paper for the office', estimated_cost: 10, ...body },
  });
const get = async (id: string, as = 'admin') =>
  (await world.request('GET', `/governance/proposals/${id}`, { as })).body;
const vote = (id: string, body: Record<string, unknown>, as = 'operator.bob') =>
  world.request('POST', `/governance/proposals/${id}/vote`, { as, body });

describe('proposals by hand', () => {
  it(req('DATA-01', 'keep no evidence of an erased person’s runs, and that of others'), async () => {
    await start();
    const [mine, theirs] = [
      (await propose({ estimated_cost: 100 })).body.id,
      (await propose({ estimated_cost: 100 }, 'user.eve')).body.id,
    ];
    const source = { kind: 'document', where: 'Diary', excerpt: 'a private word', sharedWords: 1 };
    const evidence = JSON.stringify({ v: 1, asked: 'x', callWords: 1, saidByPerson: 0, sources: [source] });
    await world.db.write((tx) => tx.updateTable('proposals').set({ evidence }).execute());
    await world.governance.personalData.eraseData({
      tenantId: TENANT,
      userId: userId('ada'),
      type: 'person',
    });
    const rows = await world.db.read.selectFrom('proposals').select(['id', 'evidence']).execute();
    expect(Object.fromEntries(rows.map((row) => [row.id, row.evidence]))).toEqual({
      [mine]: null,
      [theirs]: evidence,
    });
  });

  it(
    req(
      'GOV-01',
      '201: approves up to 50 at once, asks the five up to 100, a person over it and for every flag',
    ),
    async () => {
      await start();
      expect((await propose({ estimated_cost: 50 })).body).toMatchObject({
        status: 'approved',
        decided_by: 'policy',
        execution: null,
        votes: [],
      });
      const voted = await propose({ estimated_cost: 50.000000001 });
      expect(voted.status).toBe(201);
      expect(voted.headers.location).toBe(`/api/v1/governance/proposals/${voted.body.id}`);
      expect(voted.body).toMatchObject({
        status: 'voting',
        requested_by: userId('ada'),
        tally: { approve: 0, needed: 3, seats: 5 },
      });
      expect((await propose({ estimated_cost: 100 })).body.status).toBe('voting');
      expect((await propose({ estimated_cost: 100.5 })).body.status).toBe('awaiting_human');
      for (const flag of ['security', 'legal', 'irreversible', 'personal_data']) {
        expect((await propose({ flags: [flag] })).body.status).toBe('awaiting_human');
      }
      await world.governance.idle();
      const decided = await get(voted.body.id);
      expect(decided).toMatchObject({ status: 'approved', decided_by: 'pentarchy' });
      expect(decided.votes.map((v: { seat: string }) => v.seat).sort()).toEqual([
        'aegis',
        'athena',
        'hephaestus',
        'hermes',
        'prometheus',
      ]);
      for (const cast of decided.votes) expect(cast.reason).toMatch(/\d/);
    },
  );

  it('runs the stored call once when it is approved, with the stored arguments', async () => {
    await start();
    const made = await propose({
      estimated_cost: 10,
      tool: { server: 'shop', name: 'order', arguments: { article: 'paper' } },
    });
    // Destructive and without a policy: the five decide, whatever cost the person named.
    expect(made.body).toMatchObject({ status: 'voting', execution: { status: 'pending' } });
    await world.governance.idle();
    expect(await get(made.body.id)).toMatchObject({
      status: 'approved',
      execution: { status: 'completed', result: { order: 1 }, error: null },
    });
    expect(world.calls.map((call) => call.args)).toEqual([{ article: 'paper' }]);
    expect(world.decided).toHaveLength(1);
    await world.restart();
    await world.governance.idle();
    expect(world.calls).toHaveLength(1);
    expect(world.decided).toHaveLength(1);
  });

  it('422: names each fault; 401 without a token; 403 for readonly; unknown tools and broken arguments', async () => {
    await start();
    const wrong = await world.request('POST', '/governance/proposals', {
      body: { action: ' ', estimated_cost: -1, colour: 1, flags: ['odd'] },
    });
    expect(wrong.status).toBe(422);
    expect(wrong.body.error.details.fields.map((f: { field: string }) => f.field).sort()).toEqual([
      '/action',
      '/colour',
      '/estimated_cost',
      '/flags/0',
    ]);
    expect((await propose({ estimated_cost: '5' })).status).toBe(422);
    expect((await propose({ tool: { server: 'shop', name: 'steal' } })).status).toBe(422);
    expect(
      (await propose({ tool: { server: 'shop', name: 'order', arguments: { article: 5 } } })).body.error
        .details.fields[0].field,
    ).toBe('/tool/arguments/article');
    expect((await propose({}, '')).status).toBe(401);
    expect((await propose({}, 'readonly')).status).toBe(403);
  });

  it('404 for a stranger, and only the own ones in the list of a user', async () => {
    await start();
    const { body } = await propose({ estimated_cost: 500 });
    for (const as of ['user.eve', 'admin.zed@other']) {
      expect((await world.request('GET', `/governance/proposals/${body.id}`, { as })).status).toBe(404);
      expect((await world.request('GET', '/governance/proposals', { as })).body).toEqual([]);
    }
    expect((await vote(body.id, { vote: 'approve' }, 'admin.zed@other')).status).toBe(404);
    expect((await world.request('GET', '/governance/proposals', { as: 'analyst' })).body).toHaveLength(1);
    expect((await world.request('GET', '/governance/proposals/nothing', {})).status).toBe(404);
  });

  it('lists a bare array, newest first, with the total and the next page', async () => {
    await start();
    for (let i = 0; i < 5; i++) {
      world.clock.now += 1000;
      await propose({ action: `Number ${i}`, estimated_cost: i === 4 ? 500 : 1 });
    }
    const first = await world.request('GET', '/governance/proposals?limit=2');
    expect(first.body.map((p: { action: string }) => p.action)).toEqual(['Number 4', 'Number 3']);
    expect(first.headers['x-total-count']).toBe('5');
    expect(first.headers.link).toBe('</api/v1/governance/proposals?limit=2&page=2>; rel="next"');
    const second = await world.request('GET', '/v2/governance/proposals?limit=2&page=3');
    expect(second.body.map((p: { action: string }) => p.action)).toEqual(['Number 0']);
    expect(second.headers.link).toBeUndefined();
    expect((await world.request('GET', '/governance/proposals?status=awaiting_human')).body).toHaveLength(1);
    for (const bad of ['status=odd', 'limit=0', 'limit=101', 'colour=1']) {
      expect((await world.request('GET', `/governance/proposals?${bad}`)).status).toBe(422);
    }
  });
});

describe('votes of people', () => {
  it(req('GOV-04', 'decide what awaits a person; afterwards it is closed: 409'), async () => {
    await start();
    const { body } = await propose({
      flags: ['legal'],
      tool: { server: 'shop', name: 'order', arguments: { article: 'a' } },
    });
    expect((await vote(body.id, { vote: 'abstain', reason: 'not mine' }, 'operator.cy')).body.status).toBe(
      'awaiting_human',
    );
    const done = await vote(body.id, { vote: 'approve', reason: 'checked' });
    expect(done.status).toBe(200);
    expect(done.body).toMatchObject({ status: 'approved', decided_by: userId('bob') });
    expect(done.body.votes).toContainEqual(
      expect.objectContaining({ voter: userId('bob'), voter_type: 'user', vote: 'approve' }),
    );
    expect((await vote(body.id, { vote: 'reject' })).status).toBe(409);
    expect(
      (await world.request('POST', `/governance/proposals/${body.id}/cancel`, { as: 'user.ada' })).status,
    ).toBe(409);
    await world.governance.idle();
    expect(world.calls).toHaveLength(1);
  });

  it(
    req('GOV-05', 'two deciders at the same instant: one decides, the other gets 409, the call runs once'),
    async () => {
      await start();
      const { body } = await propose({
        estimated_cost: 1000,
        tool: { server: 'shop', name: 'order', arguments: { article: 'a' } },
      });
      const answers = await Promise.all(
        ['bob', 'cy', 'di'].map((name) => vote(body.id, { vote: 'approve' }, `operator.${name}`)),
      );
      expect(answers.map((a) => a.status).sort()).toEqual([200, 409, 409]);
      await world.governance.idle();
      expect(world.calls).toHaveLength(1);
    },
  );

  it(req('GOV-04', '403: who asked, who may not vote; 401 and 404 and 422 in their order'), async () => {
    await start();
    const { body } = await propose({ estimated_cost: 1000 }, 'operator.bob');
    const own = await vote(body.id, { vote: 'approve' }, 'operator.bob');
    expect(own.status).toBe(403);
    expect((await vote(body.id, { vote: 'approve' }, 'user.ada')).body.error.details).toEqual({
      required: 'governance:vote',
    });
    expect((await vote(body.id, { vote: 'approve' }, 'analyst')).status).toBe(403);
    expect((await vote(body.id, { vote: 'approve' }, '')).status).toBe(401);
    expect((await vote(body.id, { vote: 'maybe' }, 'admin')).status).toBe(422);
    expect((await vote('0190a000-0000-7000-8000-00000000ffff', { vote: 'approve' }, 'admin')).status).toBe(
      404,
    );
    expect((await get(body.id)).status).toBe('awaiting_human');
  });

  it('lets a person decide on the own proposal where that is allowed', async () => {
    await start({ allowSelfApproval: true });
    const { body } = await propose({ estimated_cost: 1000 }, 'operator.bob');
    expect((await vote(body.id, { vote: 'approve' }, 'operator.bob')).body.status).toBe('approved');
  });

  /** Agents that never answer leave the vote open. */
  const silent = { ports: { hasModel: () => true, ask: () => new Promise<never>(() => {}) } };

  it(
    req('GOV-04', 'take the named seat or a free one, one seat each, changeable while it is open'),
    async () => {
      await start(silent);
      const { body } = await propose({ estimated_cost: 70 });
      expect(
        (await vote(body.id, { vote: 'approve', seat: 'hermes' }, 'operator.bob')).body.tally,
      ).toMatchObject({ approve: 1, reject: 0 });
      const changed = await vote(body.id, { vote: 'reject', reason: 'no' }, 'operator.bob');
      expect(changed.body.votes).toHaveLength(1);
      expect(changed.body.votes[0]).toMatchObject({ seat: 'hermes', vote: 'reject' });
      expect((await vote(body.id, { vote: 'approve', seat: 'hermes' }, 'operator.cy')).status).toBe(409);
      expect(
        (await vote(body.id, { vote: 'approve' }, 'operator.cy')).body.votes.map(
          (v: { seat: string }) => v.seat,
        ),
      ).toEqual(['hermes', 'athena']);
      await vote(body.id, { vote: 'approve', seat: 'prometheus' }, 'operator.di');
      const third = await vote(body.id, { vote: 'approve', seat: 'hephaestus' }, 'operator.ed');
      // Three approve, but AEGIS has not spoken: a majority does not get ahead of the veto.
      expect(third.body).toMatchObject({ status: 'voting', tally: { approve: 3, reject: 1 } });
      const veto = await vote(
        body.id,
        { vote: 'reject', seat: 'aegis', reason: 'data_breach: the list leaves the house' },
        'admin.flo',
      );
      expect(veto.body).toMatchObject({
        status: 'vetoed',
        votes: expect.arrayContaining([
          expect.objectContaining({ seat: 'aegis', veto_reason: 'data_breach' }),
        ]),
      });
    },
  );

  it('keep to seats that are reserved for a person or a role', async () => {
    await start({
      ...silent,
      config: { seats: { aegis: { holder: 'role:admin' }, athena: { holder: `user:${userId('cy')}` } } },
    });
    const { body } = await propose({ estimated_cost: 70 });
    expect((await vote(body.id, { vote: 'approve', seat: 'aegis' }, 'operator.bob')).status).toBe(403);
    expect((await vote(body.id, { vote: 'approve' }, 'admin.flo')).body.votes[0].seat).toBe('aegis');
    expect(
      (await vote(body.id, { vote: 'approve' }, 'operator.cy')).body.votes.map(
        (v: { seat: string }) => v.seat,
      ),
    ).toContain('athena');
    expect((await vote(body.id, { vote: 'approve' }, 'operator.bob')).body.status).toBe('approved');
  });

  it('withdraws an open proposal for who asked, nobody else without a vote', async () => {
    await start();
    const { body } = await propose({ estimated_cost: 1000 });
    expect(
      (await world.request('POST', `/governance/proposals/${body.id}/cancel`, { as: 'user.eve' })).status,
    ).toBe(404);
    expect(
      (await world.request('POST', `/governance/proposals/${body.id}/cancel`, { as: 'analyst.al' })).status,
    ).toBe(403);
    expect(
      (await world.request('POST', `/governance/proposals/${body.id}/cancel`, { as: 'user.ada' })).body,
    ).toMatchObject({ status: 'cancelled', decided_by: userId('ada') });
  });
});

describe('time', () => {
  it(
    req('GOV-07', 'gives a vote without a majority to a person after 300 s, and ends it after 24 h more'),
    async () => {
      await start({ ports: { hasModel: () => true, ask: () => new Promise<never>(() => {}) } });
      const { body } = await propose({ estimated_cost: 70 });
      world.clock.now += 299_999;
      await world.governance.sweep(world.clock.now);
      expect((await get(body.id)).status).toBe('voting');
      world.clock.now += 1;
      await world.governance.sweep(world.clock.now);
      const waiting = await get(body.id);
      expect(waiting).toMatchObject({
        status: 'awaiting_human',
        expires_at: new Date(world.clock.now + 86_400_000).toISOString(),
      });
      world.clock.now += 86_400_000;
      await world.governance.sweep(world.clock.now);
      expect((await get(body.id)).status).toBe('expired');
      expect((await vote(body.id, { vote: 'approve' })).status).toBe(409);
    },
  );

  it(req(['GOV-07', 'OPS-14'], 'goes on beside one that cannot be read'), async () => {
    await start({ ports: { hasModel: () => true, ask: () => new Promise<never>(() => {}) } });
    const broken = (await propose({ estimated_cost: 70 })).body.id;
    const whole = (await propose({ estimated_cost: 70 })).body.id;
    await world.db.write(async (tx) => {
      await tx.updateTable('proposals').set({ flags: '["no flag"]' }).where('id', '=', broken).execute();
    });
    world.clock.now += 300_000;
    await world.governance.sweep(world.clock.now);
    expect((await get(whole)).status).toBe('awaiting_human');
    expect(world.errors.splice(0).map(String).join()).toContain(`${broken} cannot be read`);
  });

  it(
    req('GOV-07', 'is over at its end, also where nobody has come by to close it: no vote counts any more'),
    async () => {
      const votes: ((text: { text: string; model: string }) => void)[] = [];
      await start({
        ports: { hasModel: () => true, ask: () => new Promise((resolve) => votes.push(resolve)) },
      });
      const voting = (await propose({ estimated_cost: 70 })).body.id;
      const tool = { server: 'shop', name: 'order', arguments: { article: 'x' } };
      const waiting = (await propose({ estimated_cost: 500, tool })).body.id;
      await expect.poll(() => votes.length).toBe(5);
      world.clock.now += 300_000;
      const text = JSON.stringify({ vote: 'approve', reason: 'fine', confidence: 1, veto_reason: null });
      for (const cast of votes) cast({ text, model: 'test/model' });
      await world.governance.idle();
      expect(await get(voting)).toMatchObject({ status: 'voting', votes: [] });
      expect(
        (await world.request('POST', `/governance/proposals/${voting}/cancel`, { as: 'user.ada' })).status,
      ).toBe(200);
      world.clock.now += 86_400_000 - 300_000 - 1;
      expect((await vote(waiting, { vote: 'abstain' })).status).toBe(200);
      world.clock.now += 1;
      expect(await vote(waiting, { vote: 'approve' })).toMatchObject({
        status: 409,
        body: { error: { details: { status: 'expired' } } },
      });
      await world.governance.idle();
      expect(await get(waiting)).toMatchObject({ status: 'expired', execution: null });
      expect(world.calls).toEqual([]);
    },
  );

  it('does so after a restart too', async () => {
    await start();
    const { body } = await propose({ estimated_cost: 500 });
    world.clock.now += 86_400_001;
    await world.restart();
    await world.governance.idle();
    expect((await get(body.id)).status).toBe('expired');
    expect(world.decided.map((p) => p.status)).toEqual(['expired']);
  });
});

describe('the audit chain', () => {
  it(
    req('GOV-09', 'holds creation, each vote with its inputs, the decision and the execution, unbroken'),
    async () => {
      await start();
      const { body } = await propose({
        estimated_cost: 70,
        tool: { server: 'shop', name: 'order', arguments: { article: 'secret article' } },
      });
      await world.governance.idle();
      const rows = await world.db.read
        .selectFrom('audit_events')
        .select(['action', 'details', 'actor_id'])
        .where('target_id', '=', body.id)
        .orderBy('seq')
        .execute();
      expect(rows.map((row) => row.action)).toEqual(
        [
          'proposal.created',
          ...Array.from({ length: 5 }, () => 'proposal.voted'),
          'proposal.decided',
          'proposal.execution_started',
          'proposal.executed',
        ].sort((a, b) => rows.findIndex((r) => r.action === a) - rows.findIndex((r) => r.action === b)),
      );
      const votes = rows
        .filter((row) => row.action === 'proposal.voted')
        .map((row) => JSON.parse(row.details));
      for (const cast of votes) {
        expect(cast.inputs).toMatchObject({
          method: 'rule',
          facts: { estimatedNano: 70e9, budget: { remainingNano: 9_000e9 } },
        });
        expect(cast.reason_sha256).toMatch(/^[0-9a-f]{64}$/);
      }
      expect(JSON.stringify(rows)).not.toContain('secret article');
      expect(await verifyAudit(world.db, TENANT)).toMatchObject({ ok: true });
    },
  );
});

describe('execution', () => {
  it(req('GOV-05', 'runs after a crash between approval and execution'), async () => {
    await start();
    const { body } = await propose({
      estimated_cost: 500,
      tool: { server: 'shop', name: 'order', arguments: { article: 'a' } },
    });
    // The process dies in the instant after the commit of the decision.
    await world.db.write(async (tx) => {
      await tx
        .updateTable('proposals')
        .set({ status: 'approved', decided_at: world.clock.now, decided_by: 'x' })
        .where('id', '=', body.id)
        .execute();
    });
    await world.restart();
    await world.governance.idle();
    expect(await get(body.id)).toMatchObject({ execution: { status: 'completed' } });
    expect(world.calls).toHaveLength(1);
    expect(world.decided).toHaveLength(1);
  });

  it(req('GOV-05', 'ends as unknown after a crash during execution, and is never tried again'), async () => {
    await start();
    let entered = () => {};
    const running = new Promise<void>((resolve) => {
      entered = resolve;
    });
    let attempts = 0;
    world.tools.set(
      'shop.order',
      aTool({
        call: () => {
          attempts++;
          entered();
          return new Promise(() => {});
        },
      }),
    );
    const { body } = await propose({
      estimated_cost: 500,
      tool: { server: 'shop', name: 'order', arguments: { article: 'a' } },
    });
    await vote(body.id, { vote: 'approve' });
    await running;
    expect((await get(body.id)).execution.status).toBe('running');
    await world.restart();
    await world.governance.idle();
    const ended = await get(body.id);
    expect(ended.execution).toMatchObject({ status: 'unknown', result: null });
    expect(ended.execution.error).toMatch(/may have been carried out/);
    expect(attempts).toBe(1);
    expect(world.decided.map((p) => p.execution?.status)).toEqual(['unknown']);
    await world.restart();
    await world.governance.idle();
    expect(attempts).toBe(1);
  });

  it('says so when the tool fails or is gone, and does not repeat it', async () => {
    await start();
    world.tools.set('shop.order', aTool({ call: async () => ({ content: 'no paper left', isError: true }) }));
    const { body } = await propose({
      estimated_cost: 500,
      tool: { server: 'shop', name: 'order', arguments: { article: 'a' } },
    });
    const gone = await propose({
      estimated_cost: 500,
      tool: { server: 'shop', name: 'order', arguments: { article: 'b' } },
    });
    await vote(body.id, { vote: 'approve' });
    await world.governance.idle();
    expect((await get(body.id)).execution).toEqual({
      status: 'failed',
      result: null,
      error: 'no paper left',
    });
    world.tools.clear();
    await vote(gone.body.id, { vote: 'approve' });
    await world.governance.idle();
    expect((await get(gone.body.id)).execution).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('not available'),
    });
  });

  it('meters what the call cost', async () => {
    await start({ config: { policies: { shop: { tools: { order: { cost_usd: 2, approval: 'human' } } } } } });
    world.tools.set(
      'shop.order',
      aTool({ call: async () => ({ content: 'ok', isError: false, costNanoUsd: 1_500_000_000 }) }),
    );
    const { body } = await propose({
      estimated_cost: 1,
      tool: { server: 'shop', name: 'order', arguments: { article: 'a' } },
    });
    expect(body).toMatchObject({ status: 'awaiting_human', estimated_cost: 2 });
    await vote(body.id, { vote: 'approve' });
    await world.governance.idle();
    const usage = await world.request('GET', '/costs/usage', { as: 'user.ada' });
    expect(usage.body).toMatchObject({ total_usd: 1.5, by_tool: [{ tool: 'shop.order', cost_usd: 1.5 }] });
  });
});
