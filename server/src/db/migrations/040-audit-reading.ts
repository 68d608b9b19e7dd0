import type { SchemaStep } from '../migrate.ts';

/** The trail is read by time and by what was acted on, and now grows with every tool call. */
export const auditReading: SchemaStep = {
  name: '040-audit-reading',
  async up(db) {
    await db.schema
      .createIndex('audit_events_by_time')
      .on('audit_events')
      .columns(['tenant_id', 'created_at', 'id'])
      .execute();
    await db.schema
      .createIndex('audit_events_by_target')
      .on('audit_events')
      .columns(['tenant_id', 'target_id', 'created_at'])
      .execute();
  },
};
