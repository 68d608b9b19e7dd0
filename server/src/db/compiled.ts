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

/** A prepared statement that answers at once. */
export interface DirectStatement {
  all<R>(values: readonly unknown[]): R[];
  /** How many rows it changed. */
  run(values: readonly unknown[]): number;
}

/** A connection that answers at once, without Kysely's executor in between (which costs more than the statement). */
export interface DirectConnection {
  direct(sql: string): DirectStatement;
}

const connections = new WeakMap<Queryable, DirectConnection>();

/** Lets compiled statements on `db` skip the executor. */
export const runDirectly = (db: Queryable, connection: DirectConnection): void => {
  connections.set(db, connection);
};

/** A statement for a store that takes its time to answer. */
export interface Statement {
  sql: string;
  values: readonly unknown[];
  /** Kept prepared by this name, once for each connection; one name stands for one text. */
  name?: string;
  /** Surely changes nothing. */
  reads?: boolean;
}

type Run = <R>(statement: Statement) => Promise<QueryResult<R>>;
const runs = new WeakMap<Queryable, Run>();

/** Lets compiled statements on `db` skip the executor, and with it whatever has them wait for each other. */
export const runNamed = (db: Queryable, run: Run): void => {
  runs.set(db, run);
};

/** Names are short-lived, as the process and its connections are. */
let named = 0;
/** A prepared `*` breaks when a newer node adds a column to the table: such a statement is parsed each time. */
const nameOf = (sql: string): { name?: string } => {
  if (/[\s.]\*/.test(sql)) return {};
  named += 1;
  return { name: `s${named}` };
};

interface Compiled<R> {
  query: CompiledQuery<R>;
  name?: string;
  /** Of each parameter its placeholder's name, or null for a value that is part of the statement. */
  names: readonly (string | null)[];
}

/** How a statement runs on either way: for its rows, or for the number of rows that it changed. */
interface Way<R, T> {
  direct(statement: DirectStatement, values: readonly unknown[]): T;
  executed(result: QueryResult<R>): T;
}

const prepared = <P, R, T>(build: (db: Kysely<Tables>, p: Bind<P>) => Compilable<R>, way: Way<R, T>) => {
  const cache: { sqlite?: Compiled<R>; postgres?: Compiled<R> } = {};
  const statements = new WeakMap<Queryable, DirectStatement>();
  // A placeholder travels through the builder where a value of type P[K] is expected; it never leaves this file.
  const bind: Bind<P> = (name) => new Placeholder(name) as never;

  const compiledFor = (db: Queryable, dialect: 'sqlite' | 'postgres'): Compiled<R> => {
    let known = cache[dialect];
    if (known === undefined) {
      const query = build(db, bind).compile();
      const names = query.parameters.map((value) => (value instanceof Placeholder ? value.name : null));
      known = { query, names, ...(dialect === 'postgres' ? nameOf(query.sql) : {}) };
      cache[dialect] = known;
    }
    return known;
  };

  const valuesOf = ({ query, names }: Compiled<R>, values: P): unknown[] => {
    const record = values as Record<string, unknown>;
    return names.map((name, i) => (name === null ? query.parameters[i] : record[name]));
  };

  const directly = (db: Queryable, connection: DirectConnection, values: P): T => {
    const known = cache.sqlite ?? compiledFor(db, 'sqlite');
    let statement = statements.get(db);
    if (statement === undefined) {
      statement = connection.direct(known.query.sql);
      statements.set(db, statement);
    }
    return way.direct(statement, valuesOf(known, values));
  };

  const executed = async (db: Queryable, values: P): Promise<T> => {
    const known = compiledFor(db, db.getExecutor().adapter instanceof SqliteAdapter ? 'sqlite' : 'postgres');
    const parameters = valuesOf(known, values);
    const run = runs.get(db);
    if (run !== undefined) {
      const { name, query } = known;
      const reads = query.query.kind === 'SelectQueryNode';
      const statement = {
        sql: query.sql,
        values: parameters,
        reads,
        ...(name === undefined ? {} : { name }),
      };
      return way.executed(await run<R>(statement));
    }
    return way.executed(await db.executeQuery<R>({ ...known.query, parameters }));
  };

  // Not an async function: on a direct connection a statement costs one settled promise and no more.
  return (db: Queryable, values: P): Promise<T> => {
    const connection = connections.get(db);
    if (connection === undefined) return executed(db, values);
    try {
      return Promise.resolve(directly(db, connection, values));
    } catch (error) {
      return Promise.reject(error);
    }
  };
};

/** `P`: names and types of the values; `R`: the row that comes back (`never` for plain writes). */
export const compiled = <P, R>(build: (db: Kysely<Tables>, p: Bind<P>) => Compilable<R>) =>
  prepared<P, R, R[]>(build, {
    direct: (statement, values) => statement.all<R>(values),
    executed: (result) => result.rows,
  });

/** A write that tells how many rows it changed: cheaper than having them returned. */
export const compiledCount = <P>(build: (db: Kysely<Tables>, p: Bind<P>) => Compilable<unknown>) =>
  prepared<P, unknown, number>(build, {
    direct: (statement, values) => statement.run(values),
    executed: (result) => Number(result.numAffectedRows ?? 0),
  });
