import type { SchemaStep } from '../migrate.ts';

/** When a PATCH last set a field of a document, so that an upload from before it does not undo it. */
export const documentPatches: SchemaStep = {
  name: '181-document-patches',
  async up(db) {
    await db.schema.alterTable('documents').addColumn('patched', 'text').execute();
  },
};
