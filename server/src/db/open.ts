import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import * as sqliteVec from 'sqlite-vec';
import { runDirectly } from './compiled.ts';
import type { Db } from './db.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import { SqliteConnection, sqliteDialect } from './sqlite/driver.ts';
import { createGroupCommit } from './sqlite/group-commit.ts';
import type { Tables } from './tables/index.ts';

export interface SqliteOptions {
  /** Path of the database file. */
  file: string;
  synchronous: 'full' | 'normal';
}

/** Opens a file with the pragmas and the vector extension that every connection of the platform needs. */
export const openSqliteFile = (
  file: string,
  options: { readOnly: boolean; synchronous: 'full' | 'normal' },
): DatabaseSync => {
  const db = new DatabaseSync(file, { readOnly: options.readOnly, allowExtension: true, timeout: 5_000 });
  sqliteVec.load(db);
  db.enableLoadExtension(false);
  if (!options.readOnly) db.exec(`pragma journal_mode = wal; pragma synchronous = ${options.synchronous}`);
  db.exec(
    'pragma foreign_keys = on; pragma temp_store = memory; pragma cache_size = -16000; pragma mmap_size = 268435456',
  );
  return db;
};

/** What SQLite lets the log grow to before it starts over: 1,000 pages of 4 KiB and their headers. */
const LOG_BYTES = 4_130_000;

/**
 * Brings the write-ahead log to its full size at once. It is deleted at every ordinary end, and as long as it grows,
 * each commit makes the file system write its own journal too: several times what a commit into a grown file takes.
 */
const growLog = (db: DatabaseSync): void => {
  db.exec(
    `drop table if exists log_filler; create table log_filler (bytes blob); insert into log_filler values (zeroblob(${LOG_BYTES})); drop table log_filler; pragma wal_checkpoint(restart)`,
  );
};

/** Two connections on one file: a writer inside group commits, and a reader that sees committed state only. */
export const openSqlite = async (options: SqliteOptions): Promise<Db> => {
  mkdirSync(path.dirname(options.file), { recursive: true, mode: 0o700 });
  const writerDb = openSqliteFile(options.file, { readOnly: false, synchronous: options.synchronous });
  const writer = new SqliteConnection(writerDb);
  const tx = new Kysely<Tables>({ dialect: sqliteDialect(writer) });
  await migrate(tx, 'sqlite', migrations);
  growLog(writerDb);
  const readerDb = openSqliteFile(options.file, { readOnly: true, synchronous: options.synchronous });
  const reader = new SqliteConnection(readerDb);
  const read = new Kysely<Tables>({ dialect: sqliteDialect(reader) });
  runDirectly(tx, writer);
  runDirectly(read, reader);
  const group = createGroupCommit(writer);
  return {
    dialect: 'sqlite',
    read,
    write: (work) => group.write(() => work(tx)),
    ping: async () => {
      await sql`select 1`.execute(read);
    },
    close: async () => {
      await group.idle();
      readerDb.close();
      writerDb.exec('pragma wal_checkpoint(truncate)');
      writerDb.close();
    },
  };
};

/** 64-bit integers arrive as numbers: all that are stored are safe integers (times in ms, nano-dollars, sizes). */
const numbers = new pg.TypeOverrides();
numbers.setTypeParser(pg.types.builtins.INT8, Number);
numbers.setTypeParser(pg.types.builtins.NUMERIC, Number);

export const openPostgres = async (options: { url: string; maxConnections?: number }): Promise<Db> => {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.maxConnections ?? 20,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    types: numbers,
  });
  // A connection that breaks is replaced by the pool, and what ran on it has failed; without a listener on each, in the
  // pool or in use, it would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const read = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  await migrate(read, 'postgres', migrations);
  return {
    dialect: 'postgres',
    read,
    write: (work) => read.transaction().execute(work),
    ping: async () => {
      await sql`select 1`.execute(read);
    },
    close: () => read.destroy(),
  };
};
