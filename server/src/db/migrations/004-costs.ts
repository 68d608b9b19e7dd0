import { sql } from 'kysely';
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
      .addColumn('reported_nano', t.int)
      .addColumn('estimated', t.int, (c) => c.notNull())
      .addColumn('created_at', t.int, (c) => c.notNull())
      .execute();
    await db.schema.createIndex('ledger_by_time').on('ledger').columns(['tenant_id', 'created_at']).execute();

    // A removed limit stays as a row without an amount, so that the defaults do not come back.
    await db.schema
      .createTable('cost_limits')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('scope', 'text', (c) => c.notNull())
      .addColumn('subject', 'text', (c) => c.notNull())
      .addColumn('period', 'text', (c) => c.notNull())
      .addColumn('limit_nano', t.int)
      .addColumn('created_at', t.int, (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('cost_limits_key')
      .unique()
      .on('cost_limits')
      .columns(['tenant_id', 'scope', 'subject', 'period'])
      .execute();

    // What is spent and what running calls may still spend, by subject and period. The limit stands in the row itself,
    // so that one statement checks and reserves, and a changed limit holds on every node at once.
    const counters = db.schema
      .createTable('cost_counters')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('scope', 'text', (c) => c.notNull())
      .addColumn('subject', 'text', (c) => c.notNull())
      .addColumn('period', 'text', (c) => c.notNull())
      .addColumn('starts_at', t.int, (c) => c.notNull())
      .addColumn('ends_at', t.int, (c) => c.notNull())
      .addColumn('limit_nano', t.int)
      .addColumn('run_limit_nano', t.int)
      .addColumn('used_nano', t.int, (c) => c.notNull())
      .addColumn('reserved_nano', t.int, (c) => c.notNull())
      .addColumn('alerted', t.int, (c) => c.notNull())
      .addColumn('refused', t.int, (c) => c.notNull());
    await (t.dialect === 'sqlite' ? counters.modifyEnd(sql`without rowid`) : counters).execute();
    await db.schema
      .createIndex('cost_counters_by_end')
      .on('cost_counters')
      .columns(['tenant_id', 'ends_at'])
      .execute();

    // Open holds of running calls; a row that outlives its process is released by recovery.
    await db.schema
      .createTable('cost_holds')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text', (c) => c.notNull())
      .addColumn('agent_id', 'text')
      .addColumn('run_id', 'text')
      .addColumn('node_id', 'text', (c) => c.notNull())
      .addColumn('amount_nano', t.int, (c) => c.notNull())
      .addColumn('run_nano', t.int, (c) => c.notNull())
      .addColumn('counters', 'text', (c) => c.notNull())
      .addColumn('created_at', t.int, (c) => c.notNull())
      .execute();
    await sql`create index cost_holds_by_run on cost_holds (run_id) where run_id is not null`.execute(db);

    // Heartbeat of the processes that own holds; one that is silent for long is dead.
    await db.schema
      .createTable('cost_nodes')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('seen_at', t.int, (c) => c.notNull())
      .execute();
  },
};
