import type { SchemaStep } from '../migrate.ts';

/** What the reader of a document left out on purpose: a JSON list of kinds and counts. */
export const leftOut: SchemaStep = {
  name: '115-left-out',
  async up(db) {
    await db.schema
      .alterTable('documents')
      .addColumn('left_out', 'text', (c) => c.notNull().defaultTo('[]'))
      .execute();
  },
};
