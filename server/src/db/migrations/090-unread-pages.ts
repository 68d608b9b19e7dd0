import type { SchemaStep } from '../migrate.ts';

/** Pages of a document that hold pictures and no text: a JSON list of numbers. */
export const unreadPages: SchemaStep = {
  name: '090-unread-pages',
  async up(db) {
    await db.schema
      .alterTable('documents')
      .addColumn('unread_pages', 'text', (c) => c.notNull().defaultTo('[]'))
      .execute();
  },
};
