import type { Db, Queryable, Tx } from '../../db/db.ts';
import type { Hold, HoldRequest, LedgerEntry } from './types.ts';

export interface MeteredOptions {
  db: Db;
  costs: {
    hold(tx: Queryable, request: HoldRequest): Promise<Hold>;
    settle(tx: Tx, hold: Hold, entries: readonly LedgerEntry[]): Promise<void>;
  };
}

/** Reserves, works, and books what the work has said it used, however the work ends. */
export type Metered = <T>(
  request: HoldRequest,
  work: (used: (entry: LedgerEntry) => void) => Promise<T>,
) => Promise<T>;

/** Throws COST_EXCEEDED before the work begins. */
export const createMetered =
  ({ db, costs }: MeteredOptions): Metered =>
  async (request, work) => {
    const hold = await db.write((tx) => costs.hold(tx, request));
    const entries: LedgerEntry[] = [];
    try {
      return await work((entry) => void entries.push(entry));
    } finally {
      await db.write((tx) => costs.settle(tx, hold, entries));
    }
  };
