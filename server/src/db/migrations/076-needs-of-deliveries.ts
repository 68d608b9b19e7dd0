import type { SchemaStep } from '../migrate.ts';

/**
 * What a stored delivery asks of who sees its body or gets it sent: permission, reach and owner of its event. Null in rows of
 * earlier releases. `readers` of a webhook are all those whose rights bound it; null where its maker is the only one.
 */
export const needsOfDeliveries: SchemaStep = {
  name: '076-needs-of-deliveries',
  async up(db) {
    for (const column of ['permission', 'reach', 'owner', 'cancelled_reason']) {
      await db.schema.alterTable('webhook_deliveries').addColumn(column, 'text').execute();
    }
    await db.schema.alterTable('webhooks').addColumn('readers', 'text').execute();
  },
};
