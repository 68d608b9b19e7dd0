import { sql } from 'kysely';
import type { SchemaStep } from '../migrate.ts';

/** What a run leaves elsewhere: its answer under an idempotency key, which goes with it, and the mark of what a task's run read. */
export const whatRunsLeave: SchemaStep = {
  name: '120-what-runs-leave',
  async up(db) {
    // Deferred: a key is bound before its run is stored, in one transaction.
    await sql`alter table idempotency_keys add column run_id text
      references runs (id) on delete cascade deferrable initially deferred`.execute(db);
    await db.schema.createIndex('idempotency_keys_run').on('idempotency_keys').column('run_id').execute();
    await db.schema.alterTable('tasks').addColumn('taint', 'text').execute();
    await db.schema.alterTable('task_runs').addColumn('taint', 'text').execute();
  },
};
