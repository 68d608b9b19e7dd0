import type { SchemaStep } from '../migrate.ts';
import { ofTenant, raiseWalls } from './row-security.ts';

/**
 * Read-only views of conversations. `message_id` is the last message of what is shown: what it follows never changes, so that
 * no text is held twice. The secret of the link is kept as its hash.
 */
export const conversationShares: SchemaStep = {
  name: '140-conversation-shares',
  async up(db, t) {
    await db.schema
      .createTable('conversation_shares')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('conversation_id', 'text', (c) =>
        c.notNull().references('conversations.id').onDelete('cascade'),
      )
      .addColumn('message_id', 'text', (c) => c.notNull())
      .addColumn('audience', 'text', (c) => c.notNull())
      .addColumn('secret_hash', 'text', (c) => c.notNull().unique())
      .addColumn('title', 'text')
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addColumn('expires_at', t.int, (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('conversation_shares_by_conversation')
      .on('conversation_shares')
      .columns(['conversation_id', 'created_at', 'id'])
      .execute();
    await db.schema
      .createIndex('conversation_shares_by_user')
      .on('conversation_shares')
      .column('user_id')
      .execute();
    if (t.dialect === 'postgres') await raiseWalls(db, [ofTenant('conversation_shares')]);
  },
};
