import type { SchemaStep } from '../migrate.ts';

export const notifications: SchemaStep = {
  name: '014-notifications',
  async up(db, t) {
    await db.schema
      .createTable('notifications')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text', (c) => c.notNull())
      .addColumn('category', 'text', (c) => c.notNull())
      .addColumn('level', 'text', (c) => c.notNull())
      .addColumn('title', 'text', (c) => c.notNull())
      .addColumn('body', 'text', (c) => c.notNull())
      .addColumn('data', 'text', (c) => c.notNull())
      .addColumn('event_id', 'text')
      .addColumn('read_at', t.int)
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addUniqueConstraint('notifications_once', ['user_id', 'event_id'])
      .execute();
    await db.schema
      .createIndex('notifications_by_user')
      .on('notifications')
      .columns(['tenant_id', 'user_id', 'created_at', 'id'])
      .execute();
    await db.schema
      .createTable('notification_preferences')
      .addColumn('user_id', 'text', (c) => c.primaryKey())
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('preferences', 'text', (c) => c.notNull())
      .addColumn('updated_at', t.int, (c) => c.notNull())
      .execute();
  },
};
