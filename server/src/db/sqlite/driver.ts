import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { DirectConnection, DirectStatement } from '../compiled.ts';

/**
 * Kysely over node:sqlite. One connection, every call synchronous inside, so there is nothing to pool: who may use
 * the connection when is settled by the caller (`group-commit.ts` for the writer; the reader never opens a transaction).
 */

interface CachedStatement {
  statement: StatementSync;
  returnsRows: boolean;
}

/** Statements kept prepared. Dynamic filters give a bounded number of texts; the oldest goes first. */
const MAX_STATEMENTS = 512;

const toSqlite = (value: unknown): SQLInputValue => {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return value;
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`cannot bind a ${Object.prototype.toString.call(value)}`);
};

export class SqliteConnection implements DatabaseConnection, DirectConnection {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, CachedStatement>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  exec(sql: string): void {
    this.#db.exec(sql);
  }

  /** One statement without values and rows, kept prepared: what frames every transaction is not parsed each time. */
  step(sql: string): void {
    this.#prepare(sql).statement.run();
  }

  direct(sql: string): DirectStatement {
    const statement = this.#db.prepare(sql);
    return {
      // node:sqlite types rows as records of SQL values; the query's own type says which.
      all: <R>(values: readonly unknown[]) => statement.all(...values.map(toSqlite)) as R[],
      run: (values) => Number(statement.run(...values.map(toSqlite)).changes),
    };
  }

  #prepare(sql: string): CachedStatement {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#db.prepare(sql);
    const fresh = { statement, returnsRows: statement.columns().length > 0 };
    if (this.#statements.size >= MAX_STATEMENTS) {
      const oldest = this.#statements.keys().next().value;
      if (oldest !== undefined) this.#statements.delete(oldest);
    }
    this.#statements.set(sql, fresh);
    return fresh;
  }

  run<R>(sql: string, parameters: readonly unknown[]): QueryResult<R> {
    const { statement, returnsRows } = this.#prepare(sql);
    const bound = parameters.map(toSqlite);
    if (returnsRows) {
      // node:sqlite types rows as records of SQL values; the query's own type says which.
      return { rows: statement.all(...bound) as R[] };
    }
    const { changes, lastInsertRowid } = statement.run(...bound);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      return Promise.resolve(this.run<R>(query.sql, query.parameters));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    for (const row of this.#prepare(query.sql).statement.iterate(...query.parameters.map(toSqlite))) {
      yield { rows: [row as R] };
    }
  }
}

const driverOf = (connection: SqliteConnection): Driver => ({
  init: () => Promise.resolve(),
  acquireConnection: () => Promise.resolve(connection),
  releaseConnection: () => Promise.resolve(),
  beginTransaction: () => Promise.resolve(connection.exec('begin immediate')),
  commitTransaction: () => Promise.resolve(connection.exec('commit')),
  rollbackTransaction: () => Promise.resolve(connection.exec('rollback')),
  destroy: () => Promise.resolve(),
});

export const sqliteDialect = (connection: SqliteConnection): Dialect => ({
  createDriver: () => driverOf(connection),
  createAdapter: () => new SqliteAdapter(),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
});
