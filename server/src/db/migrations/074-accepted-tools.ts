import type { SchemaStep } from '../migrate.ts';

/** Who has accepted, when registering a server, the tools that it lists at first; without anybody they are unaccepted. */
export const acceptedTools: SchemaStep = {
  name: '074-accepted-tools',
  async up(db) {
    await db.schema.alterTable('mcp_servers').addColumn('accept_tools_by', 'text').execute();
  },
};
