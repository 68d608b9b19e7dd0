import pg from 'pg';
import { ledgerByUser } from '../migrations/150-cost-sums.ts';

/**
 * Indexes that a step of the schema leaves out where its table has rows: they are made beside those who write, outside of any
 * transaction, and after the nodes that wait for the migrating one have been let on.
 */
const LATE = [{ name: 'ledger_by_user', create: ledgerByUser('concurrently') }] as const;

export interface LateIndexes {
  done: Promise<void>;
  /** Leaves what is not ready to the next start. */
  close(): Promise<void>;
}

export const makeLateIndexes = (url: string, onError: (error: unknown) => void): LateIndexes => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  let closed = false;
  const make = async (): Promise<void> => {
    await client.connect();
    for (const { name, create } of LATE) {
      const { rows } = await client.query<{ valid: boolean }>(
        'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
        [name],
      );
      if (rows[0]?.valid === true) continue;
      // One whose making broke off is kept up and never read.
      if (rows.length > 0) await client.query(`drop index concurrently if exists ${name}`);
      await client.query(create);
    }
  };
  const end = () => client.end().catch(() => {});
  const done = make()
    .catch((error: unknown) => {
      if (!closed) onError(error);
    })
    .finally(end);
  return {
    done,
    async close() {
      closed = true;
      await end();
      await done;
    },
  };
};
