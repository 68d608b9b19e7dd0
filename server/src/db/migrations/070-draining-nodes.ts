import type { SchemaStep } from '../migrate.ts';

/** A node that has been told to stop says so with each sign of life, until its last run has ended. */
export const drainingNodes: SchemaStep = {
  name: '070-draining-nodes',
  async up(db, t) {
    await db.schema
      .alterTable('nodes')
      .addColumn('draining', t.int, (c) => c.notNull().defaultTo(0))
      .execute();
  },
};
