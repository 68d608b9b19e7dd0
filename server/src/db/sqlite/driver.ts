import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type LimitNode,
  type OffsetNode,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { storable } from '../../kernel/storable.ts';
import type { DirectConnection, DirectStatement } from '../compiled.ts';
import { removesContent } from './wiper.ts';

/**
 * Kysely over node:sqlite. One connection, every call synchronous inside, so there is nothing to pool: who may use
 * the connection when is settled by the caller (`group-commit.ts` for the writer; the reader never opens a transaction).
 */

/** Statements kept prepared. Dynamic filters give a bounded number of texts; the oldest goes first. */
const MAX_STATEMENTS = 512;

const toSqlite = (value: unknown): SQLInputValue => {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  // As on PostgreSQL, so that both hold the same.
  if (typeof value === 'string') return storable(value);
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`cannot bind a ${Object.prototype.toString.call(value)}`);
};

/**
 * Makes a row of its values in the order of the columns. node:sqlite's own row objects are hash tables without a
 * prototype, slow to make and slower to read; a literal compiled for the columns gives plain objects of one shape, as
 * the validators and serialisers of the HTTP side are compiled too.
 */
const rowMaker = (statement: StatementSync): ((values: unknown) => unknown) => {
  const fields = statement.columns().map(({ name }, i) => `${JSON.stringify(name)}:v[${i}]`);
  return new Function('v', `return {${fields.join(',')}}`) as (values: unknown) => unknown;
};

interface Prepared extends DirectStatement {
  returnsRows: boolean;
  statement: StatementSync;
  /** It may take away what people have written. */
  removes: boolean;
}

const prepare = (db: DatabaseSync, sql: string): Prepared => {
  const statement = db.prepare(sql);
  const returnsRows = statement.columns().length > 0;
  let make: ((values: unknown) => unknown) | null = null;
  return {
    statement,
    removes: removesContent(sql),
    returnsRows,
    all: <R>(values: readonly unknown[]): R[] => {
      if (make === null) {
        make = rowMaker(statement);
        statement.setReturnArrays(true);
      }
      // Rows are records of SQL values; the query's own type says which.
      return statement.all(...values.map(toSqlite)).map(make) as R[];
    },
    run: (values) => Number(statement.run(...values.map(toSqlite)).changes),
  };
};

export class SqliteConnection implements DatabaseConnection, DirectConnection {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, Prepared>();
  /** Told after a statement that may have taken away what people have written. */
  onRemoved: () => void = () => {};

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
    const prepared = prepare(this.#db, sql);
    if (!prepared.removes) return prepared;
    return {
      all: <R>(values: readonly unknown[]): R[] => {
        this.onRemoved();
        return prepared.all<R>(values);
      },
      run: (values) => {
        this.onRemoved();
        return prepared.run(values);
      },
    };
  }

  #prepare(sql: string): Prepared {
    const known = this.#statements.get(sql);
    if (known) return known;
    const fresh = prepare(this.#db, sql);
    if (this.#statements.size >= MAX_STATEMENTS) {
      const oldest = this.#statements.keys().next().value;
      if (oldest !== undefined) this.#statements.delete(oldest);
    }
    this.#statements.set(sql, fresh);
    return fresh;
  }

  run<R>(sql: string, parameters: readonly unknown[]): QueryResult<R> {
    const prepared = this.#prepare(sql);
    if (prepared.removes) this.onRemoved();
    if (prepared.returnsRows) return { rows: prepared.all<R>(parameters) };
    const { changes, lastInsertRowid } = prepared.statement.run(...parameters.map(toSqlite));
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      return Promise.resolve(this.run<R>(query.sql, query.parameters));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** One row at a time would hold the connection open over other statements: the rows are read first. */
  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    for (const row of this.run<R>(query.sql, query.parameters).rows) yield { rows: [row] };
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

/**
 * A bare `limit ?` makes SQLite look at the bound number while it plans, and so plan anew each time a value is bound,
 * which costs several times what the statement does. A sum hides the number from the planner.
 */
class QueryCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    super.visitLimit(node);
    this.append(' + 0');
  }
  protected override visitOffset(node: OffsetNode): void {
    super.visitOffset(node);
    this.append(' + 0');
  }
}

export const sqliteDialect = (connection: SqliteConnection): Dialect => ({
  createDriver: () => driverOf(connection),
  createAdapter: () => new SqliteAdapter(),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new QueryCompiler(),
});
