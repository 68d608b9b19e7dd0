import type { SchemaStep } from '../migrate.ts';

export const http: SchemaStep = {
  name: '006-http',
  async up(db, t) {
    await db.schema
      .createTable('idempotency_keys')
      .addColumn('caller_id', 'text', (c) => c.notNull())
      .addColumn('key', 'text', (c) => c.notNull())
      .addColumn('fingerprint', 'text', (c) => c.notNull())
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('status', t.int)
      .addColumn('headers', 'text')
      .addColumn('body', 'text')
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addPrimaryKeyConstraint('idempotency_keys_key', ['caller_id', 'key'])
      .execute();
    await db.schema.createIndex('idempotency_keys_age').on('idempotency_keys').column('created_at').execute();
  },
};
