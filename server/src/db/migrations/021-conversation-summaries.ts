import type { SchemaStep } from '../migrate.ts';

/** What the oldest turns of a long conversation were about, for prompts that have no room for them. */
export const conversationSummaries: SchemaStep = {
  name: '021-conversation-summaries',
  async up(db, t) {
    await db.schema
      .createTable('conversation_summaries')
      .addColumn('conversation_id', 'text', (c) =>
        c.primaryKey().references('conversations.id').onDelete('cascade'),
      )
      .addColumn('upto_id', 'text', (c) => c.notNull())
      .addColumn('upto_created_at', t.int, (c) => c.notNull())
      .addColumn('message_count', t.int, (c) => c.notNull())
      .addColumn('model', 'text', (c) => c.notNull())
      .addColumn('content', 'text', (c) => c.notNull())
      .addColumn('created_at', t.int, (c) => c.notNull())
      .execute();
  },
};
