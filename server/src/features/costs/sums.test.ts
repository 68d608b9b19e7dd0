import fc from 'fast-check';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import { nodeOf } from '../../../test/support/cluster.ts';
import { testCaller } from '../../../test/support/knowledge.ts';
import { testStores } from '../../../test/support/stores.ts';
import { DAY_MS } from '../../db/cost-sums.ts';
import type { Db } from '../../db/db.ts';
import type { LedgerRow } from '../../db/tables/costs.ts';
import { newId } from '../../kernel/ids.ts';
import { type Costs, createCosts } from './index.ts';
import { dateText, localDate } from './periods.rules.ts';
import { daysOf, piecesOf } from './span-pieces.ts';
import { hasSums, markAll, sumNextDay } from './sums.store.ts';
import { checkSums, fillSums, rebuildSums } from './sums.ts';
import { sumRows, sumSums } from './usage.store.ts';

const TENANT = '0190a000-0000-7000-8000-000000000001';
const NOW = Date.UTC(2026, 4, 14, 9);
const ALL = { limit: 1_000, offset: 0 };

const row = (more: Partial<LedgerRow> = {}): LedgerRow => ({
  id: newId(),
  tenant_id: TENANT,
  user_id: 'ada',
  kind: 'model',
  agent_id: 'zeus',
  model: 'openai/gpt-5-mini',
  tool: null,
  conversation_id: null,
  run_id: null,
  request_id: null,
  input_tokens: 100,
  output_tokens: 20,
  cached_input_tokens: 10,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  cost_nano: 1_000,
  reported_nano: null,
  estimated: 0,
  beyond_estimate: 0,
  created_at: NOW,
  ...more,
});

/** Two months on either side of a turn of the year, often at the edges of slots, days and months. */
const instant = fc
  .tuple(
    fc.integer({ min: Date.UTC(2025, 11, 1) / 900_000, max: Date.UTC(2026, 1, 1) / 900_000 }),
    fc.constantFrom(-1, 0, 1, 400_000),
  )
  .map(([slot, more]) => slot * 900_000 + more);
const edge = fc.oneof(
  instant,
  fc
    .integer({ min: Date.UTC(2025, 11, 1) / DAY_MS, max: Date.UTC(2026, 1, 1) / DAY_MS })
    .map((day) => day * DAY_MS),
  fc.constantFrom(
    Date.UTC(2025, 11, 1),
    Date.UTC(2026, 0, 1),
    Date.UTC(2026, 1, 1),
    Date.UTC(2025, 11, 31, 23),
  ),
);
const anyRow = fc
  .record({
    user_id: fc.constantFrom('ada', 'bob', 'cy'),
    agent_id: fc.constantFrom(null, 'zeus', 'hermes'),
    model: fc.constantFrom(null, 'm1', 'm2'),
    tool: fc.constantFrom(null, 'shop.order'),
    cost_nano: fc.integer({ min: 0, max: 1_000_000_000 }),
    input_tokens: fc.integer({ min: 0, max: 5_000 }),
    beyond_estimate: fc.constantFrom(0, 1),
    created_at: instant,
  })
  .map(row);

it('a span is its pieces: each instant counts once', () => {
  fc.assert(
    fc.property(edge, edge, instant, (a, b, at) => {
      const span = { start: Math.min(a, b), end: Math.max(a, b) };
      const pieces = piecesOf(span);
      const within = (one: { start: number; end: number } | null): number =>
        one !== null && at >= one.start && at < one.end ? 1 : 0;
      const signed = (list: readonly { start: number; end: number; sign: number }[]): number =>
        list.reduce((sum, one) => sum + one.sign * within(one), 0);
      const wanted = within(span);
      expect(within(pieces.slots) + pieces.slotRows.reduce((sum, one) => sum + within(one), 0)).toBe(wanted);
      expect(within(pieces.days) + signed(pieces.rows)).toBe(wanted);
      expect(within(pieces.userMonths) + signed(pieces.userDays) + signed(pieces.rows)).toBe(wanted);
    }),
  );
});

describe.each(testStores)('sums of the ledger on $name', (store) => {
  let db: Db;
  let drop: () => Promise<void>;
  const opened: Costs[] = [];
  beforeEach(async () => {
    ({ db, drop } = await store.open());
    await db.write(async (tx) => {
      const base = { created_at: NOW, updated_at: NOW, tier: 'free', status: 'active', settings: '{}' };
      await tx
        .insertInto('tenants')
        .values({ ...base, id: TENANT, slug: 'a', name: 'A', external_id: null })
        .execute();
    });
  });
  afterEach(async () => {
    for (const costs of opened.splice(0)) await costs.close();
    await drop();
  });

  const insert = async (rows: readonly LedgerRow[]): Promise<void> => {
    await db.write(async (tx) => {
      for (let n = 0; n < rows.length; n += 100)
        await tx
          .insertInto('ledger')
          .values(rows.slice(n, n + 100))
          .execute();
    });
  };

  const service = (zone = 'UTC', now = NOW): Costs => {
    const costs = createCosts({
      db,
      cluster: nodeOf(db, 'node'),
      clock: { now: () => now },
      timeZoneOf: () => Promise.resolve(zone),
      onAlert: () => Promise.resolve(),
      onError: (error) => {
        throw error;
      },
      userExists: () => Promise.resolve(true),
      agentExists: () => true,
      audit: { append: () => Promise.resolve() },
    });
    opened.push(costs);
    return costs;
  };
  const analyst = testCaller('ada', TENANT, 'analyst');

  const sorted = (rows: readonly object[]): string[] =>
    rows
      .map((one) => JSON.stringify(Object.entries(one).map(([k, v]) => [k, v === null ? null : String(v)])))
      .sort();

  const compare = async (span: { start: number; end: number }): Promise<void> => {
    const rows = await sumRows(db.read, { tenantId: TENANT, userId: null, span });
    const sums = await sumSums(db.read, { tenantId: TENANT, span }, ALL);
    expect(sorted(sums.filter((one) => one.part !== 'users'))).toEqual(sorted(rows));
    expect(Number(sums.find((one) => one.part === 'users')?.requests)).toBe(
      rows.filter((one) => one.part === 'user').length,
    );
  };

  it(req('COST-27', 'what is read from them is what the rows say, for any span'), async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyRow, { minLength: 1, maxLength: 60 }),
        fc.array(fc.tuple(edge, edge), { minLength: 3, maxLength: 6 }),
        async (rows, spans) => {
          await db.write(async (tx) => {
            await tx.deleteFrom('ledger').execute();
            await tx.deleteFrom('cost_sums').execute();
          });
          await insert(rows.map((one) => ({ ...one, id: newId() })));
          for (const [a, b] of spans)
            if (a !== b) await compare({ start: Math.min(a, b), end: Math.max(a, b) });
          expect(await checkSums(db)).toEqual([{ tenantId: TENANT, pending: false, wrong: [] }]);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('slots that are asked for by day are those of the day', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyRow, { minLength: 1, maxLength: 40 }), edge, edge, async (rows, a, b) => {
        await db.write(async (tx) => {
          await tx.deleteFrom('ledger').execute();
          await tx.deleteFrom('cost_sums').execute();
        });
        await insert(rows.map((one) => ({ ...one, id: newId() })));
        const asked = { tenantId: TENANT, span: { start: Math.min(a, b), end: Math.max(a, b) + 1 } };
        const days = daysOf('Asia/Kathmandu', asked.span);
        const slots = (await sumSums(db.read, asked, ALL)).filter((one) => one.part === 'slot');
        const grouped = await sumSums(db.read, { ...asked, days }, ALL);
        const dateOf = (one: { key: string | null }) =>
          dateText(localDate('Asia/Kathmandu', Number(one.key)));
        const byDay = (list: typeof slots) =>
          Object.entries(Object.groupBy(list, dateOf))
            .map(([date, of = []]) => [date, of.reduce((sum, one) => sum + Number(one.cost_nano), 0)])
            .sort();
        expect(byDay(grouped.filter((one) => one.part === 'slot'))).toEqual(byDay(slots));
        expect(sorted(grouped.filter((one) => one.part !== 'slot'))).toEqual(
          sorted((await sumSums(db.read, asked, ALL)).filter((one) => one.part !== 'slot')),
        );
      }),
      { numRuns: 15 },
    );
  });

  it.each(['UTC', 'Asia/Kathmandu', 'America/Los_Angeles', 'Pacific/Auckland'])(
    'a month in %s, and its days, add up to the total',
    async (zone) => {
      await insert(
        Array.from({ length: 200 }, (_, n) =>
          row({ user_id: `u${n % 7}`, cost_nano: n * 1_001, created_at: NOW - n * 7_777_777 }),
        ),
      );
      const usage = await service(zone).usage(analyst, {
        scope: 'tenant',
        from: '2026-05-01',
        to: '2026-05-14',
      });
      await db.write((tx) => markAll(tx));
      const counted = await service(zone).usage(analyst, {
        scope: 'tenant',
        from: '2026-05-01',
        to: '2026-05-14',
      });
      expect(usage).toEqual(counted);
      expect(usage.requests).toBeGreaterThan(100);
      expect(usage.by_day.reduce((sum, day) => sum + day.requests, 0)).toBe(usage.requests);
    },
  );

  it(
    req('COST-27', 'users come in pages, the dearest first, and whether from sums or from rows'),
    async () => {
      await insert(
        Array.from({ length: 130 }, (_, n) =>
          row({ user_id: `u${String(n).padStart(3, '0')}`, cost_nano: n }),
        ),
      );
      for (const summed of [true, false]) {
        if (!summed) await db.write((tx) => markAll(tx));
        expect(await hasSums(db.read, TENANT)).toBe(summed);
        const costs = service();
        const first = await costs.usage(analyst, { scope: 'tenant' });
        expect(first.users_total).toBe(130);
        expect(first.by_user).toHaveLength(100);
        expect(first.by_user?.[0]).toMatchObject({ user_id: 'u129' });
        expect(first.requests).toBe(130);
        const next = await costs.usage(analyst, { scope: 'tenant', users_page: 2, users_limit: 60 });
        expect(next.by_user?.map((one) => ('user_id' in one ? one.user_id : null))).toEqual(
          Array.from({ length: 60 }, (_, n) => `u${String(69 - n).padStart(3, '0')}`),
        );
      }
    },
  );

  it(
    req('COST-28', 'what was there before them is summed up day by day, beside those who write'),
    async () => {
      const days = Array.from({ length: 40 }, (_, n) => row({ created_at: NOW - n * DAY_MS, cost_nano: n }));
      await insert(days);
      await db.write(async (tx) => {
        await tx.deleteFrom('cost_sums').execute();
        await markAll(tx);
      });
      const writing = (async () => {
        for (let n = 0; n < 60; n++)
          await insert([
            row({ user_id: 'bob', created_at: NOW - (n % 50) * DAY_MS - n * 1_000, cost_nano: 7 }),
          ]);
      })();
      await Promise.all([
        writing,
        fillSums(db, new AbortController().signal),
        fillSums(db, new AbortController().signal),
      ]);
      expect(await hasSums(db.read, TENANT)).toBe(true);
      expect(await checkSums(db)).toEqual([{ tenantId: TENANT, pending: false, wrong: [] }]);
      await compare({ start: NOW - 60 * DAY_MS, end: NOW + 1 });
    },
  );

  it('is half done where it is stopped, and goes on at the next start', async () => {
    await insert(Array.from({ length: 5 }, (_, n) => row({ created_at: NOW - n * DAY_MS })));
    await db.write((tx) => markAll(tx));
    expect(await sumNextDay(db, TENANT)).toBe(true);
    expect(await hasSums(db.read, TENANT)).toBe(false);
    const costs = service();
    await costs.start();
    await expect.poll(() => hasSums(db.read, TENANT)).toBe(true);
    expect(await checkSums(db)).toEqual([{ tenantId: TENANT, pending: false, wrong: [] }]);
  });

  it(req('COST-28', 'a wrong sum is found, and made anew from the rows'), async () => {
    await insert([row(), row({ user_id: 'bob', created_at: NOW - 40 * DAY_MS })]);
    await db.write(async (tx) => {
      await tx
        .updateTable('cost_sums')
        .set({ cost_nano: 5 })
        .where('part', '=', 'user_day')
        .where('user_id', '=', 'ada')
        .execute();
      await sql`insert into cost_sums select tenant_id, part, starts_at, 'nobody', agent_id, model, tool, requests, cost_nano,
        input_tokens, output_tokens, cached_input_tokens, beyond_estimate from cost_sums where part = 'user_month'`.execute(
        tx,
      );
      await tx
        .deleteFrom('cost_sums')
        .where('part', '=', 'slot')
        .where('starts_at', '<', NOW - DAY_MS)
        .execute();
    });
    const [found] = await checkSums(db);
    expect(found?.wrong.map((one) => one.part)).toEqual(['slot', 'user_month', 'user_day', 'user_month']);
    expect(await rebuildSums(db)).toBe(1);
    expect(await checkSums(db)).toEqual([{ tenantId: TENANT, pending: false, wrong: [] }]);
  });

  it(
    req('COST-28', 'a sum without any row is gone once they are made anew, wherever it stands'),
    async () => {
      await insert([row(), row({ created_at: NOW - 40 * DAY_MS })]);
      const parts = ['slot', 'day', 'user_day', 'user_month'] as const;
      const day = Math.floor(NOW / DAY_MS) * DAY_MS;
      // Before the first day with rows, between the two, and behind the last.
      const places = [
        day - 400 * DAY_MS,
        day - 60 * DAY_MS,
        day - 20 * DAY_MS,
        day + DAY_MS,
        day + 60 * DAY_MS,
      ];
      await db.write(async (tx) => {
        for (const part of parts)
          for (const at of places)
            await sql`insert into cost_sums select tenant_id, part, ${sql.lit(at)}, 'nobody', agent_id, model, tool, requests, cost_nano,
            input_tokens, output_tokens, cached_input_tokens, beyond_estimate from cost_sums where part = ${part} limit 1`.execute(
              tx,
            );
      });
      const [found] = await checkSums(db);
      expect(new Set(found?.wrong.map(({ part }) => part))).toEqual(new Set(parts));
      await rebuildSums(db);
      expect(await checkSums(db)).toEqual([{ tenantId: TENANT, pending: false, wrong: [] }]);
    },
  );
});
