import type { SchemaStep } from '../migrate.ts';

/** The queue of the SQLite engine. On PostgreSQL pg-boss keeps tables of its own, and only dead letters stand here. */
export const jobs: SchemaStep = {
  name: '011-jobs',
  async up(db, t) {
    await db.schema
      .createTable('jobs')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('payload', 'text', (c) => c.notNull())
      .addColumn('priority', t.int, (c) => c.notNull())
      .addColumn('group_key', 'text')
      .addColumn('attempts', t.int, (c) => c.notNull())
      .addColumn('run_at', t.int, (c) => c.notNull())
      .addColumn('lease', 'text')
      .addColumn('lease_until', t.int)
      .addColumn('error', 'text')
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addColumn('finished_at', t.int)
      .execute();
    await db.schema.createIndex('jobs_due').on('jobs').columns(['state', 'kind', 'run_at']).execute();
  },
};
