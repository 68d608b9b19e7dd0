import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../server/test/support/client.ts';
import { pgvectorBinaries } from '../server/test/support/pgvector.ts';
import { startPostgres } from '../server/test/support/postgres.ts';
import { startTestProvider } from '../server/test/support/provider.ts';
import { startRedis } from '../server/test/support/redis.ts';
import { startCluster } from '../server/test/support/server.ts';

/**
 * Slots of a schedule in real time: three processes on one PostgreSQL and one Redis, a task of every minute whose run
 * takes 90 s. Each process in turn is killed with SIGKILL, whatever it does, and started again ten seconds later. Prints
 * each slot with its runs; ends with 1 where a slot has none or two. `node bench/slots.ts [minutes]`
 */
const minutes = Number(process.argv[2] ?? '10');
const RUN_MS = 90_000;
const MINUTE_MS = 60_000;

interface Run {
  id: string;
  status: string;
  scheduled_for: string | null;
  started_at: string | null;
  finished_at: string | null;
  attempts?: number;
}

const postgres = await startPostgres(pgvectorBinaries() ?? undefined);
const redis = await startRedis();
const provider = await startTestProvider({ tokens: 8, firstByteDelayMs: RUN_MS });
const cluster = await startCluster({
  nodes: 3,
  databaseUrl: await postgres.freshUrl(),
  redisUrl: redis.url,
  env: { MODEL: 'compatible/test', COMPATIBLE_BASE_URL: provider.url },
});
try {
  const { token } = await cluster.signIn();
  const client = createClient(() => cluster.url, token);
  const made = await client.post('/v2/tasks', {
    description: 'Look at the lights.',
    agent_id: 'iris',
    cron: '* * * * *',
    timezone: 'UTC',
    overlap: 'queue',
  });
  if (made.status !== 201) throw new Error(`${made.status} ${made.text}`);
  const { id } = made.json<{ id: string }>();
  const runs = async (): Promise<Run[]> => {
    const all: Run[] = [];
    for (let page = 1; ; page++) {
      const answer = (await client.get(`/v2/tasks/${id}/runs?limit=100&page=${page}`)).json<{
        items: Run[];
        has_more: boolean;
      }>();
      all.push(...answer.items);
      if (!answer.has_more) return all;
    }
  };
  const startedAt = Date.now();
  const passed = (): number => (Date.now() - startedAt) / (minutes * MINUTE_MS);
  for (const [i, node] of cluster.nodes.entries()) {
    while (passed() < (i + 1) / (cluster.nodes.length + 1)) await sleep(1_000);
    await node.end('SIGKILL');
    process.stdout.write(`${new Date().toISOString()}  process ${i + 1} of ${cluster.nodes.length} killed\n`);
    await sleep(10_000);
    await node.start();
  }
  while (passed() < 1) await sleep(1_000);
  const found = (await runs()).sort((a, b) => String(a.scheduled_for).localeCompare(String(b.scheduled_for)));
  const slots = new Map<string, Run[]>();
  for (const run of found)
    slots.set(String(run.scheduled_for), [...(slots.get(String(run.scheduled_for)) ?? []), run]);
  for (const [slot, of] of slots) {
    const text = of
      .map((run) => `${run.status} ${run.started_at ?? '-'} → ${run.finished_at ?? '-'}`)
      .join('; ');
    process.stdout.write(`${slot}  ${of.length}  ${text}\n`);
  }
  const times = [...slots.keys()].map((slot) => Date.parse(slot));
  const expected = (Math.max(...times) - Math.min(...times)) / MINUTE_MS + 1;
  const good = slots.size === expected && [...slots.values()].every((of) => of.length === 1);
  process.stdout.write(
    `${slots.size} slots of ${expected}, ${found.length} runs, ${provider.meter.length} calls of the model: ${good ? 'one run each' : 'NOT one run each'}\n`,
  );
  process.exitCode = good ? 0 : 1;
} finally {
  await cluster.close();
  await provider.close();
  await redis.stop();
  await postgres.stop();
}
