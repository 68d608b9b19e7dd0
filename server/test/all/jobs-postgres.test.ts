import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPostgres } from '../../src/db/open.ts';
import type { JobKind } from '../../src/jobs/index.ts';
import { createPostgresJobs } from '../../src/jobs/postgres.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { req } from '../requirements.ts';
import { jobsSuite, noteKind } from '../suites/jobs.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';

let postgres: TestPostgres | null = null;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => {
  await postgres?.stop();
});

jobsSuite('PostgreSQL', async () => {
  if (postgres === null) throw new Error('PostgreSQL has not been started');
  const url = await postgres.freshUrl();
  const db = await openPostgres({ url, maxConnections: 5, unscoped: 'all' });
  const errors: unknown[] = [];
  return {
    db,
    jobs: () =>
      createPostgresJobs({ db, url, clock: systemClock, onError: (error) => errors.push(error), pollS: 0.5 }),
    close: () => db.close(),
  };
});

it(req('CLU-19', 'a payload of a later release waits for a node that reads it'), async () => {
  if (postgres === null) throw new Error('PostgreSQL has not been started');
  const url = await postgres.freshUrl();
  const db = await openPostgres({ url, maxConnections: 5, unscoped: 'all' });
  const kind = noteKind('t.roll');
  /** The same kind a release later. */
  const later: JobKind<{ v: 1 | 2; text: string }> = {
    ...kind,
    version: 2,
    parse: (stored) =>
      typeof stored === 'object' && stored !== null && 'v' in stored && stored.v === 2 && 'words' in stored
        ? { v: 2, text: String(stored.words) }
        : kind.parse(stored),
  };
  const release = () =>
    createPostgresJobs({ db, url, clock: systemClock, onError: () => {}, pollS: 0.5, newerAgainMs: 100 });
  const seen: string[] = [];
  const old = release();
  old.work(kind, { concurrency: 2 }, { run: async (note) => void seen.push(`old ${note.text}`) });
  await old.start();
  const next = release();
  await db.write(async (tx) => {
    await old.enqueue(tx, { ...later, parse: () => ({ v: 2, text: '' }) }, JSON.parse('{"v":2,"words":"b"}'));
    await old.enqueue(tx, later, { v: 1, text: 'a' });
  });
  await expect.poll(() => seen, { timeout: 30_000 }).toEqual(['old a']);
  expect((await old.depth()).dead).toBe(0);
  next.work(
    later,
    { concurrency: 2 },
    { run: async (note, { attempt }) => void seen.push(`new ${note.text} ${attempt}`) },
  );
  await next.start();
  await expect.poll(() => seen, { timeout: 30_000 }).toEqual(['old a', 'new b 1']);
  expect((await next.depth()).dead).toBe(0);
  await Promise.all([old.stop(0), next.stop(0)]);
  await db.close();
}, 120_000);
