import type { Queryable } from '../../db/db.ts';

/** One batch of what has become old. */
export interface Dropped {
  rows: number;
  /** Whether there may be more. */
  more: boolean;
  /** Where the next batch goes on, for walks in the order of ids; kept until the next time. */
  position?: string | null;
  /** Tenants of the rows, one for each row, where their audit shall say that records went. */
  tenants?: readonly string[];
}

/** A kind of record with an age limit. */
export interface Purge {
  /** `webhook_deliveries`; stands in metrics and logs. */
  name: string;
  /** 0 keeps all. */
  days: number;
  drop(tx: Queryable, before: number, limit: number, position: string | null): Promise<Dropped>;
}

export interface PurgeReport {
  name: string;
  /** Null: all are kept. */
  before: number | null;
  rows: number;
}
