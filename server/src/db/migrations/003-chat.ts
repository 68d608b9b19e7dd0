import { sql } from 'kysely';
import type { SchemaStep } from '../migrate.ts';

export const chat: SchemaStep = {
  name: '003-chat',
  async up(db, t) {
    await db.schema
      .createTable('conversations')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text', (c) => c.notNull())
      .addColumn('title', 'text')
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('metadata', 'text', (c) => c.notNull())
      .addColumn('agent_ids', 'text', (c) => c.notNull())
      .addColumn('message_count', t.int, (c) => c.notNull())
      .addColumn('cost_nano', t.int, (c) => c.notNull())
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addColumn('updated_at', t.int, (c) => c.notNull())
      .addColumn('archived_at', t.int)
      .execute();
    await db.schema
      .createIndex('conversations_by_user')
      .on('conversations')
      .columns(['tenant_id', 'user_id', 'status', 'created_at', 'id'])
      .execute();

    await db.schema
      .createTable('messages')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text', (c) => c.notNull())
      .addColumn('conversation_id', 'text', (c) =>
        c.notNull().references('conversations.id').onDelete('cascade'),
      )
      .addColumn('role', 'text', (c) => c.notNull())
      .addColumn('content', 'text', (c) => c.notNull())
      .addColumn('agent_id', 'text')
      .addColumn('tool_calls', 'text')
      .addColumn('citations', 'text')
      .addColumn('usage', 'text')
      .addColumn('metadata', 'text')
      .addColumn('cost_nano', t.int, (c) => c.notNull())
      .addColumn('run_id', 'text')
      .addColumn('created_at', t.int, (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('messages_by_conversation')
      .on('messages')
      .columns(['conversation_id', 'created_at', 'id'])
      .execute();

    await db.schema
      .createTable('message_feedback')
      .addColumn('message_id', 'text', (c) => c.notNull().references('messages.id').onDelete('cascade'))
      .addColumn('user_id', 'text', (c) => c.notNull())
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('rating', 'text', (c) => c.notNull())
      .addColumn('comment', 'text')
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addPrimaryKeyConstraint('message_feedback_key', ['message_id', 'user_id'])
      .execute();

    await db.schema
      .createTable('runs')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text', (c) => c.notNull())
      .addColumn('conversation_id', 'text', (c) =>
        c.notNull().references('conversations.id').onDelete('cascade'),
      )
      .addColumn('message_id', 'text', (c) => c.notNull())
      .addColumn('question_id', 'text', (c) => c.notNull())
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('agent_id', 'text')
      .addColumn('agent_ids', 'text', (c) => c.notNull())
      .addColumn('request', 'text', (c) => c.notNull())
      .addColumn('usage', 'text')
      .addColumn('cost_nano', t.int, (c) => c.notNull())
      .addColumn('error', 'text')
      .addColumn('journal', 'text')
      .addColumn('tool_call_count', t.int, (c) => c.notNull())
      .addColumn('first_token_ms', t.int)
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addColumn('finished_at', t.int)
      .execute();
    await db.schema
      .createIndex('runs_by_conversation')
      .on('runs')
      .columns(['conversation_id', 'created_at'])
      .execute();
    await db.schema
      .createIndex('runs_by_agent')
      .on('runs')
      .columns(['tenant_id', 'agent_id', 'created_at'])
      .execute();
    await sql`create index runs_open on runs (created_at) where finished_at is null`.execute(db);
  },
};
