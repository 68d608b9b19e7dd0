import { cpSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { costStressSuite } from '../suites/cost-stress.ts';
import { startServer } from '../support/server.ts';
import { newDatabase, postgresServer } from '../support/stores.ts';

/** Two processes share a database, and the files in `keys/`. */
costStressSuite('PostgreSQL with two processes', async (env) => {
  if (postgresServer === undefined) throw new Error('TEST_DATABASE_URL names no PostgreSQL');
  const { url } = await newDatabase(postgresServer);
  const shared = { ...env, DATABASE_URL: url };
  const first = await startServer({ env: shared });
  const dataDir = path.join(mkdtempSync(path.join(tmpdir(), 'pentarch-second-')), 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  cpSync(path.join(first.dataDir, 'keys'), path.join(dataDir, 'keys'), { recursive: true });
  const second = await startServer({ env: { ...shared, PUBLIC_URL: first.url }, dataDir });
  return [first, second];
});
