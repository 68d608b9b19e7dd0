import type { Kysely } from 'kysely';
import type { NewEvent, PlatformEvent } from '../kernel/events.ts';
import type { Tables } from './tables/index.ts';

export type DialectName = 'sqlite' | 'postgres';

/** A connection for statements: the reader, or the transaction of a write. */
export type Queryable = Kysely<Tables>;

/** Who gets an event besides those who follow from it in this process; both unless it says false. */
export interface EmitTo {
  webhooks?: boolean;
  connections?: boolean;
}

/** The transaction of a write. */
export interface Tx extends Queryable {
  /**
   * Records the event for the webhooks of its tenant now, in this transaction, and tells it on the bus after the commit, in
   * the order of these calls. Nothing of it is left where the transaction is rolled back.
   */
  emit(event: NewEvent, to?: EmitTo): Promise<PlatformEvent>;
  /** Called after the commit, before the writer hears of it; not at all after a rollback. */
  afterCommit(then: () => void): void;
}

/** Where the events of transactions go. */
export interface EventOutlet {
  /** Numbers the event, and writes in the transaction what is to be delivered of it. */
  record(tx: Tx, event: NewEvent): Promise<PlatformEvent>;
  /** Tells it, after the commit. */
  publish(event: PlatformEvent): void;
}

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
export type Along = (tx: Tx) => Promise<void>;

/** The store as features' `store.ts` see it. */
export interface Db {
  readonly dialect: DialectName;
  /** Committed state; never inside a transaction. */
  readonly read: Queryable;
  /** Every write of the store is this process's, and they come one after another: what one has read holds for the next. */
  readonly oneWriter: boolean;
  /**
   * Runs `work` in a transaction and resolves when its commit is on the disk (on SQLite together with the other writes
   * of the same turn). `work` may await database calls on `tx` only.
   */
  write<T>(work: (tx: Tx) => Promise<T>, options?: WriteOptions): Promise<T>;
  /** From now on events go there; before the first call nowhere. */
  emitTo(outlet: EventOutlet): void;
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
