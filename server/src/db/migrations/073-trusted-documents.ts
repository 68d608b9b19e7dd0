import type { SchemaStep } from '../migrate.ts';

/** Documents that an administrator vouches for: what is read of them does not mark a conversation. */
export const trustedDocuments: SchemaStep = {
  name: '073-trusted-documents',
  async up(db, t) {
    await db.schema
      .alterTable('documents')
      .addColumn('trusted', t.int, (c) => c.notNull().defaultTo(0))
      .execute();
  },
};
