import { sql } from 'kysely';
import type { SchemaStep } from '../migrate.ts';

/** Documents that were sent with a message: a JSON array of `{document_id, title}`, null where there are none. */
export const attachments: SchemaStep = {
  name: '130-attachments',
  async up(db) {
    await db.schema.alterTable('messages').addColumn('attachments', 'text').execute();
    await db.schema
      .createIndex('messages_with_attachments')
      .on('messages')
      .column('conversation_id')
      .where(sql.ref('attachments'), 'is not', null)
      .execute();
  },
};
