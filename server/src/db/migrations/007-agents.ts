import type { SchemaStep } from '../migrate.ts';

export const agents: SchemaStep = {
  name: '007-agents',
  async up(db, t) {
    await db.schema
      .createTable('agent_settings')
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('agent_id', 'text', (c) => c.notNull())
      .addColumn('enabled', t.int, (c) => c.notNull())
      .addColumn('model', 'text')
      .addColumn('instructions', 'text')
      .addColumn('updated_at', t.int, (c) => c.notNull())
      .addPrimaryKeyConstraint('agent_settings_key', ['tenant_id', 'agent_id'])
      .execute();
  },
};
