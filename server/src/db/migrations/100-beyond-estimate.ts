import type { SchemaStep } from '../migrate.ts';

/** 1 on a row of the ledger whose call has cost more than was reserved for it. */
export const beyondEstimate: SchemaStep = {
  name: '100-beyond-estimate',
  async up(db) {
    await db.schema
      .alterTable('ledger')
      .addColumn('beyond_estimate', 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
  },
};
