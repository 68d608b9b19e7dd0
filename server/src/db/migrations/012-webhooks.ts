import type { SchemaStep } from '../migrate.ts';

export const webhooks: SchemaStep = {
  name: '012-webhooks',
  async up(db, t) {
    await db.schema
      .createTable('webhooks')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('created_by', 'text', (c) => c.notNull())
      .addColumn('url', 'text', (c) => c.notNull())
      .addColumn('events', 'text', (c) => c.notNull())
      .addColumn('description', 'text')
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('disabled_reason', 'text')
      .addColumn('secret', 'text', (c) => c.notNull())
      .addColumn('previous_secret', 'text')
      .addColumn('previous_secret_until', t.int)
      .addColumn('failing_since', t.int)
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addColumn('updated_at', t.int, (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('webhooks_by_tenant')
      .on('webhooks')
      .columns(['tenant_id', 'created_at', 'id'])
      .execute();

    await db.schema
      .createTable('webhook_deliveries')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('webhook_id', 'text', (c) => c.notNull().references('webhooks.id').onDelete('cascade'))
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('event_id', 'text', (c) => c.notNull())
      .addColumn('event', 'text', (c) => c.notNull())
      .addColumn('body', 'text', (c) => c.notNull())
      .addColumn('request_id', 'text')
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('attempts', t.int, (c) => c.notNull())
      .addColumn('next_attempt_at', t.int)
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addColumn('finished_at', t.int)
      .addUniqueConstraint('webhook_deliveries_once', ['webhook_id', 'event_id'])
      .execute();
    await db.schema
      .createIndex('webhook_deliveries_by_webhook')
      .on('webhook_deliveries')
      .columns(['webhook_id', 'created_at', 'id'])
      .execute();

    await db.schema
      .createTable('webhook_attempts')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('delivery_id', 'text', (c) =>
        c.notNull().references('webhook_deliveries.id').onDelete('cascade'),
      )
      .addColumn('attempted_at', t.int, (c) => c.notNull())
      .addColumn('duration_ms', t.int, (c) => c.notNull())
      .addColumn('request_headers', 'text', (c) => c.notNull())
      .addColumn('status_code', t.int)
      .addColumn('response_headers', 'text')
      .addColumn('response_body', 'text')
      .addColumn('error', 'text')
      .execute();
    await db.schema
      .createIndex('webhook_attempts_by_delivery')
      .on('webhook_attempts')
      .columns(['delivery_id', 'attempted_at', 'id'])
      .execute();
  },
};
