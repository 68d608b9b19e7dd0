import type { SchemaStep } from '../migrate.ts';

/** Finished steps of runs that use tools: from these a run goes on after a crash or a decision. */
export const runSteps: SchemaStep = {
  name: '015-run-steps',
  async up(db, t) {
    await db.schema
      .createTable('run_steps')
      .addColumn('run_id', 'text', (c) => c.notNull().references('runs.id').onDelete('cascade'))
      .addColumn('n', t.int, (c) => c.notNull())
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('payload', 'text', (c) => c.notNull())
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addPrimaryKeyConstraint('run_steps_key', ['run_id', 'n'])
      .execute();
  },
};
