import { sql } from 'kysely';
import type { SchemaStep } from '../migrate.ts';

/**
 * The mark of untrusted content on conversations and tasks, the chain of tasks that tasks have made, and proposals that the
 * person who asked decides. A conversation without a value was held under an earlier release.
 */
export const taint: SchemaStep = {
  name: '072-taint',
  async up(db, t) {
    await db.schema.alterTable('conversations').addColumn('taint', 'text').execute();
    await db.schema
      .alterTable('tasks')
      .addColumn('tainted', t.int, (c) => c.notNull().defaultTo(0))
      .execute();
    await db.schema.alterTable('tasks').addColumn('parent_task_id', 'text').execute();
    await db.schema
      .alterTable('tasks')
      .addColumn('depth', t.int, (c) => c.notNull().defaultTo(1))
      .execute();
    await db.schema.alterTable('tasks').addColumn('created_by_run', 'text').execute();
    await db.schema.alterTable('proposals').addColumn('decider', 'text').execute();
    await db.schema.alterTable('proposals').addColumn('then_approval', 'text').execute();
    await db.schema.alterTable('proposals').addColumn('consent_hash', 'text').execute();
    await db.schema.alterTable('proposals').addColumn('confirmed_at', t.int).execute();
    await sql`create index proposals_consent on proposals (consent_hash) where confirmed_at is not null`.execute(
      db,
    );
  },
};
