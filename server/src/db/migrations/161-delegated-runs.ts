import { sql } from 'kysely';
import type { SchemaStep } from '../migrate.ts';

/** Runs in which other agents have worked too: their figures are found without a look at all runs. */
export const delegatedRuns: SchemaStep = {
  name: '161-delegated-runs',
  async up(db) {
    await sql`create index runs_delegated on runs (tenant_id, created_at) where delegated is not null`.execute(
      db,
    );
  },
};
