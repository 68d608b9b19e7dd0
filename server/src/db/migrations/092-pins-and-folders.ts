import type { SchemaStep } from '../migrate.ts';

/** How people order their conversations: 1 where one is pinned, and the name of the folder it is in. */
export const pinsAndFolders: SchemaStep = {
  name: '092-pins-and-folders',
  async up(db, t) {
    await db.schema.alterTable('conversations').addColumn('pinned', t.int).execute();
    await db.schema.alterTable('conversations').addColumn('folder', 'text').execute();
  },
};
