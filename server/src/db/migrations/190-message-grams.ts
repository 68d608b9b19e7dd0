import type { SchemaStep } from '../migrate.ts';
import { ofTenant, raiseWalls } from './row-security.ts';

/**
 * Which of a person's messages may hold a piece of text (features/conversations/grams.rules.ts). It is filled after a person's first
 * search; a release that does not know it neither reads nor fills it.
 */
export const messageGrams: SchemaStep = {
  name: '190-message-grams',
  async up(db, t) {
    await db.schema
      .createTable('message_segments')
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text', (c) => c.notNull())
      .addColumn('segment', t.int, (c) => c.notNull())
      .addColumn('last_id', 'text', (c) => c.notNull())
      .addColumn('ids', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('message_segments_key', ['tenant_id', 'user_id', 'segment'])
      .execute();
    await db.schema
      .createTable('message_grams')
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text', (c) => c.notNull())
      .addColumn('page', t.int, (c) => c.notNull())
      .addColumn('segment', t.int, (c) => c.notNull())
      .addColumn('bits', t.blob, (c) => c.notNull())
      .addPrimaryKeyConstraint('message_grams_key', ['tenant_id', 'user_id', 'page', 'segment'])
      .execute();
    if (t.dialect === 'postgres')
      await raiseWalls(db, [ofTenant('message_segments'), ofTenant('message_grams')]);
  },
};
