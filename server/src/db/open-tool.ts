import { existsSync } from 'node:fs';
import { Kysely, PostgresDialect, sql } from 'kysely';
import type { Db } from './db.ts';
import { createEmitter } from './emit.ts';
import { openSqliteFile } from './open.ts';
import { toolPool } from './postgres/pool.ts';
import { ALL_TENANTS } from './scope.ts';
import { SqliteConnection, sqliteDialect } from './sqlite/driver.ts';
import { createGroupCommit } from './sqlite/group-commit.ts';
import type { Tables } from './tables/index.ts';

/**
 * The store for a command beside a running server: nothing is migrated, the log is left as it is, and a write waits its
 * turn. Throws when there is no store, or its schema is not this release's.
 */
export const openStoreForTool = async (place: {
  sqliteFile: string | null;
  databaseUrl: string | null;
  steps: number;
}): Promise<Db> => {
  const db = place.databaseUrl === null ? openFile(place.sqliteFile ?? '') : openUrl(place.databaseUrl);
  try {
    const rows = await sql<{ n: number }>`select count(*) as n from kysely_migration`.execute(db.read);
    if (Number(rows.rows[0]?.n) !== place.steps) {
      throw new Error(
        'the schema is not the one of this release: run "migrate", or use the release that the server runs',
      );
    }
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
};

const openFile = (file: string): Db => {
  if (!existsSync(file)) throw new Error(`there is no store: ${file} is missing`);
  const writerDb = openSqliteFile(file, { readOnly: false, synchronous: 'full' });
  const readerDb = openSqliteFile(file, { readOnly: true, synchronous: 'full' });
  const writer = new SqliteConnection(writerDb);
  const tx = new Kysely<Tables>({ dialect: sqliteDialect(writer) });
  const read = new Kysely<Tables>({ dialect: sqliteDialect(new SqliteConnection(readerDb)) });
  // SQLite itself waits for the disk here: nobody else is waiting.
  const group = createGroupCommit(writer, null, () => {});
  const emitter = createEmitter();
  return {
    dialect: 'sqlite',
    read,
    oneWriter: false,
    write: (work, how = {}) => group.write(() => emitter.within(tx, work), how),
    emitTo: emitter.emitTo,
    conversationsVersion: () => null,
    connections: () => null,
    ping: async () => {
      await sql`select 1`.execute(read);
    },
    close: async () => {
      await group.idle();
      readerDb.close();
      writerDb.close();
    },
  };
};

const openUrl = (url: string): Db => {
  const pool = toolPool(url, ALL_TENANTS);
  const read = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const emitter = createEmitter();
  return {
    dialect: 'postgres',
    read,
    oneWriter: false,
    async write(work) {
      const { result, committed } = await read.transaction().execute((tx) => emitter.within(tx, work));
      committed();
      return result;
    },
    emitTo: emitter.emitTo,
    conversationsVersion: () => null,
    connections: () => null,
    ping: async () => {
      await sql`select 1`.execute(read);
    },
    close: () => read.destroy(),
  };
};
