import { afterAll, beforeAll } from 'vitest';
import { openPostgres } from '../../src/db/open.ts';
import { memoryDialogSuite } from '../suites/memory-dialogs.ts';
import { memoryHttpSuite } from '../suites/memory-http.ts';
import { memoryStoreSuite } from '../suites/memory-store.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';

let postgres: TestPostgres | null = null;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => {
  await postgres?.stop();
});

const open = async () => {
  if (postgres === null) throw new Error('PostgreSQL has not been started');
  return openPostgres({ url: await postgres.freshUrl(), maxConnections: 10, unscoped: 'all' });
};

memoryStoreSuite('PostgreSQL', open);
memoryHttpSuite('PostgreSQL', open);
memoryDialogSuite('PostgreSQL', open);
