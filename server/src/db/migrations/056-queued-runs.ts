import { sql } from 'kysely';
import type { SchemaStep } from '../migrate.ts';

/** Messages that wait for their conversation's turn: whose turn is next, on whichever node. */
export const queuedRuns: SchemaStep = {
  name: '056-queued-runs',
  async up(db) {
    await sql`create index runs_queued on runs (conversation_id, created_at) where status = 'queued'`.execute(
      db,
    );
  },
};
