import type { SchemaStep } from '../migrate.ts';

export const accounts: SchemaStep = {
  name: '001-accounts',
  async up(db, t) {
    await db.schema
      .createTable('tenants')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('slug', 'text', (c) => c.notNull().unique())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('tier', 'text', (c) => c.notNull())
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('settings', 'text', (c) => c.notNull())
      .addColumn('external_id', 'text', (c) => c.unique())
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addColumn('updated_at', t.int, (c) => c.notNull())
      .execute();
    await db.schema
      .createTable('users')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('tenant_id', 'text', (c) => c.notNull().references('tenants.id'))
      .addColumn('type', 'text', (c) => c.notNull())
      .addColumn('email', 'text', (c) => c.notNull())
      .addColumn('email_folded', 'text', (c) => c.notNull().unique())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('password_hash', 'text')
      .addColumn('roles', 'text', (c) => c.notNull())
      .addColumn('permissions', 'text', (c) => c.notNull())
      .addColumn('tier', 'text')
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('external_id', 'text', (c) => c.unique())
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addColumn('updated_at', t.int, (c) => c.notNull())
      .addColumn('last_seen_at', t.int)
      .execute();
    await db.schema
      .createIndex('users_by_tenant')
      .on('users')
      .columns(['tenant_id', 'created_at', 'id'])
      .execute();
  },
};
