import type { SchemaStep } from '../migrate.ts';

/**
 * What an account could do when a link to it was made, and what the credential could that made the link, the password or the key.
 * Null in rows of before.
 */
export const rightsOfLinks: SchemaStep = {
  name: '121-rights-of-links',
  async up(db) {
    for (const column of ['roles', 'permissions', 'maker_permissions']) {
      await db.schema.alterTable('one_time_links').addColumn(column, 'text').execute();
    }
    await db.schema.alterTable('machine_keys').addColumn('maker_permissions', 'text').execute();
    await db.schema.alterTable('users').addColumn('password_permissions', 'text').execute();
  },
};
