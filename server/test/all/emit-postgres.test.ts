import { afterAll, beforeAll } from 'vitest';
import { openPostgres } from '../../src/db/open.ts';
import { emitSuite } from '../suites/emit.ts';
import { startPostgres } from '../support/postgres.ts';

let postgres: Awaited<ReturnType<typeof startPostgres>> | null = null;
beforeAll(async () => {
  postgres = await startPostgres();
}, 120_000);
afterAll(() => postgres?.stop());

emitSuite('PostgreSQL', async () => {
  if (postgres === null) throw new Error('PostgreSQL has not been started');
  const db = await openPostgres({ url: await postgres.freshUrl(), maxConnections: 4, unscoped: 'all' });
  return { db, close: () => db.close() };
});
