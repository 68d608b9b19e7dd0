import type { SchemaStep } from '../migrate.ts';

/** Which conversations of other products a person has brought along already. */
export const conversationImports: SchemaStep = {
  name: '022-conversation-imports',
  async up(db, t) {
    await db.schema
      .createTable('conversation_imports')
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text', (c) => c.notNull())
      .addColumn('source', 'text', (c) => c.notNull())
      .addColumn('source_id', 'text', (c) => c.notNull())
      .addColumn('conversation_id', 'text', (c) =>
        c.notNull().references('conversations.id').onDelete('cascade'),
      )
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addPrimaryKeyConstraint('conversation_imports_key', ['tenant_id', 'user_id', 'source', 'source_id'])
      .execute();
    await db.schema
      .createIndex('conversation_imports_by_conversation')
      .on('conversation_imports')
      .columns(['conversation_id'])
      .execute();
  },
};
