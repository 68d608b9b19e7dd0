import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeOf } from '../../../test/support/cluster.ts';
import { testStores } from '../../../test/support/stores.ts';
import type { Db } from '../../db/db.ts';
import { AppError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import {
  type CostAlert,
  type Costs,
  createCosts,
  type Hold,
  type HoldRequest,
  type LedgerEntry,
} from './index.ts';

const DAY = Date.UTC(2026, 4, 14, 9);
const TENANT = 't1';

const spend = (costNanoUsd: number, kind: LedgerEntry['kind'] = 'model'): LedgerEntry => ({
  kind,
  model: kind === 'tool' ? null : 'openai/gpt-5-mini',
  tool: kind === 'tool' ? 'mail.send' : null,
  usage: null,
  costNanoUsd,
  estimated: false,
});

const ask = (worstNano: number, more: Partial<HoldRequest> = {}): HoldRequest => ({
  tenantId: TENANT,
  userId: 'ada',
  agentId: 'zeus',
  conversationId: null,
  runId: null,
  requestId: null,
  kind: 'model',
  worstNano,
  runUsedNano: 0,
  ...more,
});

const refusal = async (work: Promise<unknown>): Promise<Record<string, unknown>> => {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AppError)) throw new Error('expected a refusal');
  expect(error.code).toBe('COST_EXCEEDED');
  return error.details;
};

describe.each(testStores)('cost accounts on $name', (store) => {
  let now = DAY;
  let zone = 'UTC';
  let db: Db;
  let drop: () => Promise<void>;
  let again: () => Promise<Db>;
  let costs: Costs;
  let alerts: CostAlert[];
  const opened: Costs[] = [];

  const process = (on = db): Costs => {
    const made = createCosts({
      db: on,
      cluster: nodeOf(on, `node-${opened.length}`),
      clock: { now: () => now },
      timeZoneOf: () => Promise.resolve(zone),
      onAlert: async (tx, alert) => tx.afterCommit(() => alerts.push(alert)),
      onError: (error) => {
        throw error;
      },
      userExists: () => Promise.resolve(true),
      agentExists: () => true,
      audit: { append: () => Promise.resolve() },
      defaults: { tenantDayNano: 1000, tenantMonthNano: 5000, runNano: 400 },
    });
    opened.push(made);
    return made;
  };

  beforeEach(async () => {
    now = DAY;
    zone = 'UTC';
    alerts = [];
    ({ db, drop, again } = await store.open());
    costs = process();
  });
  afterEach(async () => {
    for (const made of opened.splice(0)) await made.close();
    await drop();
  });

  const counters = () => db.read.selectFrom('cost_counters').selectAll().orderBy('id').execute();
  const counter = async (scope: string, period: string) =>
    (await counters()).find((row) => row.scope === scope && row.period === period);
  const hold = (worst: number, more?: Partial<HoldRequest>) =>
    db.write((tx) => costs.hold(tx, ask(worst, more)));
  const settle = (made: Hold, ...entries: LedgerEntry[]) => db.write((tx) => costs.settle(tx, made, entries));
  const setLimit = (
    scope: 'user' | 'agent' | 'tenant' | 'run',
    subject: string,
    period: 'day' | 'month' | 'run',
    nano: number | null,
  ) => costs.putLimits(TENANT, [{ scope, subject, period, limitNano: nano }]);

  it('reserves the worst case and settles the real cost, in every counter', async () => {
    for (const period of ['day', 'month'] as const) {
      await setLimit('user', 'ada', period, 1000);
      await setLimit('agent', 'zeus', period, 1000);
    }
    const made = await hold(300);
    expect(
      (await counters()).map((row) => [row.scope, row.period, row.used_nano, row.reserved_nano]),
    ).toEqual([
      ['tenant', 'day', 0, 300],
      ['tenant', 'month', 0, 300],
      ['user', 'day', 0, 300],
      ['user', 'month', 0, 300],
      ['agent', 'day', 0, 300],
      ['agent', 'month', 0, 300],
    ]);
    await settle(made, spend(120), spend(30, 'embedding'));
    for (const row of await counters()) expect([row.used_nano, row.reserved_nano]).toEqual([150, 0]);
    const ledger = await db.read
      .selectFrom('ledger')
      .select(['cost_nano', 'kind', 'created_at'])
      .orderBy('id')
      .execute();
    expect(ledger).toEqual([
      { cost_nano: 120, kind: 'model', created_at: DAY },
      { cost_nano: 30, kind: 'embedding', created_at: DAY },
    ]);
  });

  it('counts what a user has spent and holds when a limit comes later, and again after it was away', async () => {
    await settle(await hold(300), spend(120));
    const open = await hold(50);
    await setLimit('user', 'ada', 'day', 300);
    expect(await refusal(hold(131))).toMatchObject({
      scope: 'user',
      limit_usd: 3e-7,
      used_usd: 1.2e-7,
      reserved_usd: 5e-8,
    });
    await setLimit('user', 'ada', 'day', null);
    const free = await hold(200);
    await settle(free, spend(60));
    await setLimit('user', 'ada', 'day', 300);
    expect(await refusal(hold(71))).toMatchObject({ scope: 'user', used_usd: 1.8e-7, reserved_usd: 5e-8 });
    await settle(open, spend(40));
    const user = await hold(80);
    expect(await counter('user', 'day')).toMatchObject({ used_nano: 220, reserved_nano: 80 });
    await settle(user, spend(80));
    expect(await counter('user', 'day')).toMatchObject({ used_nano: 300, reserved_nano: 0 });
  });

  it('lets a call without cost through and touches nothing, even with a limit of 0', async () => {
    await setLimit('tenant', TENANT, 'day', 0);
    const made = await hold(0);
    expect(made.id).toBeNull();
    await settle(made, spend(0));
    expect(await counters()).toEqual([]);
    expect(await refusal(hold(1))).toMatchObject({ scope: 'tenant', period: 'day', limit_usd: 0 });
  });

  it('refuses with scope, amounts and the time at which it is free again', async () => {
    const first = await hold(400);
    await settle(await hold(300), spend(250));
    expect(await refusal(hold(360))).toEqual({
      scope: 'tenant',
      subject: TENANT,
      period: 'day',
      limit_usd: 1e-6,
      used_usd: 2.5e-7,
      reserved_usd: 4e-7,
      resets_at: '2026-05-15T00:00:00.000Z',
    });
    await db.write((tx) => costs.release(tx, first));
    expect((await hold(360, { runId: 'r' })).amountNano).toBe(360);
  });

  it('goes on in the same transaction after a refusal, with nothing changed', async () => {
    await hold(800);
    await db.write(async (tx) => {
      await refusal(costs.hold(tx, ask(300)));
      await costs.hold(tx, ask(200));
    });
    expect((await counter('tenant', 'day'))?.reserved_nano).toBe(1000);
    expect(await db.read.selectFrom('cost_holds').select('id').execute()).toHaveLength(2);
  });

  it('never lets calls at the same instant pass a limit together', async () => {
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => hold(60 * 3)));
    expect(results.filter((r) => r.status === 'fulfilled')).toHaveLength(5);
    expect((await counter('tenant', 'day'))?.reserved_nano).toBe(900);
  });

  it('makes the counters of each new day once, whoever comes first', async () => {
    const otherDb = store.name === 'postgres' ? await again() : db;
    const nodes = [
      { on: db, costs },
      { on: otherDb, costs: process(otherDb) },
    ];
    const limits = [{ scope: 'tenant' as const, subject: TENANT, period: 'day' as const, limitNano: 180 }];
    await costs.putLimits(TENANT, limits);
    await costs.putLimits(TENANT, [{ scope: 'tenant', subject: TENANT, period: 'month', limitNano: null }]);
    for (let day = 0; day < 60; day++) {
      now += 86_400_000;
      const results = await Promise.allSettled(
        Array.from({ length: 24 }, async (_, i) => {
          const node = nodes[i % 2];
          return await node?.on.write((tx) => node.costs.hold(tx, ask(100, { leastNano: 1 })));
        }),
      );
      for (const result of results)
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'COST_EXCEEDED' });
      expect((await counters()).findLast((row) => row.period === 'day')?.reserved_nano).toBe(180);
    }
  });

  it('holds over two processes: 200 calls at once, some of which take a while', async () => {
    // SQLite has one process; there the second half comes through the same one.
    const otherDb = store.name === 'postgres' ? await again() : db;
    const other = process(otherDb);
    const nodes = [
      { on: db, costs },
      { on: otherDb, costs: other },
    ];
    let highest = 0;
    const watch = async () => {
      const row = await counter('tenant', 'day');
      highest = Math.max(highest, (row?.used_nano ?? 0) + (row?.reserved_nano ?? 0));
    };
    let spent = 0;
    let refused = 0;
    await Promise.all(
      Array.from({ length: 200 }, async (_, i) => {
        const node = nodes[i % 2];
        if (node === undefined) throw new Error('no node');
        const who = { userId: `u${i % 7}`, agentId: i % 3 === 0 ? 'zeus' : 'hermes' };
        try {
          const made = await node.on.write((tx) => node.costs.hold(tx, ask(60, who)));
          await watch();
          await node.on.write((tx) => node.costs.settle(tx, made, [spend(i % 61)]));
          spent += i % 61;
        } catch (error) {
          expect(error).toMatchObject({ code: 'COST_EXCEEDED' });
          refused++;
        }
        await watch();
      }),
    );
    expect(highest).toBeLessThanOrEqual(1000);
    expect(refused).toBeGreaterThan(100);
    expect(await counter('tenant', 'day')).toMatchObject({ used_nano: spent, reserved_nano: 0 });
    const ledger = await db.read.selectFrom('ledger').select('cost_nano').execute();
    expect(ledger.reduce((sum, row) => sum + row.cost_nano, 0)).toBe(spent);
  });

  it('limits by user and by agent, each on its own', async () => {
    await setLimit('user', 'ada', 'day', 100);
    await setLimit('agent', 'hermes', 'month', 50);
    await hold(100);
    expect(await refusal(hold(1))).toMatchObject({ scope: 'user', subject: 'ada', period: 'day' });
    await hold(50, { userId: 'bob', agentId: 'hermes' });
    expect(await refusal(hold(1, { userId: 'bob', agentId: 'hermes' }))).toMatchObject({
      scope: 'agent',
      subject: 'hermes',
      resets_at: '2026-06-01T00:00:00.000Z',
    });
    await hold(1, { userId: 'bob', agentId: null });
  });

  it('limits a run by what it has spent and what its open calls hold; priced tools do not count there', async () => {
    const first = await hold(250, { runId: 'r1' });
    expect(await refusal(hold(200, { runId: 'r1' }))).toMatchObject({
      scope: 'run',
      used_usd: 0,
      reserved_usd: 2.5e-7,
      resets_at: null,
    });
    await hold(200, { runId: 'r1', kind: 'tool' });
    await hold(200, { runId: 'r2' });
    await settle(first, spend(50));
    expect(await refusal(hold(351, { runId: 'r1', runUsedNano: 50 }))).toMatchObject({
      scope: 'run',
      used_usd: 5e-8,
    });
    await hold(350, { runId: 'r1', runUsedNano: 50 });
    await setLimit('run', '*', 'run', null);
    await setLimit('tenant', TENANT, 'day', null);
    await hold(2000, { runId: 'r1', runUsedNano: 400 });
  });

  it('gives what is left when the worst case does not fit and less is useful', async () => {
    await hold(700);
    expect(await db.write((tx) => costs.room(tx, ask(0, { runId: 'r' })))).toBe(300);
    expect((await hold(500, { leastNano: 100 })).amountNano).toBe(300);
    expect(await refusal(hold(500, { leastNano: 1 }))).toMatchObject({ scope: 'tenant' });
  });

  it('releases the holds of a process that is gone, and settles a late call once', async () => {
    await costs.start();
    const orphan = await hold(600);
    const next = process();
    if (store.name === 'postgres') {
      expect(await next.recover()).toBe(0);
      // Its last sign of life is by the store's clock, which no test moves.
      await db.write(async (tx) => {
        const { seen_at: seenAt } = await tx
          .selectFrom('cost_nodes')
          .select('seen_at')
          .executeTakeFirstOrThrow();
        await tx
          .updateTable('cost_nodes')
          .set({ seen_at: seenAt - 121_000 })
          .execute();
      });
    }
    expect(await next.recover()).toBe(1);
    expect((await counter('tenant', 'day'))?.reserved_nano).toBe(0);
    await settle(orphan, spend(10));
    expect(await counter('tenant', 'day')).toMatchObject({ used_nano: 10, reserved_nano: 0 });
  });

  it('sweeps holds whose run ended without them, and those too old for any call, and no others', async () => {
    const run = async (id: string, endedAt: number | null): Promise<void> => {
      await db.write(async (tx) => {
        await tx
          .insertInto('runs')
          .values({
            id,
            tenant_id: TENANT,
            user_id: 'ada',
            conversation_id: 'c',
            message_id: `answer of ${id}`,
            question_id: `question of ${id}`,
            status: endedAt === null ? 'running' : 'failed',
            agent_ids: '[]',
            request: '{}',
            cost_nano: 0,
            journal: null,
            tool_call_count: 0,
            created_at: now,
            finished_at: endedAt,
          })
          .execute();
      });
    };
    await db.write(async (tx) => {
      await tx
        .insertInto('conversations')
        .values({
          id: 'c',
          tenant_id: TENANT,
          user_id: 'ada',
          title: 'kept',
          status: 'active',
          metadata: '{}',
          agent_ids: '[]',
          message_count: 0,
          cost_nano: 0,
          created_at: now,
          updated_at: now,
          archived_at: null,
          branched: 0,
        })
        .execute();
    });
    await run('going', null);
    await run('ended', DAY);
    await hold(100, { runId: 'ended' });
    const going = await hold(200, { runId: 'going' });
    const alone = await hold(30);
    // What follows a run, such as its memories, still has its time.
    now = DAY + 59_000;
    expect(await costs.sweep()).toBe(0);
    now = DAY + 61_000;
    expect(await process().sweep()).toBe(0);
    expect(await costs.sweep()).toBe(1);
    expect((await counter('tenant', 'day'))?.reserved_nano).toBe(230);
    expect(await costs.sweep()).toBe(0);
    await settle(going, spend(150));
    now = DAY + 3_601_000;
    expect(await costs.sweep()).toBe(1);
    expect(await counter('tenant', 'day')).toMatchObject({ used_nano: 150, reserved_nano: 0 });
    // A call that comes back after all is charged, once.
    await settle(alone, spend(20));
    expect(await counter('tenant', 'day')).toMatchObject({ used_nano: 170, reserved_nano: 0 });
  });

  it('settles in the period in which the call began', async () => {
    const made = await hold(400);
    now = Date.UTC(2026, 4, 15, 0, 1);
    await settle(made, spend(400));
    await hold(1000);
    const days = (await counters()).filter((row) => row.scope === 'tenant' && row.period === 'day');
    expect(days.map((row) => [row.used_nano, row.reserved_nano])).toEqual([
      [400, 0],
      [0, 1000],
    ]);
  });

  it('is free again at midnight of the tenant, and says so', async () => {
    zone = 'Asia/Tokyo';
    now = Date.parse('2026-05-14T23:00:00+09:00');
    await settle(await hold(1000), spend(1000));
    expect(await refusal(hold(1))).toMatchObject({ resets_at: '2026-05-14T15:00:00.000Z' });
    now = Date.parse('2026-05-14T23:59:59.999+09:00');
    await refusal(hold(1));
    now = Date.parse('2026-05-15T00:00:00+09:00');
    await hold(1000);
  });

  it('counts what was spent and held before when the time zone changes in mid-day', async () => {
    await settle(await hold(300), spend(300));
    const open = await hold(200);
    zone = 'Europe/Berlin';
    costs.forgetTenant(TENANT);
    expect(await refusal(hold(501))).toMatchObject({ used_usd: 3e-7, reserved_usd: 2e-7 });
    await hold(500, { runId: null });
    await settle(open, spend(150));
    const days = (await counters()).filter((row) => row.scope === 'tenant' && row.period === 'day');
    // The day of the zone before is not kept on: it would come back without what was spent since.
    expect(days.map((row) => [row.used_nano, row.reserved_nano])).toEqual([[450, 500]]);
  });

  it.each([
    ['to and fro', ['UTC', 'Asia/Tokyo', 'UTC']],
    ['round', ['UTC', 'America/New_York', 'Asia/Tokyo', 'Europe/Berlin', 'UTC', 'Asia/Tokyo']],
  ])('forgets nothing when the time zone changes %s', async (_, zones) => {
    // Noon at the middle of a month: the day and month of each zone hold all that is spent here.
    now = Date.UTC(2026, 4, 14, 12);
    await setLimit('user', 'ada', 'month', 900);
    await setLimit('agent', 'zeus', 'day', 900);
    const first = await hold(10);
    let spent = 0;
    for (const next of zones) {
      zone = next;
      costs.forgetTenant(TENANT);
      await settle(await hold(100), spend(100));
      spent += 100;
      for (const limit of await costs.limits(TENANT)) {
        if (limit.scope === 'run') continue;
        expect([next, limit.scope, limit.period, limit.usedNano, limit.reservedNano]).toEqual([
          next,
          limit.scope,
          limit.period,
          spent,
          10,
        ]);
      }
    }
    await refusal(hold(900 - spent - 10 + 1));
    await settle(first, spend(7));
    await settle(await hold(900 - spent - 7), spend(900 - spent - 7));
    for (const limit of await costs.limits(TENANT))
      if (limit.scope !== 'run') expect([limit.usedNano, limit.reservedNano]).toEqual([900, 0]);
  });

  it('forgets nothing where another process still has the time zone of before', async () => {
    now = Date.UTC(2026, 4, 14, 12);
    const other = process();
    const spendBy = (by: Costs) =>
      db.write(async (tx) => by.settle(tx, await by.hold(tx, ask(100)), [spend(100)]));
    await spendBy(other);
    zone = 'Asia/Tokyo';
    costs.forgetTenant(TENANT);
    for (let turn = 0; turn < 4; turn += 1) {
      await spendBy(costs);
      await spendBy(other);
    }
    await spendBy(costs);
    const refused = await Promise.all(
      [costs, other].map((by) => refusal(db.write((tx) => by.hold(tx, ask(1))))),
    );
    expect(refused).toMatchObject([{ used_usd: 1e-6 }, { used_usd: 1e-6 }]);
  });

  it('applies a changed limit at once and keeps a removed one removed', async () => {
    await hold(900);
    await setLimit('tenant', TENANT, 'day', 950);
    expect(await refusal(hold(51))).toMatchObject({ limit_usd: 9.5e-7 });
    await setLimit('tenant', TENANT, 'day', null);
    await hold(2000);
    now += 86_400_000;
    await hold(2000);
  });

  it('tells each threshold once in a period, and once that calls are refused', async () => {
    await settle(await hold(500), spend(500));
    await costs.flushAlerts();
    await settle(await hold(10), spend(10));
    await Promise.all([
      hold(300).then((h) => settle(h, spend(300))),
      hold(110).then((h) => settle(h, spend(110))),
    ]);
    await costs.flushAlerts();
    await refusal(hold(200));
    await refusal(hold(200));
    await costs.flushAlerts();
    expect((await counters()).filter((row) => row.refused === 1).map((row) => row.period)).toEqual(['day']);
    // Looked at anew each time: the mark is what keeps the later ones from being told again, here and elsewhere.
    await refusal(hold(200));
    await costs.flushAlerts();
    const other = process();
    await refusal(db.write((tx) => other.hold(tx, ask(200))));
    await other.flushAlerts();
    await settle(await hold(80), spend(80));
    await costs.flushAlerts();
    expect(alerts.map((alert) => [alert.type, alert.period, alert.thresholdPercent]).sort()).toEqual([
      ['cost.alert', 'day', 100],
      ['cost.alert', 'day', 50],
      ['cost.alert', 'day', 75],
      ['cost.alert', 'day', 90],
      ['cost.limit_reached', 'day', null],
    ]);
    expect(alerts.every((alert) => alert.usedNano <= alert.limitNano)).toBe(true);
  });

  it('tells a threshold too where what was spent is not committed yet when alerts are looked at', async () => {
    const made = await hold(500);
    await db.write(async (tx) => {
      await costs.settle(tx, made, [spend(500)]);
      await costs.flushAlerts();
    });
    expect(alerts).toEqual([]);
    await costs.flushAlerts();
    expect(alerts.map((alert) => [alert.period, alert.thresholdPercent])).toEqual([['day', 50]]);
  });

  it('tells a refusal as what it is, and 100 % when it is used', async () => {
    await settle(await hold(120), spend(120));
    await refusal(hold(881));
    await costs.flushAlerts();
    const told = () =>
      alerts.filter((a) => a.period === 'day').map((a) => [a.type, a.thresholdPercent, a.level, a.usedNano]);
    expect(told()).toEqual([['cost.limit_reached', null, 'none', 120]]);
    await settle(await hold(880), spend(880));
    await costs.flushAlerts();
    expect(told().slice(1)).toEqual([
      ['cost.alert', 50, 'info', 1000],
      ['cost.alert', 75, 'warning', 1000],
      ['cost.alert', 90, 'critical', 1000],
      ['cost.alert', 100, 'exceeded', 1000],
    ]);
  });

  it('keeps used + reserved within every limit and the ledger equal to the meter, whatever happens in whatever order', async () => {
    const who = fc.record({
      userId: fc.constantFrom('ada', 'bob'),
      agentId: fc.constantFrom('zeus', 'hermes', null),
      runId: fc.constantFrom('r1', 'r2', null),
      kind: fc.constantFrom('model' as const, 'embedding' as const, 'tool' as const),
    });
    const step = fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({
          do: fc.constant('hold' as const),
          who,
          worst: fc.integer({ min: 0, max: 500 }),
          least: fc.option(fc.integer({ min: 1, max: 200 }), { nil: undefined }),
        }),
      },
      {
        weight: 4,
        arbitrary: fc.record({
          do: fc.constant('settle' as const),
          pick: fc.nat(),
          share: fc.integer({ min: 0, max: 100 }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('release' as const), pick: fc.nat() }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const) }) },
      {
        weight: 1,
        arbitrary: fc.record({ do: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 30 }) }),
      },
    );
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { maxLength: 12 }),
        async (batches) => {
          const tenantId = `tenant-${newId()}`;
          now = DAY + 40 * 86_400_000 * round++;
          let node = process();
          await node.putLimits(tenantId, [
            { scope: 'user', subject: 'ada', period: 'day', limitNano: 600 },
            { scope: 'agent', subject: 'hermes', period: 'month', limitNano: 700 },
          ]);
          let open: Hold[] = [];
          let meter = 0;
          const runUsed = new Map<string, number>();

          const check = async () => {
            const rows = (await counters()).filter((row) => row.tenant_id === tenantId);
            for (const row of rows) {
              expect(row.reserved_nano).toBeGreaterThanOrEqual(0);
              if (row.limit_nano !== null)
                expect(row.used_nano + row.reserved_nano).toBeLessThanOrEqual(row.limit_nano);
            }
            for (const [run, used] of runUsed) {
              const held = open
                .filter((h) => h.runId === run && h.kind !== 'tool')
                .reduce((sum, h) => sum + h.amountNano, 0);
              expect(used + held).toBeLessThanOrEqual(400);
            }
            const ledger = await db.read
              .selectFrom('ledger')
              .select('cost_nano')
              .where('tenant_id', '=', tenantId)
              .execute();
            expect(ledger.reduce((sum, row) => sum + row.cost_nano, 0)).toBe(meter);
            for (const period of ['day', 'month']) {
              const own = rows.filter((row) => row.scope === 'tenant' && row.period === period);
              expect(own.reduce((sum, row) => sum + row.used_nano, 0)).toBe(meter);
              expect(own.reduce((sum, row) => sum + row.reserved_nano, 0)).toBe(
                open.reduce((sum, h) => sum + h.amountNano, 0),
              );
            }
          };

          for (const batch of batches) {
            const crashing = batch.some((s) => s.do === 'crash');
            // What ends in this batch is picked first, so that each hold ends once.
            const ends = batch.flatMap((s) => {
              if ((s.do !== 'settle' && s.do !== 'release') || open.length === 0) return [];
              const [hold] = open.splice(s.pick % open.length, 1);
              return hold === undefined
                ? []
                : [{ hold, cost: s.do === 'settle' ? Math.floor((hold.amountNano * s.share) / 100) : 0 }];
            });
            const made: Hold[] = [];
            await Promise.all([
              ...ends.map(async ({ hold, cost }) => {
                await db.write((tx) => node.settle(tx, hold, [{ ...spend(cost), kind: hold.kind }]));
                meter += cost;
                if (hold.runId !== null && hold.kind !== 'tool')
                  runUsed.set(hold.runId, (runUsed.get(hold.runId) ?? 0) + cost);
              }),
            ]);
            await Promise.all(
              batch.map(async (s) => {
                if (s.do !== 'hold') return;
                const run = s.who.runId;
                await db
                  .write((tx) =>
                    node.hold(
                      tx,
                      ask(s.worst, {
                        tenantId,
                        ...s.who,
                        leastNano: s.least,
                        runUsedNano: run === null ? 0 : (runUsed.get(run) ?? 0),
                      }),
                    ),
                  )
                  .then(
                    (hold) => made.push(hold),
                    (error: unknown) => expect(error).toMatchObject({ code: 'COST_EXCEEDED' }),
                  );
              }),
            );
            open.push(...made);
            for (const s of batch) if (s.do === 'wait') now += s.hours * 3_600_000;
            if (crashing) {
              node = process();
              now += store.name === 'postgres' ? 121_000 : 0;
              await node.recover();
              open = [];
            }
            await check();
          }
          await db.write(async (tx) => {
            for (const hold of open) await node.release(tx, hold);
          });
          for (const row of (await counters()).filter((r) => r.tenant_id === tenantId))
            expect(row.reserved_nano).toBe(0);
        },
      ),
      { numRuns: store.name === 'sqlite' ? 150 : 25 },
    );
  }, 120_000);
});
