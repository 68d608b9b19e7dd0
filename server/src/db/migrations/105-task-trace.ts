import type { SchemaStep } from '../migrate.ts';

/** The trace (`traceparent`) of the request or run that made a task: the spans of its runs lead back to it. */
export const taskTrace: SchemaStep = {
  name: '105-task-trace',
  async up(db) {
    await db.schema.alterTable('tasks').addColumn('trace_parent', 'text').execute();
  },
};
