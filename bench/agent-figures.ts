import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { metricsOf, totalsOf, WINDOWS_MS } from '../server/src/features/agents/rules.ts';
import { createRunTotals } from '../server/src/features/agents/totals.store.ts';
import { createChatStore, createRunSamples } from '../server/src/features/chat/index.ts';
import { iso } from '../server/src/kernel/clock.ts';
import { newId } from '../server/src/kernel/ids.ts';
import { openStore } from './lib/chunks.ts';

/**
 * What `GET agents/{id}/metrics?window=30d` asks of the store, over so many runs of one tenant in the month:
 *
 *   node bench/agent-figures.ts [--rows 100000] [--runs 15]
 *
 * On SQLite; with DATABASE_URL set, on that (empty) PostgreSQL database. Runs are spread evenly over the month and eleven agents.
 * `run by run` is what was done before: no more than the newest 50,000 runs, and all of them read. Prints the CPU time of this
 * process and the longest hold of its event loop.
 */
const { values } = parseArgs({
  options: { rows: { type: 'string', default: '100000' }, runs: { type: 'string', default: '15' } },
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

const measured = async (work: () => Promise<unknown>): Promise<string> => {
  await work();
  const held = monitorEventLoopDelay({ resolution: 1 });
  held.enable();
  const before = process.cpuUsage();
  const startedMs = performance.now();
  for (let n = 0; n < RUNS; n++) {
    await work();
    // The delay is noticed when the loop turns.
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const wall = (performance.now() - startedMs) / RUNS - 5;
  const { user, system } = process.cpuUsage(before);
  held.disable();
  return `${wall.toFixed(1)} ms, CPU ${((user + system) / 1_000 / RUNS).toFixed(1)} ms, loop held ${(held.max / 1e6).toFixed(0)} ms at most`;
};

try {
  await fill();
  const { runSamples } = createRunSamples(createChatStore(db, { nodeId: 'bench', alone: true }));
  const totals = createRunTotals(db);
  const span = { tenantId: TENANT, agentId: 'agent-3', since, until: now + 1 };
  console.log(
    'run by run        ',
    await measured(async () => {
      const own = (await runSamples(TENANT, since)).filter((sample) => sample.agentId === 'agent-3');
      return metricsOf('30d', totalsOf(own), iso);
    }),
  );
  console.log('added up by store ', await measured(async () => metricsOf('30d', await totals(span), iso)));
} finally {
  await db.close();
  rmSync(folder, { recursive: true, force: true });
}
