import type { SchemaStep } from '../migrate.ts';

/** The credential whose rights bound what a webhook is told (kernel/stored-credential.ts); null in rows of earlier releases. */
export const credentialOfWebhooks: SchemaStep = {
  name: '075-credential-of-webhooks',
  async up(db) {
    await db.schema.alterTable('webhooks').addColumn('credential', 'text').execute();
  },
};
