import {
  chmodSync,
  closeSync,
  existsSync,
  fdatasync,
  fstatSync,
  mkdirSync,
  openSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import * as sqliteVec from 'sqlite-vec';
import { runDirectly } from './compiled.ts';
import type { Db } from './db.ts';
import { createEmitter } from './emit.ts';
import { isSacrificed } from './faults.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import { createPostgresStore } from './postgres/driver.ts';
import { type LateIndex, makeLateIndexes, missingIndexes } from './postgres/late-indexes.ts';
import { createPool, numberTypes } from './postgres/pool.ts';
import { makeExtension, raiseWall } from './postgres/wall.ts';
import { ALL_TENANTS, NO_TENANT } from './scope.ts';
import { createChangedRows } from './sqlite/changed-rows.ts';
import { createCheckpointer, LOG_FRAMES } from './sqlite/checkpointer.ts';
import { SqliteConnection, sqliteDialect } from './sqlite/driver.ts';
import { createGroupCommit } from './sqlite/group-commit.ts';
import { createWiper, mergeWords } from './sqlite/wiper.ts';
import type { Tables } from './tables/index.ts';

export interface SqliteOptions {
  /** Path of the database file. */
  file: string;
  synchronous: 'full' | 'normal';
  /** Told of faults in the background, which harm nothing yet. */
  onError?(error: unknown): void;
}

/** For its owner alone, whatever the umask says; SQLite makes the files beside it with the same rights. */
export const makePrivate = (file: string): void => {
  if (file === ':memory:') return;
  // Not opened where it is there: to close it would take away the locks that this process has on it.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  for (const one of [file, `${file}-wal`, `${file}-shm`, `${file}-journal`])
    if (existsSync(one)) chmodSync(one, 0o600);
};

/** Opens a file with the pragmas and the vector extension that every connection of the platform needs. */
export const openSqliteFile = (
  file: string,
  options: { readOnly: boolean; synchronous: 'full' | 'normal' },
): DatabaseSync => {
  if (!options.readOnly) makePrivate(file);
  const db = new DatabaseSync(file, { readOnly: options.readOnly, allowExtension: true, timeout: 5_000 });
  sqliteVec.load(db);
  db.enableLoadExtension(false);
  // What is deleted is overwritten (docs/security.md).
  if (!options.readOnly)
    db.exec(
      `pragma journal_mode = wal; pragma synchronous = ${options.synchronous}; pragma secure_delete = on`,
    );
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

const LOG_HEADER_BYTES = 32;

/** Overwrites all frames of the log in their place: it gets no longer, so that a full disk does not matter. */
const zeroLog = (file: string): void => {
  const log = openSync(`${file}-wal`, 'r+');
  try {
    const zeros = Buffer.alloc(1 << 20);
    const { size } = fstatSync(log);
    for (let at = LOG_HEADER_BYTES; at < size; )
      at += writeSync(log, zeros, 0, Math.min(zeros.length, size - at), at);
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
  // Who waits for the lock does so in `group-commit.ts`, beside the event loop.
  writerDb.exec('pragma wal_autocheckpoint = 0; pragma busy_timeout = 20');
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
  const emitter = createEmitter(options.onError);
  const wiper = createWiper({
    all: (statement) => writerDb.prepare(statement).all(),
    bringOver: checkpointer.bringOver,
    wake: () => void group.write(() => emitter.within(tx, () => Promise.resolve()), {}).catch(() => {}),
    fill: () => zeroLog(options.file),
    onError: options.onError ?? (() => {}),
  });
  writer.onRemoved = wiper.deleted;
  const group = createGroupCommit(steps, log?.sync ?? null, () => {
    checkpointer.committed();
    wiper.committed();
  });
  return {
    dialect: 'sqlite',
    read,
    oneWriter: true,
    write: (work, how = {}) => group.write(() => emitter.within(tx, work), how),
    emitTo: emitter.emitTo,
    conversationsVersion: changed.version,
    connections: () => null,
    ping: async () => {
      await sql`select 1`.execute(read);
    },
    close: async () => {
      wiper.close();
      await group.idle();
      await checkpointer.close();
      readerDb.close();
      log?.close();
      writerDb.exec('pragma wal_checkpoint(truncate)');
      writerDb.close();
    },
  };
};

/** Writes the file anew, so that nothing of what was deleted is left in it. Nobody else may have it open. */
export const vacuumSqlite = (file: string): void => {
  const db = openSqliteFile(file, { readOnly: false, synchronous: 'full' });
  mergeWords((statement) => db.prepare(statement).all(), Number.MAX_SAFE_INTEGER - 1);
  db.exec('vacuum');
  db.exec('pragma wal_checkpoint(truncate)');
  db.close();
};

/** Of a repeatable write whose transaction was ended for another one. */
const MAX_TRIES = 5;

export interface PostgresOptions {
  url: string;
  maxConnections?: number;
  /** What work outside of any scope (scope.ts) may see; default nothing. `all` is for tools and tests of stores. */
  unscoped?: 'nothing' | 'all';
  /** Told where the policies of the tables do not hold for this user, and what to do. */
  onGap?(gap: string): void;
  /** Told of faults of what follows a commit. */
  onError?(error: unknown): void;
  /** Resolves when large indexes are made too (postgres/late-indexes.ts), in place of making them meanwhile. */
  waitForIndexes?: boolean;
}

/** Of a process, beside those for its tenants' work. */
const MAX_FOR_ALL = 6;

/** Brings the schema up to date first, and says which indexes are still to be made; without the limits of a request's connection, since a step may take its time. */
const migratePostgres = async (url: string): Promise<LateIndex[]> => {
  const pool = new pg.Pool({
    connectionString: url,
    max: 3,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    types: numberTypes,
  });
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.on('error', () => {});
    // Steps that change rows see those of all tenants. Where this fails, so does what follows on the connection.
    client.query(`select set_config('app.tenant', '${ALL_TENANTS}', false)`).catch(() => {});
  });
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  try {
    await migrate(db, 'postgres', migrations);
    return await missingIndexes(db);
  } finally {
    await db.destroy();
  }
};

export const openPostgres = async (options: PostgresOptions): Promise<Db> => {
  const missing = await migratePostgres(options.url);
  await makeExtension(options.url);
  const wall = await raiseWall(options.url);
  if (wall.gap !== null) options.onGap?.(wall.gap);
  const pool = createPool({
    url: options.url,
    maxConnections: options.maxConnections ?? 13,
    maxConnectionsOfAll: MAX_FOR_ALL,
    role: wall.role,
    unscoped: options.unscoped === 'all' ? ALL_TENANTS : NO_TENANT,
    watched: true,
  });
  const indexes = makeLateIndexes(options.url, missing, options.onError ?? (() => {}));
  if (options.waitForIndexes === true) await indexes.done;
  const store = createPostgresStore(pool);
  const { read } = store;
  const emitter = createEmitter(options.onError);
  return {
    dialect: 'postgres',
    read,
    oneWriter: false,
    async write(work, how = {}) {
      for (let tries = 1; ; tries++) {
        try {
          const { result, committed } = await store.transaction(
            (tx) => emitter.within(tx, work),
            how.deferred === true,
          );
          committed();
          return result;
        } catch (error) {
          if (!how.repeatable || tries >= MAX_TRIES || !isSacrificed(error)) throw error;
        }
      }
    },
    emitTo: emitter.emitTo,
    conversationsVersion: () => null,
    connections: pool.connections,
    ping: async () => {
      await sql`select 1`.execute(read);
    },
    async close() {
      await indexes.close();
      await store.close();
    },
  };
};
