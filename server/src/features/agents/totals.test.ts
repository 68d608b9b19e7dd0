import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import { testStores } from '../../../test/support/stores.ts';
import type { Db } from '../../db/db.ts';
import { RUN_PART_MS } from '../../db/run-sums.ts';
import { withinTenant } from '../../db/scope.ts';
import type { RunRow } from '../../db/tables/chat.ts';
import { iso } from '../../kernel/clock.ts';
import { runSamples } from '../chat/index.ts';
import { samplesOf } from '../chat/readings.ts';
import { type MetricsWindow, metricsOf, NO_TOTALS, percentiles, totalsOf, WINDOWS_MS } from './rules.ts';
import { checkRunSums, createRunFigures, forgetRunSums } from './run-figures.ts';
import { compact, coverOf, packTotals, unpackTotals } from './run-periods.ts';

const TENANT = '0190a000-0000-7000-8000-000000000001';
const NOW = Date.UTC(2026, 4, 14, 9);
const STATUSES = ['completed', 'completed', 'completed', 'failed', 'cancelled', 'running'] as const;

/** The same rows at each run; every one another. */
const rowAt = (i: number): RunRow => {
  const status = STATUSES[i % STATUSES.length] ?? 'completed';
  const created = NOW - ((i * 7_919_317) % WINDOWS_MS['30d']);
  const usage = { input_tokens: (i * 37) % 5_000, output_tokens: (i * 11) % 900, cached_input_tokens: 0 };
  const part = { ...usage, input_tokens: i % 9, output_tokens: i % 5 };
  return {
    id: `run-${i}`,
    tenant_id: i % 13 === 0 ? 'another' : TENANT,
    user_id: 'ada',
    conversation_id: 'c',
    message_id: `m-${i}`,
    question_id: `q-${i}`,
    status,
    agent_id: i % 10 === 0 ? null : i % 3 === 0 ? 'athena' : 'zeus',
    agent_ids: '[]',
    request: '{}',
    usage: i % 17 === 0 ? null : JSON.stringify(usage),
    cost_nano: (i * 1_237) % 90_000,
    error: null,
    journal: null,
    tool_call_count: i % 4,
    delegated:
      i % 23 === 0
        ? JSON.stringify([
            {
              agentId: 'athena',
              ok: i % 2 === 0,
              latencyMs: i % 700,
              firstTokenMs: i % 90,
              usage: part,
              costNano: i % 50,
              toolCalls: 1,
              startedAt: created + 5,
            },
          ])
        : null,
    first_token_ms: i % 5 === 0 ? null : (i * 3) % 400,
    created_at: created,
    finished_at: status === 'running' ? null : created + ((i * 7) % 3_000) - 3,
    node_id: null,
    credential: null,
  };
};

it('percentiles are those of the values in their order', () => {
  const counts = new Map([
    [30, 1],
    [10, 2],
    [20, 1],
  ]);
  expect(percentiles(counts, [0, 0.5, 0.51, 0.75, 0.95, 1])).toEqual([10, 10, 20, 20, 30, 30]);
  expect(percentiles(new Map(), [0.5])).toEqual([null]);
});

const QUARTER = RUN_PART_MS.slot;

it('a time is its periods and its rows: each instant counts once', () => {
  const at = fc.integer({ min: 0, max: 4 * 96 }).map((slot) => NOW - 5 * 86_400_000 + slot * QUARTER);
  const edge = fc.tuple(at, fc.constantFrom(-1, 0, 1, 400_000)).map(([slot, more]) => slot + more);
  const starts = (ms: number) =>
    fc.array(at).map((list) => new Set(list.map((one) => Math.floor(one / ms) * ms)));
  fc.assert(
    fc.property(
      edge,
      edge,
      edge,
      starts(RUN_PART_MS.day),
      starts(RUN_PART_MS.hour),
      starts(QUARTER),
      (a, b, instant, day, hour, slot) => {
        const stretch = { since: Math.min(a, b), until: Math.max(a, b) };
        const { periods, rows } = coverOf(stretch, { day, hour, slot });
        const spans = periods.map(({ part, startsAt }) => ({
          since: startsAt,
          until: startsAt + RUN_PART_MS[part],
        }));
        const within = (one: { since: number; until: number }): boolean =>
          instant >= one.since && instant < one.until;
        expect([...spans, ...rows].filter(within)).toHaveLength(within(stretch) ? 1 : 0);
        for (const { part, startsAt } of periods) expect({ day, hour, slot }[part].has(startsAt)).toBe(true);
      },
    ),
  );
});

it('of many durations each is known within a hundredth, and none is lost', () => {
  const lengths = fc.array(fc.integer({ min: 0, max: 3 * 86_400_000 }), { minLength: 201, maxLength: 400 });
  fc.assert(
    fc.property(lengths, (list) => {
      const counts = new Map<number, number>();
      for (const ms of list) counts.set(ms, (counts.get(ms) ?? 0) + 1);
      const kept = compact(counts);
      expect([...kept.values()].reduce((sum, n) => sum + n, 0)).toBe(list.length);
      const shares = [0.01, 0.5, 0.95, 0.99, 1];
      const exact = percentiles(counts, shares);
      for (const [n, value] of percentiles(kept, shares).entries())
        expect(Math.abs((value ?? 0) - (exact[n] ?? 0))).toBeLessThanOrEqual((exact[n] ?? 0) / 100);
      // What is compact stays as it is.
      expect([...compact(kept)]).toEqual([...kept]);
      const totals = { ...NO_TOTALS, latencies: counts };
      expect(packTotals(unpackTotals(packTotals(totals)))).toBe(packTotals(totals));
    }),
    { numRuns: 50 },
  );
});

describe.each(testStores)('figures of agents on $name', (engine) => {
  let opened: Awaited<ReturnType<(typeof engine)['open']>>;
  let db: Db;

  beforeEach(async () => {
    opened = await engine.open();
    db = opened.db;
    await db.write(async (tx) => {
      await tx
        .insertInto('tenants')
        .values([TENANT, 'another'].map((id) => ({ ...tenant, id, slug: id })))
        .execute();
      await tx
        .insertInto('users')
        .values({ ...user, id: 'ada', tenant_id: TENANT })
        .execute();
      for (const [id, tenant_id] of [
        ['c', TENANT],
        ['d', 'another'],
      ] as const)
        await tx
          .insertInto('conversations')
          .values({ ...conversation, id, tenant_id })
          .execute();
      for (let from = 0; from < 3_000; from += 500)
        await tx
          .insertInto('runs')
          .values(
            Array.from({ length: 500 }, (_, i) => {
              const row = rowAt(from + i);
              return row.tenant_id === TENANT ? row : { ...row, conversation_id: 'd' };
            }),
          )
          .execute();
    });
  });
  const made: ReturnType<typeof createRunFigures>[] = [];
  afterEach(async () => {
    await Promise.all(made.splice(0).map((one) => one.close()));
    await opened.drop();
  });

  const AGENTS = ['zeus', 'athena', 'hermes'];
  const WINDOWS = ['1h', '24h', '7d', '30d'] as const;

  const service = (manyRuns = 500) => {
    const figures = createRunFigures({
      manyRuns,
      samples: runSamples,
      db,
      clock: { now: () => NOW },
      agentIds: AGENTS,
      onError: (error) => {
        throw error;
      },
    });
    made.push(figures);
    return figures;
  };

  /** All runs one by one. */
  const expected = async (window: MetricsWindow, agentId: string) => {
    const rows = await db.read
      .selectFrom('runs')
      .selectAll()
      .where('tenant_id', '=', TENANT)
      .where('agent_id', 'is not', null)
      .where('created_at', '>=', NOW - WINDOWS_MS[window])
      .execute();
    const own = rows.flatMap(samplesOf).filter((sample) => sample.agentId === agentId);
    return metricsOf(window, totalsOf(own), iso);
  };

  const expectAll = async ({ figures }: Pick<ReturnType<typeof service>, 'figures'>): Promise<void> => {
    for (const window of WINDOWS) {
      const since = NOW - WINDOWS_MS[window];
      const together = await figures({ tenantId: TENANT, agentIds: AGENTS, since });
      for (const agentId of AGENTS) {
        const alone = await figures({ tenantId: TENANT, agentIds: [agentId], since });
        const wanted = await expected(window, agentId);
        expect(metricsOf(window, together.get(agentId) ?? NO_TOTALS, iso)).toEqual(wanted);
        expect(metricsOf(window, alone.get(agentId) ?? NO_TOTALS, iso)).toEqual(wanted);
      }
    }
  };

  /** So many rows are read that sums are made of them. */
  const sealed = async (): Promise<ReturnType<typeof service>> => {
    const figures = service(0);
    await figures.figures({ tenantId: TENANT, agentIds: AGENTS, since: NOW - WINDOWS_MS['30d'] });
    await figures.settled();
    return figures;
  };

  const parts = async (): Promise<Record<string, number>> => {
    const rows = await db.read.selectFrom('run_sums').select('part').where('agent_id', '=', '').execute();
    return Object.fromEntries(
      Object.entries(Object.groupBy(rows, (row) => row.part)).map(([part, own = []]) => [part, own.length]),
    );
  };

  const expectWrongFound = async (figures: ReturnType<typeof service>): Promise<void> => {
    const [day] = await db.read
      .selectFrom('run_sums')
      .selectAll()
      .where('part', '=', 'day')
      .where('agent_id', '=', 'zeus')
      .limit(1)
      .execute();
    const { starts_at: at = 0, totals = '' } = day ?? {};
    const wrong = packTotals({ ...unpackTotals(totals), requests: 7_000 });
    await db.write((tx) =>
      tx
        .updateTable('run_sums')
        .set({ totals: wrong })
        .where('part', '=', 'day')
        .where('starts_at', '=', at)
        .where('agent_id', '=', 'zeus')
        .execute(),
    );
    expect(await checkRunSums(db, runSamples, AGENTS)).toEqual([
      { tenantId: TENANT, wrong: [{ part: 'day', starts_at: Number(at) }] },
    ]);
    // What was read before has begun no sums that would come back.
    await figures.settled();
    await forgetRunSums(db);
    expect(await parts()).toEqual({});
    await expectAll(figures);
  };

  it(req('AGENT-02', 'from rows and from sums they are those of all runs, one by one'), async () => {
    const rows = service();
    await expectAll(rows);
    await rows.close();
    const figures = await sealed();
    expect(await parts()).toEqual({ day: 30, hour: 30 * 24 + 8, slot: 3 });
    for (const agentId of ['zeus', 'athena'])
      expect((await expected('30d', agentId)).requests).toBeGreaterThan(500);
    await expectAll(figures);
    expect(await checkRunSums(db, runSamples, AGENTS)).toEqual([{ tenantId: TENANT, wrong: [] }]);
    // Events of finished runs may go (RETENTION_RUN_EVENTS_DAYS) without a sum being made anew.
    const before = await parts();
    await db.write((tx) => tx.updateTable('runs').set({ journal: null }).execute());
    expect(await parts()).toEqual(before);
    await expectWrongFound(figures);
  });

  it(req('AGENT-02', 'a run that ends late, changes or goes is in them at once'), async () => {
    const figures = await sealed();
    const days = (await parts()).day;
    const long = NOW - 9 * 86_400_000;
    await db.write(async (tx) => {
      await tx
        .updateTable('runs')
        .set({ status: 'completed', finished_at: NOW })
        .where('status', '=', 'running')
        .where('created_at', '>', long)
        .where('tenant_id', '=', TENANT)
        .execute();
      await tx
        .updateTable('runs')
        .set({ agent_id: 'hermes' })
        .where('id', 'in', ['run-3', 'run-4'])
        .execute();
      await tx.updateTable('runs').set({ cost_nano: 77_777 }).where('id', '=', 'run-7').execute();
      await tx
        .insertInto('runs')
        .values({ ...rowAt(3_001), tenant_id: TENANT, created_at: long - 1_000, finished_at: long })
        .execute();
    });
    expect((await parts()).day).toBeLessThan(days ?? 0);
    await expectAll(figures);
    // A conversation that goes takes its runs along.
    await db.write((tx) => tx.deleteFrom('runs').where('id', 'in', ['run-5', 'run-8']).execute());
    await expectAll(figures);
    await figures.close();
    const again = await sealed();
    expect(await parts()).toEqual({ day: 30, hour: 30 * 24 + 8, slot: 3 });
    await expectAll(again);
    expect(await checkRunSums(db, runSamples, AGENTS)).toEqual([{ tenantId: TENANT, wrong: [] }]);
    await db.write((tx) => tx.deleteFrom('conversations').where('id', '=', 'c').execute());
    await expectAll(again);
  });

  it(req('AGENT-02', 'sums that are made while runs end are right all the same'), async () => {
    const made = [service(0), service(0)];
    const asked = { tenantId: TENANT, agentIds: AGENTS, since: NOW - WINDOWS_MS['30d'] };
    const ending = async (): Promise<void> => {
      for (let n = 0; n < 60; n++) {
        const i = 5 + 6 * n;
        await db.write((tx) =>
          tx
            .updateTable('runs')
            .set({ status: 'completed', finished_at: NOW })
            .where('id', '=', `run-${i}`)
            .execute(),
        );
      }
    };
    await withinTenant(TENANT, async () => {
      await Promise.all([ending(), ...made.map((one) => one.figures(asked))]);
      for (const one of made) await one.settled();
    });
    for (const one of made) {
      await expectAll(one);
      await one.close();
    }
    const again = await sealed();
    await expectAll(again);
    expect(await checkRunSums(db, runSamples, AGENTS)).toEqual([{ tenantId: TENANT, wrong: [] }]);
  });

  it('few runs are read as they are, and nothing is written for them', async () => {
    const figures = service();
    await figures.figures({ tenantId: TENANT, agentIds: ['zeus'], since: NOW - WINDOWS_MS['24h'] });
    await figures.settled();
    expect(await parts()).toEqual({});
  });
});

const tenant = {
  name: 'T',
  tier: 'free',
  status: 'active',
  settings: '{}',
  external_id: null,
  created_at: 1,
  updated_at: 1,
};
const conversation = {
  user_id: 'ada',
  title: null,
  status: 'active',
  metadata: '{}',
  agent_ids: '[]',
  message_count: 0,
  cost_nano: 0,
  created_at: 1,
  updated_at: 1,
  archived_at: null,
  taint: null,
  branched: 0,
};
const user = {
  type: 'person',
  email: 'ada@example.com',
  email_folded: 'ada@example.com',
  name: 'Ada',
  password_hash: null,
  password_permissions: null,
  roles: '["user"]',
  permissions: '[]',
  tier: null,
  status: 'active',
  external_id: null,
  created_at: 1,
  updated_at: 1,
  last_seen_at: null,
  claims_at: null,
  placed_by_admin: null,
};
