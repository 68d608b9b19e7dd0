import { sql } from 'kysely';
import type { Queryable } from '../../../db/db.ts';

export const readFailures = async (db: Queryable, account: string): Promise<number[]> => {
  const row = await db
    .selectFrom('login_failures')
    .select('times')
    .where('account', '=', account)
    .executeTakeFirst();
  return row === undefined ? [] : JSON.parse(row.times);
};

export const writeFailures = async (
  tx: Queryable,
  account: string,
  times: readonly number[],
  at: number,
): Promise<void> => {
  const values = { times: JSON.stringify(times), updated_at: at };
  await tx
    .insertInto('login_failures')
    .values({ account, ...values })
    .onConflict((c) => c.column('account').doUpdateSet(values))
    .execute();
};

export const clearFailures = async (tx: Queryable, account: string): Promise<void> => {
  await tx.deleteFrom('login_failures').where('account', '=', account).execute();
};

export const deleteFailuresBefore = async (tx: Queryable, before: number): Promise<void> => {
  await tx.deleteFrom('login_failures').where('updated_at', '<', before).execute();
};

/** Until the end of the transaction no other node counts attempts at this account (PostgreSQL). */
export const lockAccount = async (tx: Queryable, account: string): Promise<void> => {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`sign-in:${account}`}, 0))`.execute(tx);
};
