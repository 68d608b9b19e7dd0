import { closeSync, fdatasync, fstatSync, mkdirSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import * as sqliteVec from 'sqlite-vec';
import { runDirectly } from './compiled.ts';
import type { Db } from './db.ts';
import { isSacrificed } from './faults.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import { createChangedRows } from './sqlite/changed-rows.ts';
import { createCheckpointer, LOG_FRAMES } from './sqlite/checkpointer.ts';
import { SqliteConnection, sqliteDialect } from './sqlite/driver.ts';
import { createGroupCommit } from './sqlite/group-commit.ts';
import type { Tables } from './tables/index.ts';

export interface SqliteOptions {
  /** Path of the database file. */
  file: string;
  synchronous: 'full' | 'normal';
  /** Told of faults in the background, which harm nothing yet. */
  onError?(error: unknown): void;
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

/** The log when it is brought over: its pages with a header each, and some more that come meanwhile. */
const LOG_BYTES = (LOG_FRAMES + 250) * (4_096 + 24);

/**
 * Brings the write-ahead log to its full size at once. It is deleted at every ordinary end, and as long as it grows,
 * each synchronisation makes the file system write its own journal too: several times what one of a grown file takes.
 * What stands behind the last frame means nothing to SQLite. To be called before the first write.
 */
const growLog = (file: string): void => {
  const log = openSync(`${file}-wal`, 'r+');
  try {
    const zeros = Buffer.alloc(1 << 20);
    for (let at = fstatSync(log).size; at < LOG_BYTES; at += zeros.length)
      writeSync(log, zeros, 0, Math.min(zeros.length, LOG_BYTES - at), at);
  } finally {
    closeSync(log);
  }
};

/** Brings the write-ahead log to the disk, off this thread. Locks stand on other files, so that opening it here is safe. */
const logSync = (file: string) => {
  const log = openSync(`${file}-wal`, 'r+');
  const sync = promisify(fdatasync);
  return { sync: () => sync(log), close: () => closeSync(log) };
};

/** Two connections on one file: a writer inside group commits, and a reader that sees committed state only. */
export const openSqlite = async (options: SqliteOptions): Promise<Db> => {
  mkdirSync(path.dirname(options.file), { recursive: true, mode: 0o700 });
  // With `full` SQLite would wait for the disk itself, on this thread, at every commit: the log is synchronised here.
  const writerDb = openSqliteFile(options.file, { readOnly: false, synchronous: 'normal' });
  const writer = new SqliteConnection(writerDb);
  const tx = new Kysely<Tables>({ dialect: sqliteDialect(writer) });
  await migrate(tx, 'sqlite', migrations);
  writerDb.exec('pragma wal_autocheckpoint = 0');
  growLog(options.file);
  const log = options.synchronous === 'full' ? logSync(options.file) : null;
  const readerDb = openSqliteFile(options.file, { readOnly: true, synchronous: 'normal' });
  const reader = new SqliteConnection(readerDb);
  const read = new Kysely<Tables>({ dialect: sqliteDialect(reader) });
  runDirectly(tx, writer);
  runDirectly(read, reader);
  const checkpointer = createCheckpointer({
    file: options.file,
    first: (sql) => writer.run<Record<string, unknown>>(sql, []).rows[0],
    onError: options.onError ?? (() => {}),
  });
  const changed = createChangedRows(writerDb);
  const steps = {
    step(sql: string): void {
      writer.step(sql);
      if (sql === 'commit') changed.committed();
    },
  };
  const group = createGroupCommit(steps, log?.sync ?? null, checkpointer.committed);
  return {
    dialect: 'sqlite',
    read,
    write: (work, how = {}) => group.write(() => work(tx), how),
    conversationsVersion: changed.version,
    ping: async () => {
      await sql`select 1`.execute(read);
    },
    close: async () => {
      await group.idle();
      await checkpointer.close();
      readerDb.close();
      log?.close();
      writerDb.exec('pragma wal_checkpoint(truncate)');
      writerDb.close();
    },
  };
};

/** 64-bit integers arrive as numbers: all that are stored are safe integers (times in ms, nano-dollars, sizes). */
const numbers = new pg.TypeOverrides();
numbers.setTypeParser(pg.types.builtins.INT8, Number);
numbers.setTypeParser(pg.types.builtins.NUMERIC, Number);

/** Of a repeatable write whose transaction was ended for another one. */
const MAX_TRIES = 5;

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
    async write(work, how = {}) {
      for (let tries = 1; ; tries++) {
        try {
          return await read.transaction().execute(async (tx) => {
            if (how.deferred) await sql`set local synchronous_commit = off`.execute(tx);
            return work(tx);
          });
        } catch (error) {
          if (!how.repeatable || tries >= MAX_TRIES || !isSacrificed(error)) throw error;
        }
      }
    },
    conversationsVersion: () => null,
    ping: async () => {
      await sql`select 1`.execute(read);
    },
    close: () => read.destroy(),
  };
};
