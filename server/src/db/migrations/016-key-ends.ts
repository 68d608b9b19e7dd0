import type { SchemaStep } from '../migrate.ts';

/** What became of a key: which one took its place, and when it was deleted. Both end it for rotation. */
export const keyEnds: SchemaStep = {
  name: '016-key-ends',
  async up(db, t) {
    await db.schema.alterTable('api_keys').addColumn('replaced_by', 'text').execute();
    await db.schema.alterTable('api_keys').addColumn('deleted_at', t.int).execute();
  },
};
