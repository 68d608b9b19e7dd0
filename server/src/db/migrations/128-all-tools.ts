import type { SchemaStep } from '../migrate.ts';

/** Whether an agent's model is told of all its tools with each call. */
export const allTools: SchemaStep = {
  name: '128-all-tools',
  async up(db) {
    await db.schema
      .alterTable('agent_settings')
      .addColumn('all_tools', 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
  },
};
