import type { SchemaStep } from '../migrate.ts';

export const costs: SchemaStep = {
  name: '004-costs',
  async up(db, t) {
    await db.schema
      .createTable('ledger')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text', (c) => c.notNull())
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('agent_id', 'text')
      .addColumn('model', 'text')
      .addColumn('tool', 'text')
      .addColumn('conversation_id', 'text')
      .addColumn('run_id', 'text')
      .addColumn('request_id', 'text')
      .addColumn('input_tokens', t.int, (c) => c.notNull())
      .addColumn('output_tokens', t.int, (c) => c.notNull())
      .addColumn('cached_input_tokens', t.int, (c) => c.notNull())
      .addColumn('cache_write_tokens', t.int, (c) => c.notNull())
      .addColumn('reasoning_tokens', t.int, (c) => c.notNull())
      .addColumn('cost_nano', t.int, (c) => c.notNull())
      .addColumn('estimated', t.int, (c) => c.notNull())
      .addColumn('created_at', t.int, (c) => c.notNull())
      .execute();
    await db.schema.createIndex('ledger_by_time').on('ledger').columns(['tenant_id', 'created_at']).execute();

    await db.schema
      .createTable('cost_limits')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('scope', 'text', (c) => c.notNull())
      .addColumn('subject', 'text', (c) => c.notNull())
      .addColumn('period', 'text', (c) => c.notNull())
      .addColumn('limit_nano', t.int, (c) => c.notNull())
      .addColumn('created_at', t.int, (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('cost_limits_key')
      .unique()
      .on('cost_limits')
      .columns(['tenant_id', 'scope', 'subject', 'period'])
      .execute();

    // One counter for each subject and period: what is spent, and what running calls may still spend.
    await db.schema
      .createTable('cost_counters')
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('scope', 'text', (c) => c.notNull())
      .addColumn('subject', 'text', (c) => c.notNull())
      .addColumn('period', 'text', (c) => c.notNull())
      .addColumn('starts_at', t.int, (c) => c.notNull())
      .addColumn('used_nano', t.int, (c) => c.notNull())
      .addColumn('reserved_nano', t.int, (c) => c.notNull())
      .addPrimaryKeyConstraint('cost_counters_key', ['tenant_id', 'scope', 'subject', 'period', 'starts_at'])
      .execute();

    // Open holds of running calls; a row that outlives its process is released by recovery.
    await db.schema
      .createTable('cost_holds')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('run_id', 'text')
      .addColumn('amount_nano', t.int, (c) => c.notNull())
      .addColumn('counters', 'text', (c) => c.notNull())
      .addColumn('created_at', t.int, (c) => c.notNull())
      .execute();
  },
};
