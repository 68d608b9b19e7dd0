import { sql } from 'kysely';
import type { SchemaStep } from '../migrate.ts';

/** Attempts of a delivery since it was made or asked for again: its place in the schedule. */
export const deliveryRounds: SchemaStep = {
  name: '085-delivery-rounds',
  async up(db) {
    await db.schema
      .alterTable('webhook_deliveries')
      .addColumn('round_attempts', 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
    await sql`update webhook_deliveries set round_attempts = attempts where status = 'pending'`.execute(db);
  },
};
