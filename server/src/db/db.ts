import type { Kysely } from 'kysely';
import type { Tables } from './tables/index.ts';

export type DialectName = 'sqlite' | 'postgres';

/** A connection for statements: the reader, or the transaction of a write. */
export type Queryable = Kysely<Tables>;

export interface WriteOptions {
  /**
   * Resolves after the commit, before it is on the disk: it survives the end of this process at once, and a power cut
   * from the next ordinary write on. For what nobody is told of before such a write.
   */
  deferred?: boolean;
  /**
   * `work` has effects in the store only, so that it may be run again from the start: on SQLite where it shares its
   * transaction with one that fails (which is cheaper), on PostgreSQL where two transactions have waited for each other.
   */
  repeatable?: boolean;
}

/** Something more to write in a transaction: there together with the rest, or not at all. */
export type Along = (tx: Queryable) => Promise<void>;

/** The store as features' `store.ts` see it. */
export interface Db {
  readonly dialect: DialectName;
  /** Committed state; never inside a transaction. */
  readonly read: Queryable;
  /**
   * Runs `work` in a transaction and resolves when its commit is on the disk (on SQLite together with the other writes
   * of the same turn). `work` may await database calls on `tx` only.
   */
  write<T>(work: (tx: Queryable) => Promise<T>, options?: WriteOptions): Promise<T>;
  /**
   * Stays the same as long as none of the person's conversations has changed, so that what was read of them may be given
   * out again; null where other processes write as well (PostgreSQL).
   */
  conversationsVersion(userId: string): number | null;
  /** Of this process to the store's server; null where there is none (SQLite). */
  connections(): { inUse: number; idle: number; waiting: number } | null;
  /** Throws when the store does not answer; for /ready. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
