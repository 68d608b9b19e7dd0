import type { Kysely } from 'kysely';
import type { Tables } from './tables/index.ts';

export type DialectName = 'sqlite' | 'postgres';

/** A connection for statements: the reader, or the transaction of a write. */
export type Queryable = Kysely<Tables>;

/** The store as features' `store.ts` see it. */
export interface Db {
  readonly dialect: DialectName;
  /** Committed state; never inside a transaction. */
  readonly read: Queryable;
  /**
   * Runs `work` in a transaction and resolves after its commit (on SQLite together with the other writes of the same
   * turn). `work` may await database calls on `tx` only.
   */
  write<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  /** Throws when the store does not answer; for /ready. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
