import { sql } from 'kysely';
import type { DialectName, Queryable } from '../../db/db.ts';

/** Two equal calls at the same instant make one proposal: the second waits here for the first (SQLite has one writer). */
export const lockCall = async (tx: Queryable, dialect: DialectName, callHash: string): Promise<void> => {
  if (dialect === 'postgres') {
    await sql`select pg_advisory_xact_lock(hashtext('proposal'), hashtext(${callHash}))`.execute(tx);
  }
};
