import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import pg from 'pg';
import { storableDeep } from '../../kernel/storable.ts';
import { runNamed, type Statement } from '../compiled.ts';
import type { Tables } from '../tables/index.ts';
import { BIND, type Lent, type Pool } from './pool.ts';

/**
 * Kysely over the pool, with few round trips: what one transaction asks at once is sent at once and answered in that order,
 * a transaction is begun and bound to its tenant in one message, and statements of the hot path are prepared once for
 * each connection. Nothing that writes is sent before the binding of its connection is known to hold.
 */
export interface PostgresStore {
  /** Statements on their own, each on whichever connection is free. */
  read: Kysely<Tables>;
  /**
   * A transaction; rolled back where `work` fails, and then what it has not waited for comes too late. `deferred`: does not
   * wait for the disk.
   */
  transaction<T>(work: (tx: Kysely<Tables>) => Promise<T>, deferred: boolean): Promise<T>;
  close(): Promise<void>;
}

const WRITES: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** Whatever a feature has forgotten: a text that PostgreSQL would refuse must not fail the work that it belongs to. */
const toPostgres = (value: unknown): unknown =>
  typeof value === 'string' || Array.isArray(value) ? storableDeep(value) : value;

const send = async <R>(client: pg.PoolClient, statement: Statement): Promise<QueryResult<R>> => {
  const { name, sql, values } = statement;
  // Rows are records of SQL values; the statement's own type says which.
  const result = (await client.query({
    ...(name === undefined ? {} : { name }),
    text: sql,
    values: values.map(toPostgres),
  })) as pg.QueryResult<Record<string, unknown>>;
  const { command, rowCount, rows } = result;
  const counted = WRITES.has(command) ? { numAffectedRows: BigInt(rowCount ?? 0) } : {};
  return { ...counted, rows: (rows ?? []) as R[] };
};

/**
 * One statement on a connection of its own. What only reads goes along with the binding, and is thrown away where that
 * fails; anything else waits for it.
 */
const sendAlone = async <R>(pool: Pool, statement: Statement): Promise<QueryResult<R>> => {
  const lent = await pool.lend();
  const { client } = lent;
  let broken = false;
  try {
    if (lent.isBound()) return await send<R>(client, statement);
    const bind = client.query(BIND, [lent.tenant]).then(
      () => lent.setBound(lent.tenant),
      (error: unknown) => {
        broken = true;
        throw error;
      },
    );
    if (statement.reads !== true) await bind;
    const [, result] = await Promise.all([bind, send<R>(client, statement)]);
    return result;
  } finally {
    client.release(broken);
  }
};

const begin = async (lent: Lent, deferred: boolean): Promise<void> => {
  // One message: where a part of it fails, the server takes nothing more of this transaction.
  const parts = ['begin'];
  if (deferred) parts.push('set local synchronous_commit = off');
  const binds = !lent.isBound();
  if (binds) parts.push(`select set_config('app.tenant', ${pg.escapeLiteral(lent.tenant)}, false)`);
  // A binding goes with its transaction where that is rolled back.
  if (binds) lent.setBound(null);
  await lent.client.query(parts.join('; '));
};

const commit = async ({ client }: Lent): Promise<void> => {
  const { command } = await client.query('commit');
  // So PostgreSQL answers where a statement has failed and nobody has taken notice.
  if (command === 'ROLLBACK')
    throw new Error('the transaction was rolled back, a statement of it had failed');
};

const dialectOf = (connection: DatabaseConnection): Dialect => {
  const driver: Driver = {
    init: () => Promise.resolve(),
    acquireConnection: () => Promise.resolve(connection),
    releaseConnection: () => Promise.resolve(),
    beginTransaction: () => Promise.reject(new Error('transactions are begun by `transaction`')),
    commitTransaction: () => Promise.resolve(),
    rollbackTransaction: () => Promise.resolve(),
    destroy: () => Promise.resolve(),
  };
  return {
    createDriver: () => driver,
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
};

type Run = <R>(statement: Statement) => Promise<QueryResult<R>>;

/** Kysely whose statements, compiled ones too, all go through `run`. */
const kyselyOn = (run: Run): Kysely<Tables> => {
  const db = new Kysely<Tables>({
    dialect: dialectOf({
      executeQuery: <R>({ sql, parameters, query }: CompiledQuery) =>
        run<R>({ sql, values: parameters, reads: query.kind === 'SelectQueryNode' }),
      // biome-ignore lint/correctness/useYield: there are no cursors here, and Kysely asks for the method.
      async *streamQuery() {
        throw new Error('rows are read at once');
      },
    }),
  });
  runNamed(db, run);
  return db;
};

export const createPostgresStore = (pool: Pool): PostgresStore => ({
  read: kyselyOn((statement) => sendAlone(pool, statement)),

  async transaction(work, deferred) {
    const lent = await pool.lend();
    const { client, tenant } = lent;
    let broken = true;
    let ended = false;
    const run: Run = (statement) =>
      ended
        ? Promise.reject(new Error('a statement came after the end of its transaction'))
        : send(client, statement);
    try {
      await begin(lent, deferred);
      const result = await work(kyselyOn(run))
        .finally(() => {
          ended = true;
        })
        .catch(async (error: unknown) => {
          // Without an answer to this nobody knows what the connection is in, and it is thrown away.
          await client.query('rollback').then(
            () => {
              broken = false;
            },
            () => {},
          );
          throw error;
        });
      await commit(lent);
      lent.setBound(tenant);
      broken = false;
      return result;
    } finally {
      client.release(broken);
    }
  },

  close: () => pool.end(),
});
