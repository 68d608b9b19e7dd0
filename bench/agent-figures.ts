import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { metricsOf, NO_TOTALS, WINDOWS_MS } from '../server/src/features/agents/rules.ts';
import { checkRunSums, createRunFigures } from '../server/src/features/agents/run-figures.ts';
import { runSamples } from '../server/src/features/chat/index.ts';
import { iso } from '../server/src/kernel/clock.ts';
import { newId } from '../server/src/kernel/ids.ts';
import { openStore } from './lib/chunks.ts';

/**
 * What `GET agents/{id}/metrics?window=30d` and `GET agents` ask of the store, over so many runs of one tenant in the month:
 *
 *   node bench/agent-figures.ts [--rows 100000] [--runs 15] [--only-sums]
 *
 * On SQLite; with DATABASE_URL set, on that (empty) PostgreSQL database. Runs are spread evenly over the month and eleven agents.
 * `from rows` is what was done before there were sums. Prints wall time, the CPU time of this process and of PostgreSQL's for the
 * connections, where it is on this machine, and the longest hold of the event loop.
 */
const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000' },
    runs: { type: 'string', default: '15' },
    'only-sums': { type: 'boolean', default: false },
  },
});
const ROWS = Number(values.rows);
const RUNS = Number(values.runs);
const DATABASE_URL = process.env.DATABASE_URL ?? '';
const TENANT = newId();
const BATCH = 50_000;
const AGENTS = 11;
const now = Date.now();
const since = now - WINDOWS_MS['30d'];

const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-figures-'));
const db = await openStore(folder, DATABASE_URL);

const numbers = (from: number, to: number) =>
  DATABASE_URL === ''
    ? sql`with recursive n(i) as (select ${sql.lit(from)} union all select i + 1 from n where i + 1 < ${sql.lit(to)})`
    : sql`with n(i) as (select * from generate_series(${sql.lit(from)}, ${sql.lit(to - 1)}))`;

const fill = async (): Promise<void> => {
  await db.write(async (tx) => {
    const base = { created_at: now, updated_at: now, tier: 'free', status: 'active', settings: '{}' };
    await tx
      .insertInto('tenants')
      .values({ ...base, id: TENANT, slug: 'figures', name: 'Figures', external_id: null })
      .execute();
    await sql`insert into conversations (id, tenant_id, user_id, status, metadata, agent_ids, message_count, cost_nano, created_at, updated_at)
      values ('c', ${TENANT}, 'ada', 'active', '{}', '[]', 0, 0, 1, 1)`.execute(tx);
  });
  const step = WINDOWS_MS['30d'] / ROWS;
  for (let from = 0; from < ROWS; from += BATCH) {
    const to = Math.min(ROWS, from + BATCH);
    await db.write((tx) =>
      sql`insert into runs (id, tenant_id, user_id, conversation_id, message_id, question_id, status, agent_id, agent_ids, request,
          usage, cost_nano, journal, tool_call_count, first_token_ms, created_at, finished_at)
        ${numbers(from, to)}
        select 'run-' || cast(i as text), ${TENANT}, 'ada', 'c', 'm', 'q', 'completed', 'agent-' || cast(i % ${sql.lit(AGENTS)} as text),
          '[]', '{}', '{"input_tokens":700,"output_tokens":200,"cached_input_tokens":100,"cost_usd":0.000001}', 1000, '{"v":1,"events":[]}',
          i % 3, 300 + i % 500, cast(${sql.lit(since)} + cast(i as bigint) * ${sql.lit(step)} as bigint),
          cast(${sql.lit(since)} + cast(i as bigint) * ${sql.lit(step)} as bigint) + 900 + i % 4000 from n`.execute(
        tx,
      ),
    );
  }
  if (DATABASE_URL !== '') await sql`vacuum analyze`.execute(db.read);
};

const TICK_MS = 10;

/** User and system time in ms of PostgreSQL's processes for the connections. */
const storeMs = async (): Promise<number> => {
  if (DATABASE_URL === '') return 0;
  const { rows } = await sql<{
    pid: number;
  }>`select pid from pg_stat_activity where datname = current_database()`.execute(db.read);
  return rows.reduce((sum, { pid }) => {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      return sum + (Number(fields[11]) + Number(fields[12])) * TICK_MS;
    } catch {
      return sum;
    }
  }, 0);
};

const measured = async (work: () => Promise<unknown>): Promise<string> => {
  await work();
  const held = monitorEventLoopDelay({ resolution: 1 });
  held.enable();
  const before = process.cpuUsage();
  const inStore = await storeMs();
  const times: number[] = [];
  for (let n = 0; n < RUNS; n++) {
    const startedMs = performance.now();
    await work();
    times.push(performance.now() - startedMs);
    // The delay is noticed when the loop turns.
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const { user, system } = process.cpuUsage(before);
  held.disable();
  const store = (await storeMs()) - inStore;
  times.sort((a, b) => a - b);
  return `median ${(times[RUNS >> 1] ?? 0).toFixed(1)} ms, least ${(times[0] ?? 0).toFixed(1)} ms, CPU ${((user + system) / 1_000 / RUNS).toFixed(1)} ms here and ${(store / RUNS).toFixed(1)} ms in PostgreSQL, loop held ${(held.max / 1e6).toFixed(0)} ms at most`;
};

const AGENT_IDS = Array.from({ length: AGENTS }, (_, n) => `agent-${n}`);
const create = (manyRuns: number) =>
  createRunFigures({
    db,
    clock: { now: () => now },
    agentIds: AGENT_IDS,
    manyRuns,
    samples: runSamples,
    onError: (error) => {
      throw error;
    },
  });

try {
  const writtenMs = performance.now();
  await fill();
  console.log(`${ROWS} runs written in ${((performance.now() - writtenMs) / 1000).toFixed(1)} s`);
  const one = { tenantId: TENANT, agentIds: ['agent-3'], since };
  const all = { tenantId: TENANT, agentIds: AGENT_IDS, since: now - WINDOWS_MS['24h'] };
  const figures = (from: ReturnType<typeof create>) => async () =>
    metricsOf('30d', (await from.figures(one)).get('agent-3') ?? NO_TOTALS, iso);
  const rows = create(Number.MAX_SAFE_INTEGER);
  const sums = create(500);
  const exact = values['only-sums'] ? null : await figures(rows)();
  if (exact !== null) {
    console.log('metrics of an agent, 30d, from rows ', await measured(figures(rows)));
    console.log('list of agents, 24h, from rows      ', await measured(() => rows.figures(all)));
  }
  const sealedMs = performance.now();
  await sums.figures(all);
  await sums.settled();
  console.log(`summed up in ${((performance.now() - sealedMs) / 1000).toFixed(1)} s`);
  if (DATABASE_URL !== '') await sql`vacuum analyze run_sums`.execute(db.read);
  console.log('metrics of an agent, 30d, from sums ', await measured(figures(sums)));
  console.log('list of agents, 24h, from sums      ', await measured(() => sums.figures(all)));
  if (exact !== null) {
    console.log('exact   ', JSON.stringify(exact));
    console.log('by sums ', JSON.stringify(await figures(sums)()));
    const [checked] = await checkRunSums(db, runSamples, AGENT_IDS);
    if (checked?.wrong.length !== 0) throw new Error('the sums are not those of the rows');
  }
  await sums.close();
} finally {
  await db.close();
  rmSync(folder, { recursive: true, force: true });
}
