import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { newId } from '../server/src/kernel/ids.ts';
import type { Client } from '../server/test/support/client.ts';
import { startTestProvider } from '../server/test/support/provider.ts';
import { startServer } from '../server/test/support/server.ts';
import { fillChunks, multiplyChunks, type Owner, openStore, withoutIndexes, word } from './lib/chunks.ts';
import { cpuSeconds } from './lib/cpu.ts';
import { percentile } from './lib/measure.ts';

/**
 * How long a search takes, by the number of passages stored, alone and beside others:
 *
 *   node bench/search-time.ts [--chunks 1000,100000] [--tenants 20] [--runs 200] [--json]
 *
 * On SQLite; with DATABASE_URL set, on that (empty) PostgreSQL database, where above 100,000 must be a multiple of it. Passages are spread over the tenants; the first
 * one searches, with a new query each time, so that embedding the query is part of what is measured. "4 at once": three
 * other clients search without a pause meanwhile; "beside chats": four clients chat without a pause. Figures of a row: p50
 * and p95 in ms; what a search takes of the server's CPU in ms (with others beside it, theirs is in it; PostgreSQL's is
 * not); the load average of the machine when the row was done, which says how much of the times is waiting for others.
 */
const { values } = parseArgs({
  options: {
    chunks: { type: 'string', default: '1000,100000' },
    tenants: { type: 'string', default: '20' },
    runs: { type: 'string', default: '200' },
    json: { type: 'boolean', default: false },
  },
});
const RUNS = Number(values.runs);
const DATABASE_URL = process.env.DATABASE_URL ?? '';

/** On PostgreSQL more than these are copies (`multiplyChunks`). */
const WRITTEN = 100_000;

const post = async (client: Client, path: string, body: unknown): Promise<void> => {
  const answer = await client.post(path, body);
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
};

type Kind = 'three words' | 'rare word' | 'filtered' | 'nothing new';

const search = (client: Client, kind: Kind): Promise<void> => {
  const query =
    kind === 'nothing new'
      ? 'w5a w2b w1c'
      : `${word()} ${word()} ${kind === 'rare word' ? 'polishing' : word()}`;
  const filters = kind === 'filtered' ? { filters: { content_types: ['text'] } } : {};
  return post(client, '/api/v1/knowledge/search', { query, ...filters });
};

/** Repeats `work` until told to stop. */
const busy = (work: () => Promise<void>): (() => Promise<void>) => {
  let stopped = false;
  const running = (async () => {
    while (!stopped) await work();
  })();
  return () => {
    stopped = true;
    return running;
  };
};

interface Row {
  engine: string;
  chunks: number;
  tenants: number;
  search: Kind;
  load: string;
  p50Ms: number;
  p95Ms: number;
  cpuMs: number;
  loadAverage: number;
}
const rows: Row[] = [];

const measure = async (client: Client, kind: Kind): Promise<Pick<Row, 'p50Ms' | 'p95Ms' | 'cpuMs'>> => {
  const times: number[] = [];
  let cpuBefore = 0;
  for (let n = -5; n < RUNS; n += 1) {
    if (n === 0) cpuBefore = cpuSeconds(server.pid);
    const from = performance.now();
    await search(client, kind);
    if (n >= 0) times.push(performance.now() - from);
  }
  const cpuMs = ((cpuSeconds(server.pid) - cpuBefore) * 1000) / RUNS;
  return { p50Ms: percentile(times, 0.5) ?? 0, p95Ms: percentile(times, 0.95) ?? 0, cpuMs };
};

const provider = await startTestProvider({ tokens: 50 });
const server = await startServer({
  env: { DATABASE_URL, MODEL: 'compatible/test-model', COMPATIBLE_BASE_URL: provider.url, LOG_LEVEL: 'info' },
});
try {
  const first = await server.signIn();
  const me = (await first.get('/v2/users/me')).json<{ id: string; tenant_id: string }>();
  await post(first, '/api/v1/knowledge/documents', { title: 'First', content: 'Polishing the lens.' });
  const owners: Owner[] = [{ tenantId: me.tenant_id, userId: me.id }];
  for (let n = 1; n < Number(values.tenants); n += 1) {
    const made = await first.post('/v2/tenants', { name: `T ${n}`, slug: `t-${n}` });
    owners.push({ tenantId: made.json<{ id: string }>().id, userId: newId() });
  }
  let have = 0;
  for (const chunks of values.chunks.split(',').map(Number)) {
    await server.end('SIGTERM');
    const db = await openStore(server.dataDir, DATABASE_URL);
    const from = performance.now();
    const written = DATABASE_URL === '' ? chunks : Math.min(chunks, WRITTEN);
    const fill = async (): Promise<void> => {
      await fillChunks(db, server.dataDir, owners, have, written);
      if (chunks > written) await multiplyChunks(DATABASE_URL, chunks / written - 1);
    };
    await withoutIndexes(DATABASE_URL, fill);
    console.error(`${chunks - have} passages written in ${((performance.now() - from) / 1000).toFixed(1)} s`);
    await db.close();
    have = chunks;
    await server.start();
    const client = await server.signIn();
    const note = async (kind: Kind, load: string): Promise<void> => {
      const engine = DATABASE_URL === '' ? 'SQLite' : 'PostgreSQL';
      const figures = await measure(client, kind);
      rows.push({
        engine,
        chunks,
        tenants: owners.length,
        search: kind,
        load,
        ...figures,
        loadAverage: loadavg()[0] ?? 0,
      });
    };
    for (const kind of ['three words', 'rare word', 'filtered', 'nothing new'] as const)
      await note(kind, 'alone');
    const others = [1, 2, 3].map(() => busy(() => search(client, 'three words')));
    await note('three words', '4 at once');
    for (const stop of others) await stop();
    const chats = [1, 2, 3, 4].map(() =>
      busy(() => post(client, '/api/v1/chat', { message: 'And then?', context: { agent_id: 'zeus' } })),
    );
    await note('three words', 'beside chats');
    for (const stop of chats) await stop();
  }
  if (values.json) console.log(JSON.stringify(rows, null, 2));
  else {
    for (const row of rows) {
      const what = `${row.engine}, ${row.chunks.toLocaleString('en')} passages in ${row.tenants} tenants`;
      console.log(
        `${what.padEnd(46)}${row.search.padEnd(14)}${row.load.padEnd(14)}${row.p50Ms.toFixed(1).padStart(8)}${row.p95Ms.toFixed(1).padStart(9)}${row.cpuMs.toFixed(1).padStart(9)}${row.loadAverage.toFixed(1).padStart(7)}`,
      );
    }
  }
} finally {
  await server.close();
  await provider.close();
}
