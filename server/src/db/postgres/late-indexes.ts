import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { ledgerByUser } from '../migrations/150-cost-sums.ts';

/**
 * Indexes that a step of the schema leaves out where its table has rows: they are made beside those who write, outside of any
 * transaction, and after the nodes that wait for the migrating one have been let on.
 */
const LATE = [{ name: 'ledger_by_user', create: ledgerByUser('concurrently') }] as const;

export type LateIndex = (typeof LATE)[number];

/** Those that are not there, or whose making broke off: such a one is kept up and never read. */
export const missingIndexes = async <T>(db: Kysely<T>): Promise<LateIndex[]> => {
  const missing: LateIndex[] = [];
  for (const late of LATE) {
    const { rows } = await sql<{ valid: boolean }>`select indisvalid as valid from pg_index
      where indexrelid = to_regclass(${late.name})`.execute(db);
    if (rows[0]?.valid !== true) missing.push(late);
  }
  return missing;
};

export interface LateIndexes {
  done: Promise<void>;
  /** Leaves what is not ready to the next start. */
  close(): Promise<void>;
}

export const makeLateIndexes = (
  url: string,
  missing: readonly LateIndex[],
  onError: (error: unknown) => void,
): LateIndexes => {
  if (missing.length === 0) return { done: Promise.resolve(), close: () => Promise.resolve() };
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  let closed = false;
  const connected = client.connect();
  const end = () => client.end().catch(() => {});
  const make = async (): Promise<void> => {
    await connected;
    for (const { name, create } of missing) {
      if (closed) return;
      await client.query(`drop index concurrently if exists ${name}`);
      await client.query(create);
    }
  };
  const done = make()
    .catch((error: unknown) => {
      if (!closed) onError(error);
    })
    .finally(end);
  return {
    done,
    async close() {
      closed = true;
      // A connection that is ended while it is being made never says so.
      await connected.catch(() => {});
      await end();
      await done;
    },
  };
};
