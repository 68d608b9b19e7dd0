import type { SchemaStep } from '../migrate.ts';

export const agentSuggestions: SchemaStep = {
  name: '015-agent-suggestions',
  async up(db, t) {
    await db.schema
      .createTable('agent_suggestions')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('agent_id', 'text', (c) => c.notNull())
      .addColumn('instruction', 'text', (c) => c.notNull())
      .addColumn('reason', 'text')
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('suggested_by', 'text', (c) => c.notNull())
      .addColumn('conversation_id', 'text')
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addColumn('decided_by', 'text')
      .addColumn('decided_at', t.int)
      .execute();
    await db.schema
      .createIndex('agent_suggestions_tenant')
      .on('agent_suggestions')
      .columns(['tenant_id', 'status', 'created_at', 'id'])
      .execute();
  },
};
