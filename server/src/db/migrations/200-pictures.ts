import type { SchemaStep } from '../migrate.ts';
import { ofTenant, raiseWalls } from './row-security.ts';

/**
 * Pictures of messages, which name them in `attachments`. They go with their conversation by its key, in the same transaction. A fork
 * has its own rows under the same ids.
 */
export const pictures: SchemaStep = {
  name: '200-pictures',
  async up(db, t) {
    await db.schema
      .createTable('pictures')
      .addColumn('id', 'text', (c) => c.notNull())
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('conversation_id', 'text', (c) =>
        c.notNull().references('conversations.id').onDelete('cascade'),
      )
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('media_type', 'text', (c) => c.notNull())
      .addColumn('width', t.int, (c) => c.notNull())
      .addColumn('height', t.int, (c) => c.notNull())
      .addColumn('size_bytes', t.int, (c) => c.notNull())
      .addColumn('bytes', t.blob, (c) => c.notNull())
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addPrimaryKeyConstraint('pictures_pk', ['conversation_id', 'id'])
      .execute();
    await db.schema.createIndex('pictures_by_user').on('pictures').column('user_id').execute();
    if (t.dialect === 'postgres') await raiseWalls(db, [ofTenant('pictures')]);
  },
};
