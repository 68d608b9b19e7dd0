import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import { type Gate, startGate } from '../support/balancer.ts';
import { startProcess, type TestServer } from '../support/server.ts';
import { newDatabase, postgresServer } from '../support/stores.ts';

/** What a scrape gets while PostgreSQL is away: a process that is up must not look as if it were down. */

/** Prometheus waits ten seconds by default. */
const SCRAPE_MS = 8_000;

let server: TestServer;
let store: Gate;
let database: { url: string; drop(): Promise<void> };
beforeAll(async () => {
  database = await newDatabase(postgresServer ?? '');
  const url = new URL(database.url);
  store = await startGate(url.hostname, Number(url.port));
  url.port = String(store.port);
  server = await startProcess({ env: { DATABASE_URL: url.href } });
  const admin = await server.signIn();
  expect((await admin.post('/v2/chat', { message: 'hello' })).status).toBe(200);
}, 120_000);
afterAll(async () => {
  await server?.close();
  await store?.close();
  await database?.drop();
});

const scrape = async (): Promise<string> => {
  const answer = await fetch(`${server.url}/metrics`, { signal: AbortSignal.timeout(SCRAPE_MS) });
  expect(answer.status).toBe(200);
  return answer.text();
};
const isUp = async (): Promise<string | undefined> => /^pentarch_store_up (\d)$/m.exec(await scrape())?.[1];

describe.each([
  ['refuses connections', () => store.cut()],
  ['is gone without a word', () => Promise.resolve(store.freeze())],
])('a PostgreSQL that %s', (_how, goAway) => {
  it(req('RUN-21', 'leaves the figures of the process, and says that the store is away'), async () => {
    await expect.poll(isUp, { timeout: 60_000 }).toBe('1');
    const well = await scrape();
    expect(well).toMatch(/^pentarch_jobs\{state="queued"\} \d+$/m);
    expect(well).toMatch(/^pentarch_queue_depth\{queue="task\.run"\} 0$/m);
    expect(well).toMatch(/^pentarch_store_connections\{state="in_use"\} \d+$/m);
    expect(well).toMatch(/^pentarch_store_connections\{state="waiting"\} 0$/m);
    // Both clocks are this machine's.
    expect(Math.abs(Number(/^pentarch_clock_skew_seconds (\S+)$/m.exec(well)?.[1]))).toBeLessThan(1);
    await goAway();
    // Two questions within a moment are one scrape.
    await expect.poll(isUp).toBe('0');
    for (let i = 0; i < 3; i++) {
      const text = await scrape();
      expect(text).toMatch(/^pentarch_store_up 0$/m);
      expect(text).toMatch(/^process_resident_memory_bytes [1-9]/m);
      expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
      expect(text).toMatch(/^pentarch_data_free_bytes [1-9]/m);
      expect(text).toMatch(/^pentarch_active_runs 0$/m);
      expect(text).toMatch(/^pentarch_runs_total\{outcome="completed",agent="\w+",model="[^"]+"\} 1$/m);
      // Figures of the store that nobody knows are missing, not those of the last scrape.
      expect(text).not.toMatch(/^pentarch_(jobs|queue_depth|votes_waiting|nodes)\{/m);
      expect(text).not.toMatch(/^pentarch_(store_ping_seconds|reservations_open|clock_skew_seconds) /m);
    }
    await store.mend();
    await expect.poll(isUp, { timeout: 60_000 }).toBe('1');
  }, 180_000);
});
