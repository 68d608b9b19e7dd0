import type { DialectName, Queryable } from '../../db/db.ts';
import { keyOf, selectLimits } from './limits.store.ts';

/**
 * Which users and agents have a limit of their own. Without one there is nothing to count against: with one process
 * on the store (SQLite) their counters come into being with the limit, from the ledger and the open holds, and every
 * call until then writes to the tenant's two alone. With several nodes a change could be seen too late by one of them,
 * so there every counter is kept.
 */
export const createLimited = (dialect: DialectName) => {
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
      return dialect === 'postgres' ? null : (known.get(tenantId) ?? load(tx, tenantId));
    },
    /** To be called inside the transaction that changes limits: the next hold looks anew. */
    forget: (tenantId: string): void => {
      known.delete(tenantId);
    },
  };
};

export type Limited = ReturnType<typeof createLimited>;
