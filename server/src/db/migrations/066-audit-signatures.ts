import type { SchemaStep } from '../migrate.ts';

/**
 * `mac` of a row of the audit chain and `seal` of its head: by a key that is not in the store. Rows of before have none; a row
 * `audit.signing_began` stands where they begin (features/audit/signer.ts).
 */
export const auditSignatures: SchemaStep = {
  name: '066-audit-signatures',
  async up(db) {
    await db.schema.alterTable('audit_events').addColumn('mac', 'text').execute();
    await db.schema.alterTable('audit_heads').addColumn('seal', 'text').execute();
  },
};
