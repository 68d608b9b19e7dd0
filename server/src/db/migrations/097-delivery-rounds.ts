import type { SchemaStep } from '../migrate.ts';

/** How often a delivery was begun anew: jobs that wait of an earlier round send it no more. */
export const deliveryRounds: SchemaStep = {
  name: '097-delivery-rounds',
  async up(db, t) {
    await db.schema
      .alterTable('webhook_deliveries')
      .addColumn('round', t.int, (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
