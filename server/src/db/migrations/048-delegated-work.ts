import type { SchemaStep } from '../migrate.ts';

/** What agents did for others within a run, so that it counts in their own figures. */
export const delegatedWork: SchemaStep = {
  name: '048-delegated-work',
  async up(db) {
    await db.schema.alterTable('runs').addColumn('delegated', 'text').execute();
  },
};
