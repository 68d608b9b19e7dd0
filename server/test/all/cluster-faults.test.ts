import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import { type Gate, startGate } from '../support/balancer.ts';
import { type Client, createClient } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';
import { startTestProvider, type TestProvider } from '../support/provider.ts';
import {
  redisServer,
  StartFailure,
  startCluster,
  startProcess,
  type TestCluster,
} from '../support/server.ts';
import { newDatabase, postgresServer } from '../support/stores.ts';

/** What nodes share goes away and comes back, and nodes that do not fit together. */

/** Longer than a node may be silent: none may take the other for dead over it. */
const OUTAGE_MS = 30_000;
const redisUrl = redisServer ?? '';
const PLATFORM_KEY = 'a key that the nodes of these tests share';

const refusalOf = async (env: Record<string, string>): Promise<StartFailure> => {
  const failure = await startProcess({ env }).then(
    async (server) => {
      await server.close();
      return null;
    },
    (error: unknown) => error,
  );
  if (!(failure instanceof StartFailure)) throw new Error('the process started');
  expect(failure.code).toBe(1);
  // Words for the operator, no stack.
  expect(failure.stderr).not.toMatch(/\bat .*\.ts:\d+/);
  return failure;
};

describe('a node that does not fit', () => {
  let database: { url: string; drop(): Promise<void> };
  beforeAll(async () => {
    database = await newDatabase(postgresServer ?? '');
  });
  afterAll(() => database?.drop());

  it(req(
    'CLU-13',
    'is refused without Redis beside another one, in both orders, and with other keys',
  ), async () => {
    const base = { DATABASE_URL: database.url };
    const alone = await startProcess({ env: base });
    const [second, joining] = await Promise.all([
      refusalOf(base),
      refusalOf({ ...base, REDIS_URL: redisUrl, PLATFORM_KEY }),
    ]);
    expect(second.stderr).toContain('another Pentarch process is at work on this database');
    expect(joining.stderr).toContain('without REDIS_URL is at work on this database');
    const ready = async () => (await alone.anonymous().get('/ready')).status;
    await expect.poll(ready, { timeout: 60_000 }).toBe(200);
    // Killed without a word, it leaves its place at once.
    await alone.end('SIGKILL');
    const foreign = await refusalOf({ ...base, REDIS_URL: redisUrl, PLATFORM_KEY });
    expect(foreign.stderr).toContain('the keys of this node are not those of the platform');
    await alone.start();
    await expect.poll(ready, { timeout: 60_000 }).toBe(200);
    await alone.close();
  }, 180_000);

  it(req(
    'CLU-13',
    'is refused when REDIS_URL is set and no Redis answers, or without a shared store',
  ), async () => {
    const nobody = `redis://127.0.0.1:${await freePort()}`;
    const fresh = await newDatabase(postgresServer ?? '');
    const [away, sqlite] = await Promise.all([
      refusalOf({ DATABASE_URL: fresh.url, REDIS_URL: nobody }),
      refusalOf({ DATABASE_URL: '', REDIS_URL: nobody }),
    ]);
    expect(away.stderr).toContain('REDIS_URL is set, and no Redis answers there');
    expect(sqlite.stderr).toContain('REDIS_URL needs DATABASE_URL');
    await fresh.drop();
  }, 180_000);
});

describe('while what the nodes share is away', () => {
  let provider: TestProvider;
  let cluster: TestCluster;
  let admin: Client;
  let store: Gate;
  let redis: Gate;
  let database: { url: string; drop(): Promise<void> };
  let folder: string;
  beforeAll(async () => {
    provider = await startTestProvider();
    folder = mkdtempSync(path.join(tmpdir(), 'pentarch-faults-'));
    database = await newDatabase(postgresServer ?? '');
    const storeUrl = new URL(database.url);
    store = await startGate(storeUrl.hostname, Number(storeUrl.port));
    storeUrl.port = String(store.port);
    const shared = new URL(redisUrl);
    redis = await startGate(shared.hostname, Number(shared.port));
    shared.port = String(redis.port);
    cluster = await startCluster({
      nodes: 2,
      databaseUrl: storeUrl.href,
      redisUrl: shared.href,
      env: { MODEL: 'compatible/test-model', COMPATIBLE_BASE_URL: provider.url },
    });
    admin = await cluster.signIn();
  }, 240_000);
  afterAll(async () => {
    await cluster?.close();
    await store?.close();
    await redis?.close();
    await database?.drop();
    await provider?.close();
    rmSync(folder, { recursive: true });
  });
  const at = (i: number): Client => createClient(() => cluster.nodes[i]?.url ?? '', admin.token);
  const question = { message: 'How are you?', context: { agent_id: 'zeus' } };

  /** Writes without pause until told to stop; how many were acknowledged, as titles. */
  const write = () => {
    const acknowledged: string[] = [];
    const refused: { status: number; retryAfter: string | null }[] = [];
    let going = true;
    const done = (async () => {
      for (let n = 0; going; n++) {
        const title = `note ${n}`;
        const answer = await at(n % 2).post('/v2/conversations', { title });
        if (answer.status === 201) acknowledged.push(title);
        else refused.push({ status: answer.status, retryAfter: answer.headers.get('retry-after') });
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
    // Awaited at the end; a test that fails before must not fail once more for it.
    done.catch(() => {});
    return {
      acknowledged,
      refused,
      stop: () => {
        going = false;
        return done;
      },
    };
  };

  const titles = async (): Promise<Set<string>> => {
    const found = new Set<string>();
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: { items: { title: string }[]; next_cursor: string | null } = (
        await at(0).get(`/v2/conversations?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`)
      ).json();
      for (const item of page.items) found.add(item.title);
      cursor = page.next_cursor;
    }
    return found;
  };

  for (const [name, gate, how] of [
    ['the store is gone', () => store, 'cut'],
    ['Redis is gone', () => redis, 'cut'],
    ['the store takes everything and says nothing', () => store, 'freeze'],
    ['Redis takes everything and says nothing', () => redis, 'freeze'],
  ] as const) {
    const part = name.startsWith('Redis') ? 'redis' : 'store';
    it(req(
      ['CLU-14', 'OPS-20'],
      `${name}: 503 with Retry-After and not ready; back without a restart, nothing acknowledged is lost`,
    ), async () => {
      provider.always({ chunks: Array.from({ length: 40 }, (_, i) => `w${i} `), chunkDelayMs: 100 });
      const stream = await at(0).stream('/v2/chat/stream', question);
      await stream.until('message.delta');
      const writing = write();
      await expect.poll(() => writing.acknowledged.length).toBeGreaterThan(5);
      await (how === 'cut' ? gate().cut() : gate().freeze());
      await expect.poll(() => writing.refused.length, { timeout: 20_000 }).toBeGreaterThan(20);
      for (const i of [0, 1]) {
        const ready = await at(i).get('/ready');
        expect(ready.status).toBe(503);
        expect(ready.headers.get('retry-after')).not.toBeNull();
        // By its name, in the answer and once in the log.
        const { checks } = ready.json<{ checks: Record<string, { status: string }> }>();
        expect(checks[part]?.status).toBe('failed');
        await expect
          .poll(() => cluster.nodes[i]?.log.some((line) => String(line.msg).startsWith(`not ready: ${part}`)))
          .toBe(true);
        expect((await at(i).get('/health')).status).toBe(200);
      }
      // The model's answer comes to its end meanwhile, and waits to be stored.
      const rest = stream.rest();
      await delay(OUTAGE_MS);
      await expect.poll(() => provider.live, { timeout: 20_000 }).toBe(0);
      await gate().mend();
      for (const i of [0, 1]) {
        await expect
          .poll(async () => (await at(i).get('/ready')).status, { timeout: 10_000, interval: 200 })
          .toBe(200);
      }
      const before = writing.acknowledged.length;
      await expect.poll(() => writing.acknowledged.length, { timeout: 10_000 }).toBeGreaterThan(before + 5);
      await writing.stop();
      expect(writing.refused.map(({ status }) => status)).toEqual(writing.refused.map(() => 503));
      expect(writing.refused.every(({ retryAfter }) => Number(retryAfter) > 0)).toBe(true);
      const kept = await titles();
      expect(writing.acknowledged.filter((title) => !kept.has(title))).toEqual([]);
      expect((await rest).at(-1)?.event).toBe('message.completed');
      const next = await at(1).post('/v2/chat', question);
      expect(next.status).toBe(200);
    }, 180_000);
  }
});
