import { type CompiledQuery, type Kysely, type QueryResult, SqliteAdapter } from 'kysely';
import type { Queryable } from './db.ts';
import type { Tables } from './tables/index.ts';

/**
 * Statements of the hot path, built and compiled once per dialect: building a query costs more than SQLite needs to
 * run it. `build` receives `p`, which stands for a value by name; the call binds the values.
 */
class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

interface Compilable<R> {
  compile(): CompiledQuery<R>;
}

type Bind<P> = <K extends keyof P & string>(name: K) => P[K];

/** A connection that answers at once, without Kysely's executor in between (which costs more than the statement). */
export interface DirectConnection {
  run<R>(sql: string, parameters: readonly unknown[]): QueryResult<R>;
}

const direct = new WeakMap<Queryable, DirectConnection>();

/** Lets compiled statements on `db` skip the executor. */
export const runDirectly = (db: Queryable, connection: DirectConnection): void => {
  direct.set(db, connection);
};

const prepared = <P, R>(build: (db: Kysely<Tables>, p: Bind<P>) => Compilable<R>) => {
  const cache: { sqlite?: CompiledQuery<R>; postgres?: CompiledQuery<R> } = {};
  // A placeholder travels through the builder where a value of type P[K] is expected; it never leaves this file.
  const bind: Bind<P> = (name) => new Placeholder(name) as never;

  return async (db: Queryable, values: P): Promise<QueryResult<R>> => {
    const connection = direct.get(db);
    const dialect =
      connection !== undefined || db.getExecutor().adapter instanceof SqliteAdapter ? 'sqlite' : 'postgres';
    let query = cache[dialect];
    if (query === undefined) {
      query = build(db, bind).compile();
      cache[dialect] = query;
    }
    const record = values as Record<string, unknown>;
    const parameters = query.parameters.map((value) =>
      value instanceof Placeholder ? record[value.name] : value,
    );
    if (connection !== undefined) return connection.run<R>(query.sql, parameters);
    return db.executeQuery<R>({ ...query, parameters });
  };
};

/** `P`: names and types of the values; `R`: the row that comes back (`never` for plain writes). */
export const compiled = <P, R>(build: (db: Kysely<Tables>, p: Bind<P>) => Compilable<R>) => {
  const run = prepared(build);
  return async (db: Queryable, values: P): Promise<R[]> => (await run(db, values)).rows;
};

/** A write that tells how many rows it changed: cheaper than having them returned. */
export const compiledCount = <P>(build: (db: Kysely<Tables>, p: Bind<P>) => Compilable<unknown>) => {
  const run = prepared(build);
  return async (db: Queryable, values: P): Promise<number> =>
    Number((await run(db, values)).numAffectedRows ?? 0);
};
