import { loadavg } from 'node:os';
import { createClient } from '../../server/test/support/client.ts';
import { startTestProvider } from '../../server/test/support/provider.ts';
import { startCluster, startProcess, type TestServer } from '../../server/test/support/server.ts';
import { newDatabase } from '../../server/test/support/stores.ts';
import { sentence } from './chunks.ts';
import { type LoadJob, type LoadResult, startLoad } from './load.ts';

/** Requests per second and p99 of chat and search: one process on SQLite, one node and two on PostgreSQL and Redis. */

const CONNECTIONS = 16;
const WARM_MS = 3_000;
const WINDOW_MS = 8_000;
const DOCUMENTS = 40;
const LAST_TOKEN = ' t49';

const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;

/** The same job to each node, on its share of the connections, at once. */
const runOn = async (
  nodes: readonly TestServer[],
  job: Pick<LoadJob, 'body' | 'expect' | 'headers'> & { path: string },
): Promise<string> => {
  const loads = nodes.map(() => startLoad());
  try {
    const results: LoadResult[] = await Promise.all(
      nodes.map((node, i) => {
        const load = loads[i];
        if (load === undefined) throw new Error('each node has its load');
        return load.run({
          ...job,
          url: `${node.url}${job.path}`,
          method: 'POST',
          connections: CONNECTIONS / nodes.length,
          spreadMs: 0,
          warmMs: WARM_MS,
          windowMs: WINDOW_MS,
          maxRequests: 1_000_000,
          pid: node.pid,
        });
      }),
    );
    const failed = results.find((result) => result.failures > 0);
    if (failed !== undefined) throw new Error(`${failed.failures} failed: ${failed.firstFailure}`);
    const perSecond = results.reduce((sum, result) => sum + result.requests / result.seconds, 0);
    const perCpu =
      results.reduce((sum, r) => sum + r.requests, 0) / results.reduce((sum, r) => sum + r.cpuSeconds, 0);
    const p99 = percentile(
      results.flatMap((result) => result.latenciesMs),
      0.99,
    );
    return `${perSecond.toFixed(0)}/s, p99 ${p99.toFixed(0)} ms, ${perCpu.toFixed(0)} a CPU second, load average ${loadavg()[0]?.toFixed(1)}`;
  } finally {
    await Promise.all(loads.map((load) => load.close()));
  }
};

const measure = async (title: string, server: TestServer, nodes: readonly TestServer[]): Promise<void> => {
  const admin = await server.signIn();
  for (let n = 0; n < DOCUMENTS; n++) {
    const made = await createClient(() => nodes[0]?.url ?? '', admin.token).post('/v2/knowledge/documents', {
      title: `Book ${n}`,
      content: Array.from({ length: 20 }, () => sentence(60)).join('\n\n'),
    });
    if (made.status >= 300) throw new Error(made.text);
  }
  const headers = { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' };
  const chat = { message: 'Say the fixed answer.', context: { agent_id: 'zeus' } };
  console.log(
    `${title.padEnd(34)} chat    ${await runOn(nodes, { path: '/api/v1/chat', body: JSON.stringify(chat), expect: LAST_TOKEN, headers })}`,
  );
  const search = { query: 'w5k w2b w1a %n' };
  console.log(
    `${title.padEnd(34)} search  ${await runOn(nodes, { path: '/api/v1/knowledge/search', body: JSON.stringify(search), expect: '"results"', headers })}`,
  );
};

/** `postgresUrl`: a server on which databases may be made. */
export const measureNodes = async (postgresUrl: string, redisUrl: string): Promise<void> => {
  const provider = await startTestProvider({ tokens: 50 });
  const env = { MODEL: 'compatible/test-model', COMPATIBLE_BASE_URL: provider.url, LOG_LEVEL: 'info' };
  try {
    const alone = await startProcess({ env: { ...env, DATABASE_URL: '' } });
    await measure('SQLite, one process', alone, [alone]).finally(() => alone.close());
    for (const nodes of [1, 2]) {
      const database = await newDatabase(postgresUrl);
      const cluster = await startCluster({ nodes, env, databaseUrl: database.url, redisUrl });
      await measure(
        `PostgreSQL + Redis, ${nodes === 1 ? 'one node' : 'two nodes'}`,
        cluster,
        cluster.nodes,
      ).finally(async () => {
        await cluster.close();
        await database.drop();
      });
    }
  } finally {
    await provider.close();
  }
};
