import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import { type Gate, startGate } from '../support/balancer.ts';
import type { Client } from '../support/client.ts';
import { expectAlert, sampleOf, scrapeOf } from '../support/provoked-alerts.ts';
import { redisServer, startProcess, type TestServer } from '../support/server.ts';
import { newDatabase, postgresServer } from '../support/stores.ts';

/** The alerts of what stands around a node: its PostgreSQL and Redis are taken away, and its clock is moved (libfaketime). */

const [LIBRARY] = globSync('/usr/lib/*/faketime/libfaketime.so.1');
let folder: string;
let database: { url: string; drop(): Promise<void> };
let store: Gate;
let redis: Gate;
let server: TestServer;
let admin: Client;

/** The same address by way of a gate. */
const gated = async (address: string): Promise<{ gate: Gate; url: string }> => {
  const url = new URL(address);
  const gate = await startGate(url.hostname, Number(url.port));
  url.port = String(gate.port);
  return { gate, url: url.href };
};
const setClock = (offsetS: number): void =>
  writeFileSync(path.join(folder, 'offset'), `${offsetS < 0 ? '' : '+'}${offsetS}\n`);

beforeAll(async () => {
  if (LIBRARY === undefined) throw new Error('libfaketime is missing: apt-get install faketime');
  folder = mkdtempSync(path.join(tmpdir(), 'pentarch-services-'));
  setClock(0);
  database = await newDatabase(postgresServer ?? '');
  const [ofStore, ofRedis] = [await gated(database.url), await gated(redisServer ?? '')];
  [store, redis] = [ofStore.gate, ofRedis.gate];
  server = await startProcess({
    env: {
      DATABASE_URL: ofStore.url,
      REDIS_URL: ofRedis.url,
      PLATFORM_KEY: 'a key that stands in no folder of it',
      RATE_LIMITS: 'off',
      LD_PRELOAD: LIBRARY,
      FAKETIME_TIMESTAMP_FILE: path.join(folder, 'offset'),
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
  });
  admin = await server.signIn();
}, 180_000);
afterAll(async () => {
  await server?.close();
  await store?.close();
  await redis?.close();
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

const figure = async (name: string, labels: Record<string, string> = {}) =>
  sampleOf(await scrapeOf(server.url), name, labels);
const becomes = (name: string, value: number) =>
  expect.poll(() => figure(name), { timeout: 120_000 }).toBe(value);
const provoked = (alert: string, provoke: () => Promise<unknown>): Promise<void> =>
  expectAlert(alert, {
    url: server.url,
    ordinary: async () => expect((await admin.get('/v2/conversations')).status).toBe(200),
    provoke,
  });
/** As long as something is away, also these ask for it; what they are answered counts. */
const refusals = (n: number): Promise<unknown> =>
  Promise.all(
    Array.from({ length: n }, async () => expect((await admin.get('/v2/conversations')).status).toBe(503)),
  );
const allIsWell = () =>
  expect.poll(async () => (await server.anonymous().get('/ready')).status, { timeout: 120_000 }).toBe(200);

describe(req('OPS-10', 'provoked around a node'), () => {
  it('a store that is away', async () => {
    await provoked('PentarchStoreAway', async () => {
      await store.cut();
      await becomes('pentarch_store_up', 0);
    });
    await store.mend();
    await allIsWell();
  }, 300_000);

  it('answers of the kind 503 meanwhile', async () => {
    await provoked('PentarchUnavailable', async () => {
      await store.cut();
      await becomes('pentarch_store_up', 0);
      await refusals(40);
    });
    await store.mend();
    await allIsWell();
  }, 300_000);

  it('a Redis that is away', async () => {
    await provoked('PentarchRedisAway', async () => {
      await redis.cut();
      await becomes('pentarch_redis_up', 0);
    });
    await redis.mend();
    await allIsWell();
  }, 300_000);

  it('work that waits for a connection to the store', async () => {
    let asked: Promise<unknown> = Promise.resolve();
    await provoked('PentarchStoreBusy', async () => {
      store.freeze();
      asked = Promise.all(Array.from({ length: 60 }, () => admin.get('/v2/conversations')));
      await expect
        .poll(() => figure('pentarch_store_connections', { state: 'waiting' }), { timeout: 60_000 })
        .toBeGreaterThan(10);
    });
    await store.mend();
    await asked;
    await allIsWell();
  }, 300_000);

  it('a clock that is off, in either direction', async () => {
    for (const offsetS of [60, -60]) {
      await provoked('PentarchClockSkew', async () => {
        setClock(offsetS);
        await expect
          .poll(async () => Math.round((await figure('pentarch_clock_skew_seconds')) ?? 0), {
            timeout: 120_000,
          })
          .toBe(offsetS);
      });
      setClock(0);
      await expect
        .poll(async () => Math.abs((await figure('pentarch_clock_skew_seconds')) ?? 60), { timeout: 120_000 })
        .toBeLessThan(1);
    }
  }, 300_000);
});
