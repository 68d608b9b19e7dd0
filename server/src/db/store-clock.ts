import { sql } from 'kysely';
import type { Db } from './db.ts';

/** Beyond this the way to the store and back says nothing of the clocks. */
const LONGEST_WAY_MS = 1_000;

/**
 * By how many ms this process's clock is ahead of the store's, which all nodes share; null on SQLite, where both are one, and
 * where the answer took too long to tell.
 */
export const clockSkewMs = async (
  db: Pick<Db, 'dialect' | 'read'>,
  now: () => number,
): Promise<number | null> => {
  if (db.dialect === 'sqlite') return null;
  const from = performance.now();
  const { rows } = await sql<{ ms: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::bigint as ms`.execute(db.read);
  const wayMs = performance.now() - from;
  const [row] = rows;
  return row === undefined || wayMs > LONGEST_WAY_MS ? null : Math.round(now() - wayMs / 2 - Number(row.ms));
};
