import type { SchemaStep } from '../migrate.ts';

/** A person's runs, newest first: ids are ordered by creation. */
export const runsByUser: SchemaStep = {
  name: '020-runs-by-user',
  async up(db) {
    await db.schema.createIndex('runs_by_user').on('runs').columns(['tenant_id', 'user_id', 'id']).execute();
  },
};
