import { afterAll, beforeAll } from 'vitest';
import { openPostgres } from '../../src/db/open.ts';
import { createPostgresJobs } from '../../src/jobs/index.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { jobsSuite } from '../suites/jobs.ts';
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
