import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import type { Db } from '../../src/db/db.ts';
import { openPostgres, openSqlite } from '../../src/db/open.ts';
import { prepared } from './prepared.ts';

/** Empty stores for tests: on SQLite, or on PostgreSQL where TEST_DATABASE_URL names a server that may make databases. */
export interface TestStore {
  name: string;
  open(): Promise<{ db: Db; again(): Promise<Db>; drop(): Promise<void> }>;
}

let emptyFile: Promise<string> | null = null;
/** A store without rows, whose schema is made once for all tests of a process. */
const emptySqlite = async (): Promise<string> => {
  if (prepared !== null) return prepared.sqliteFile;
  const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-empty-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'empty.sqlite');
  await (await openSqlite({ file, synchronous: 'normal' })).close();
  return file;
};

const sqlite: TestStore = {
  name: 'sqlite',
  async open() {
    const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-test-'));
    const options = { file: path.join(folder, 'p.sqlite'), synchronous: 'normal' } as const;
    emptyFile ??= emptySqlite();
    copyFileSync(await emptyFile, options.file);
    const opened: Db[] = [];
    const again = async () => {
      const db = await openSqlite(options);
      opened.push(db);
      return db;
    };
    return {
      db: await again(),
      again,
      async drop() {
        for (const db of opened) await db.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
};

/** Where test:all has started PostgreSQL (scripts/test-all.ts); a name for a database of one test on it. */
export const postgresServer: string | undefined = process.env.TEST_DATABASE_URL;
interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}
const createDatabase = async (server: string, template: string | null): Promise<TestDatabase> => {
  const name = `pentarch_${process.pid}_${Date.now().toString(36)}_${Math.random().toString(36).slice(2, 8)}`;
  await admin(server, `create database ${name}${template === null ? '' : ` template ${template}`}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => admin(server, `drop database ${name} with (force)`) };
};
/** With nothing in it. */
export const newDatabase = (server: string): Promise<TestDatabase> => createDatabase(server, null);
/** With the schema, where it is prepared: the same after a start, for less than half of its time. */
export const migratedDatabase = (server: string): Promise<TestDatabase> =>
  createDatabase(server, prepared?.postgresTemplate ?? null);

const admin = async (url: string, statement: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
};

const postgres = (server: string): TestStore => ({
  name: 'postgres',
  async open() {
    const { url, drop } = await migratedDatabase(server);
    const opened: Db[] = [];
    const again = async () => {
      const db = await openPostgres({ url, maxConnections: 8, unscoped: 'all' });
      opened.push(db);
      return db;
    };
    return {
      db: await again(),
      again,
      async drop() {
        for (const db of opened) await db.close();
        await drop();
      },
    };
  },
});

/** The engine of this run: what test:all holds on PostgreSQL, the commands before it have held on SQLite. */
export const testStores: TestStore[] = [postgresServer === undefined ? sqlite : postgres(postgresServer)];
