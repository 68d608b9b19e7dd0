import type { SchemaStep } from '../migrate.ts';

/** What was accepted of a tool, so that a change can be shown against it; and schedules that rest for a while. */
export const consolePages: SchemaStep = {
  name: '045-console-pages',
  async up(db, t) {
    await db.schema.alterTable('mcp_tool_pins').addColumn('definition', 'text').execute();
    await db.schema
      .alterTable('tasks')
      .addColumn('paused', t.int, (c) => c.notNull().defaultTo(0))
      .execute();
  },
};
