import { sql } from 'kysely';
import type { SchemaStep } from '../migrate.ts';

/** When housekeeping is due, over all nodes, and what makes it cheap to find what has become old. */
export const maintenance: SchemaStep = {
  name: '035-maintenance',
  async up(db, t) {
    await db.schema
      .createTable('maintenance')
      .addColumn('name', 'text', (c) => c.primaryKey())
      .addColumn('due_at', t.int, (c) => c.notNull())
      .addColumn('position', 'text')
      .execute();
    await sql`create index conversations_archived on conversations (archived_at) where archived_at is not null`.execute(
      db,
    );
    await sql`create index webhook_deliveries_age on webhook_deliveries (finished_at) where finished_at is not null`.execute(
      db,
    );
    await db.schema.createIndex('notifications_age').on('notifications').column('created_at').execute();
  },
};
