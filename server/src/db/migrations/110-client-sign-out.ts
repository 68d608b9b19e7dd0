import type { SchemaStep } from '../migrate.ts';

/** Where a registered client may send people after a sign-out, and whether it signs in by a code on another device. */
export const clientSignOut: SchemaStep = {
  name: '110-client-sign-out',
  async up(db) {
    await db.schema
      .alterTable('oauth_clients')
      .addColumn('post_logout_redirect_uris', 'text', (c) => c.notNull().defaultTo('[]'))
      .execute();
    await db.schema
      .alterTable('oauth_clients')
      .addColumn('device_flow', 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
  },
};
