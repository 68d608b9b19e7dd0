import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Db, DialectName, Queryable } from '../db.ts';
import { createEmitter } from '../emit.ts';
import { openSqliteFile } from '../open.ts';
import { ALL_TENANTS } from '../scope.ts';
import { SqliteConnection, sqliteDialect } from '../sqlite/driver.ts';
import type { Tables } from '../tables/index.ts';

/**
 * One connection of either engine for tools that read or write whole tables (backup, restore, export, import). Values in
 * statements stand as `?1`, `?2` on both; 64-bit integers come as numbers, as everywhere in the platform.
 */
export interface Session {
  readonly dialect: DialectName;
  /** The same connection for code of the features, inside the same transaction. */
  readonly tx: Queryable;
  all(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** One row at a time, without holding them all. */
  stream(sql: string, values?: readonly unknown[]): AsyncGenerator<Row>;
  exec(sql: string): Promise<void>;
  close(): Promise<void>;
}

export type Row = Record<string, unknown>;

const bind = (value: unknown): SQLInputValue => {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return value;
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`cannot bind a ${typeof value}`);
};

/** Statements that are used over and over stay prepared. */
const MAX_STATEMENTS = 64;

export const sqliteSession = (db: DatabaseSync): Session => {
  const statements = new Map<string, ReturnType<DatabaseSync['prepare']>>();
  const prepared = (sql: string) => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      if (statements.size >= MAX_STATEMENTS) statements.clear();
      statement = db.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  };
  return {
    dialect: 'sqlite',
    tx: new Kysely<Tables>({ dialect: sqliteDialect(new SqliteConnection(db)) }),
    all: async (sql, values = []) => prepared(sql).all(...values.map(bind)),
    async *stream(sql, values = []) {
      // A statement of its own: another use of the same one would end the walk.
      for (const row of db.prepare(sql).iterate(...values.map(bind))) yield row;
    },
    exec: async (sql) => db.exec(sql),
    close: async () => db.close(),
  };
};

export const openSqliteSession = (file: string, options: { readOnly: boolean }): Session =>
  sqliteSession(openSqliteFile(file, { ...options, synchronous: 'full' }));

const numbers = new pg.TypeOverrides();
numbers.setTypeParser(pg.types.builtins.INT8, Number);
numbers.setTypeParser(pg.types.builtins.NUMERIC, Number);

const FETCH = 1_000;

const dollars = (sql: string): string => sql.replaceAll(/\?(\d+)/g, '$$$1');

/** Reading must fail, and not give fewer rows, where policies other than the platform's own would hide some. */
const seeAll = async (client: pg.Client): Promise<void> => {
  await client.query(`select set_config('app.tenant', '${ALL_TENANTS}', false)`);
  const { rows } = await client.query<{ name: string }>(
    `select format('%s on %s', policyname, tablename) as name from pg_policies
      where schemaname = current_schema() and policyname <> 'tenant_wall'`,
  );
  if (rows.length > 0) await client.query('set row_security = off');
};

export const openPostgresSession = async (url: string): Promise<Session> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, types: numbers });
  await client.connect();
  await seeAll(client);
  let cursors = 0;
  const all = async (sql: string, values: readonly unknown[] = []): Promise<Row[]> =>
    (await client.query<Row>(dollars(sql), [...values])).rows;
  const lent = Object.assign(client, { release: () => {} });
  return {
    dialect: 'postgres',
    tx: new Kysely<Tables>({
      dialect: new PostgresDialect({
        pool: { options: {}, connect: () => Promise.resolve(lent), end: () => Promise.resolve() },
      }),
    }),
    all,
    async *stream(sql, values = []) {
      cursors += 1;
      const cursor = `walk_${cursors}`;
      await client.query(`declare ${cursor} no scroll cursor for ${dollars(sql)}`, [...values]);
      for (;;) {
        const { rows } = await client.query<Row>(`fetch ${FETCH} from ${cursor}`);
        yield* rows;
        if (rows.length < FETCH) break;
      }
      await client.query(`close ${cursor}`);
    },
    exec: async (sql) => {
      await client.query(sql);
    },
    close: () => client.end(),
  };
};

/** The same connection and transaction for features that take a store. */
export const storeOfSession = (session: Session): Db => ({
  dialect: session.dialect,
  read: session.tx,
  oneWriter: false,
  // The session commits as a whole, and nobody listens to a command.
  write: async (work) => (await createEmitter().within(session.tx, work)).result,
  emitTo: () => {},
  conversationsVersion: () => null,
  connections: () => null,
  ping: () => Promise.resolve(),
  close: () => Promise.resolve(),
});
