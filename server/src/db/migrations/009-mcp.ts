import type { SchemaStep } from '../migrate.ts';

export const mcp: SchemaStep = {
  name: '009-mcp',
  async up(db, t) {
    await db.schema
      .createTable('mcp_servers')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('title', 'text')
      .addColumn('transport', 'text', (c) => c.notNull())
      .addColumn('enabled', t.int, (c) => c.notNull())
      .addColumn('endpoint', 'text', (c) => c.notNull())
      .addColumn('policy', 'text', (c) => c.notNull())
      .addColumn('access', 'text', (c) => c.notNull())
      .addColumn('timeout_ms', t.int, (c) => c.notNull())
      .addColumn('created_by', 'text', (c) => c.notNull())
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addColumn('updated_at', t.int, (c) => c.notNull())
      .addUniqueConstraint('mcp_servers_name', ['tenant_id', 'name'])
      .execute();
    await db.schema
      .createTable('mcp_tool_pins')
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('server', 'text', (c) => c.notNull())
      .addColumn('tool', 'text', (c) => c.notNull())
      .addColumn('fingerprint', 'text', (c) => c.notNull())
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('accepted_by', 'text')
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addColumn('updated_at', t.int, (c) => c.notNull())
      .addPrimaryKeyConstraint('mcp_tool_pins_key', ['tenant_id', 'server', 'tool'])
      .execute();
    await db.schema
      .createTable('mcp_oauth')
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('server', 'text', (c) => c.notNull())
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('updated_at', t.int, (c) => c.notNull())
      .addPrimaryKeyConstraint('mcp_oauth_key', ['tenant_id', 'server'])
      .execute();
  },
};
