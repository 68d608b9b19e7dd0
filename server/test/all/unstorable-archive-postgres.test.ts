import { afterAll } from 'vitest';
import { unstorableArchive } from '../suites/unstorable-archive.ts';
import { newDatabase, postgresServer } from '../support/stores.ts';

let drop = async (): Promise<void> => {};
afterAll(() => drop());

unstorableArchive(async () => {
  if (postgresServer === undefined) throw new Error('PostgreSQL has not been started');
  const database = await newDatabase(postgresServer);
  drop = database.drop;
  return { DATABASE_URL: database.url };
});
