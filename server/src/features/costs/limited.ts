import type { Db, Queryable } from '../../db/db.ts';
import { keyOf, selectLimits } from './limits.store.ts';

/**
 * Which users and agents have a limit of their own. Without one there is nothing to count against: with one writer
 * (SQLite) their counters come into being with the limit, from the ledger and the open holds, and every
 * call until then writes to the tenant's two alone. Elsewhere a change could be seen too late, so there every counter is
 * kept.
 */
export const createLimited = ({ oneWriter }: Pick<Db, 'oneWriter'>) => {
  const known = new Map<string, ReadonlySet<string>>();

  const load = async (tx: Queryable, tenantId: string): Promise<ReadonlySet<string>> => {
    const rows = await selectLimits(tx, tenantId);
    const limited = new Set(rows.filter((row) => row.limit_nano !== null).map(keyOf));
    known.set(tenantId, limited);
    return limited;
  };

  return {
    /** Keys (`keyOf`) with a limit; null: all count as such. `tx` is the caller's transaction. */
    at(tx: Queryable, tenantId: string): ReadonlySet<string> | null | Promise<ReadonlySet<string>> {
      return oneWriter ? (known.get(tenantId) ?? load(tx, tenantId)) : null;
    },
    /** To be called inside the transaction that changes limits: the next hold looks anew. */
    forget: (tenantId: string): void => {
      known.delete(tenantId);
    },
  };
};

export type Limited = ReturnType<typeof createLimited>;
