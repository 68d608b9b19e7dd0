import type { SchemaStep } from '../migrate.ts';
import { ofTenant, raiseWalls } from './row-security.ts';

/** Messages of which a person has had something forgotten: none of them is read for memory again. */
export const forgottenMessages: SchemaStep = {
  name: '220-forgotten-messages',
  async up(db, t) {
    await db.schema
      .createTable('memory_forgotten')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text', (c) => c.notNull())
      .addColumn('message_id', 'text', (c) => c.notNull())
      .addColumn('created_at', t.int, (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('memory_forgotten_once')
      .unique()
      .on('memory_forgotten')
      .columns(['tenant_id', 'user_id', 'message_id'])
      .execute();
    if (t.dialect === 'postgres') await raiseWalls(db, [ofTenant('memory_forgotten')]);
  },
};
