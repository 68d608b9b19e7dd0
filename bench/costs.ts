import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import type { Db } from '../server/src/db/db.ts';
import { periodAround } from '../server/src/features/costs/periods.rules.ts';
import { daysOf } from '../server/src/features/costs/span-pieces.ts';
import { checkSums, rebuildSums } from '../server/src/features/costs/sums.ts';
import { sumRows, sumSums } from '../server/src/features/costs/usage.store.ts';
import { newId } from '../server/src/kernel/ids.ts';
import { openStore } from './lib/chunks.ts';

/**
 * What the costs page asks of the store, over a month of so many ledger rows of one tenant:
 *
 *   node bench/costs.ts [--rows 100000] [--users 5000] [--zone UTC] [--runs 15] [--only-sums]
 *
 * On SQLite; with DATABASE_URL set, on that (empty) PostgreSQL database. Rows are spread evenly over the month and the users, six
 * agents, three models and one row of twenty for a priced tool; one user has three rows. They are written without the trigger and
 * summed up afterwards. `from rows` is the statement of before there were sums. Prints medians in ms, and the CPU time of one
 * question (of this process, and of PostgreSQL's for the connections, where it is on this machine): wall time is worth little
 * beside others. `--only-sums` leaves out what reads all rows. Then what one row of the
 * ledger costs with the trigger and without it, each in a transaction of its own.
 */
const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000' },
    users: { type: 'string', default: '5000' },
    zone: { type: 'string', default: 'UTC' },
    runs: { type: 'string', default: '15' },
    'only-sums': { type: 'boolean', default: false },
  },
});
const ROWS = Number(values.rows);
const USERS = Number(values.users);
const RUNS = Number(values.runs);
const DATABASE_URL = process.env.DATABASE_URL ?? '';
const TENANT = newId();
const BATCH = 100_000;
const month = periodAround('UTC', 'month', Date.now());
const asked = periodAround(values.zone, 'month', Date.now());

const numbers = (from: number, to: number) =>
  DATABASE_URL === ''
    ? sql`with recursive n(i) as (select ${sql.lit(from)} union all select i + 1 from n where i + 1 < ${sql.lit(to)})`
    : sql`with n(i) as (select * from generate_series(${sql.lit(from)}, ${sql.lit(to - 1)}))`;

const fill = async (db: Db): Promise<void> => {
  await db.write(async (tx) => {
    const at = Date.now();
    const base = { created_at: at, updated_at: at, tier: 'free', status: 'active', settings: '{}' };
    await tx
      .insertInto('tenants')
      .values({ ...base, id: TENANT, slug: 'costs', name: 'Costs', external_id: null })
      .execute();
  });
  const step = (month.end - month.start) / ROWS;
  for (let from = 0; from < ROWS; from += BATCH) {
    const to = Math.min(ROWS, from + BATCH);
    await db.write(async (tx) => {
      await sql`insert into ledger (id, tenant_id, user_id, kind, agent_id, model, tool, conversation_id, run_id, request_id,
          input_tokens, output_tokens, cached_input_tokens, cache_write_tokens, reasoning_tokens, cost_nano, reported_nano,
          estimated, beyond_estimate, created_at)
        ${numbers(from, to)}
        select 'row-' || cast(i as text), ${TENANT}, case when i < 3 then 'few' else 'user-' || cast(i % ${sql.lit(USERS)} as text) end,
          'model', 'agent-' || cast(i % 6 as text), 'model-' || cast(i % 3 as text),
          case when i % 20 = 0 then 'shop.order' end, null, 'run-' || cast(i as text), null,
          700, 200, 100, 0, 0, 1000 + i % 1000, null, 0, 0,
          cast(${sql.lit(month.start)} + cast(i as bigint) * ${sql.lit(step)} as bigint) from n`.execute(tx);
    });
  }
};

const TICK_MS = 10;

/** User and system time in ms: of this process, and of PostgreSQL's for the connections. */
const cpuMs = async (db: Db): Promise<{ own: number; store: number }> => {
  const { user, system } = process.cpuUsage();
  const own = (user + system) / 1_000;
  if (DATABASE_URL === '') return { own, store: 0 };
  const pids = await sql<{
    pid: number;
  }>`select pid from pg_stat_activity where datname = current_database()`.execute(db.read);
  const store = pids.rows.reduce((sum, { pid }) => {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      return sum + (Number(fields[11]) + Number(fields[12])) * TICK_MS;
    } catch {
      return sum;
    }
  }, 0);
  return { own, store };
};

/** Of each of so many pieces of work since `before`. */
const cpuOf = (before: { own: number; store: number }, after: { own: number; store: number }, n: number) => ({
  own: (after.own - before.own) / n,
  store: (after.store - before.store) / n,
});

const median = async (work: () => Promise<unknown>): Promise<string> => {
  const times: number[] = [];
  for (let n = 0; n < 2; n++) await work();
  const before = await cpuMs(db);
  for (let n = 0; n < RUNS; n++) {
    const startedMs = performance.now();
    await work();
    times.push(performance.now() - startedMs);
  }
  const { own, store } = cpuOf(before, await cpuMs(db), RUNS);
  const median = times.sort((a, b) => a - b)[RUNS >> 1] ?? 0;
  return `${median.toFixed(1)} ms, CPU ${own.toFixed(1)} ms here and ${store.toFixed(1)} ms in PostgreSQL`;
};

const WRITES = 3_000;

/** CPU time of one row, as a chat books it: a transaction of its own, spread over users and models. */
const perRow = async (name: string): Promise<string> => {
  const book = (i: number): Promise<unknown> =>
    db.write((tx) =>
      tx
        .insertInto('ledger')
        .values({
          id: `${name}-${i}`,
          tenant_id: TENANT,
          user_id: `user-${i % USERS}`,
          kind: 'model',
          agent_id: `agent-${i % 6}`,
          model: `model-${i % 3}`,
          tool: null,
          conversation_id: null,
          run_id: null,
          request_id: null,
          input_tokens: 700,
          output_tokens: 200,
          cached_input_tokens: 100,
          cache_write_tokens: 0,
          reasoning_tokens: 0,
          cost_nano: 1_000,
          reported_nano: null,
          estimated: 0,
          beyond_estimate: 0,
          created_at: Date.now(),
        })
        .execute(),
    );
  for (let i = 0; i < 200; i++) await book(-1 - i);
  const before = await cpuMs(db);
  for (let i = 0; i < WRITES; i++) await book(i);
  const { own, store } = cpuOf(before, await cpuMs(db), WRITES);
  return `CPU ${((own + store) * 1_000).toFixed(0)} µs`;
};

const seconds = async (work: () => Promise<unknown>): Promise<string> => {
  const startedMs = performance.now();
  await work();
  return `${((performance.now() - startedMs) / 1000).toFixed(1)} s`;
};

const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-costs-'));
const db = await openStore(folder, DATABASE_URL);
const say = (what: string, figure: string): void => console.log(`${what.padEnd(46)}${figure}`);
try {
  const withTrigger = sql.raw(
    DATABASE_URL === '' ? 'select 1' : 'alter table ledger enable trigger ledger_sums',
  );
  const trigger = (
    await sql<{ text: string }>`select sql as text from sqlite_master where name = 'ledger_sums'`
      .execute(db.read)
      .catch(() => ({ rows: [] }))
  ).rows[0]?.text;
  const withoutTrigger = sql.raw(
    DATABASE_URL === '' ? 'drop trigger ledger_sums' : 'alter table ledger disable trigger ledger_sums',
  );
  await db.write((tx) => withoutTrigger.execute(tx));
  say(`${ROWS} rows written in`, await seconds(() => fill(db)));
  await db.write((tx) => (trigger === undefined ? withTrigger : sql.raw(trigger)).execute(tx));
  say('summed up (costs rebuild) in', await seconds(() => rebuildSums(db)));
  if (!values['only-sums'])
    say(
      'compared (costs check) in',
      await seconds(async () => {
        const [checked] = await checkSums(db);
        if (checked?.wrong.length !== 0) throw new Error('the sums are not those of the rows');
      }),
    );
  if (DATABASE_URL !== '') await sql`vacuum analyze`.execute(db.read);
  const tenant = { tenantId: TENANT, span: asked };
  const rows = (userId: string | null) => () => sumRows(db.read, { ...tenant, userId });
  if (!values['only-sums']) say('tenant, from rows', await median(rows(null)));
  say(
    `tenant, from sums (${values.zone})`,
    await median(() =>
      sumSums(db.read, { ...tenant, days: daysOf(values.zone, asked) }, { limit: 100, offset: 0 }),
    ),
  );
  say('one person with three rows', await median(rows('few')));
  say(`one person with ${Math.floor(ROWS / USERS)} rows`, await median(rows('user-7')));
  say('a row of the ledger, with the trigger', await perRow('with'));
  await db.write((tx) => withoutTrigger.execute(tx));
  say('a row of the ledger, without it', await perRow('without'));
} finally {
  await db.close();
  rmSync(folder, { recursive: true, force: true });
}
