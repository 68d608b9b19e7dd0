import type { Db, Queryable, Tx } from '../../db/db.ts';
import type { Hold, HoldRequest, LedgerEntry } from './types.ts';

export interface MeteredOptions {
  db: Pick<Db, 'write'>;
  costs: {
    hold(tx: Queryable, request: HoldRequest): Promise<Hold>;
    settle(tx: Tx, hold: Hold, entries: readonly LedgerEntry[]): Promise<void>;
  };
}

/** What else is written by the two transactions around the work: there together with its money, or not at all. */
export interface WithMoney {
  /** Behind the reservation, before the work begins. */
  reserved?: ((tx: Tx) => Promise<void>) | undefined;
  /** Behind the booking, however the work has ended. */
  booked?: ((tx: Tx) => Promise<void>) | undefined;
}

/** Reserves, works, and books what the work has said it used, however the work ends. */
export type Metered = <T>(
  request: HoldRequest,
  work: (used: (entry: LedgerEntry) => void) => Promise<T>,
  along?: WithMoney,
) => Promise<T>;

/** Throws COST_EXCEEDED before the work begins. */
export const createMetered =
  ({ db, costs }: MeteredOptions): Metered =>
  async (request, work, { reserved, booked } = {}) => {
    // What costs nothing is always allowed: it needs no write of its own before.
    const free = request.worstNano === 0 && reserved === undefined;
    const reserve = async (tx: Tx): Promise<Hold> => {
      const hold = await costs.hold(tx, request);
      await reserved?.(tx);
      return hold;
    };
    const taken = free ? null : await db.write(reserve);
    const entries: LedgerEntry[] = [];
    try {
      return await work((entry) => void entries.push(entry));
    } finally {
      if (taken !== null || entries.length > 0 || booked !== undefined)
        await db.write(async (tx) => {
          await costs.settle(tx, taken ?? (await reserve(tx)), entries);
          await booked?.(tx);
        });
    }
  };
