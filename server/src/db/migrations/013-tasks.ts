import { sql } from 'kysely';
import type { SchemaStep } from '../migrate.ts';

export const tasks: SchemaStep = {
  name: '013-tasks',
  async up(db, t) {
    await db.schema
      .createTable('tasks')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text', (c) => c.notNull())
      .addColumn('description', 'text', (c) => c.notNull())
      .addColumn('agent_id', 'text')
      .addColumn('context', 'text')
      .addColumn('priority', 'text', (c) => c.notNull())
      .addColumn('scheduled_at', t.int)
      .addColumn('cron', 'text')
      .addColumn('timezone', 'text', (c) => c.notNull())
      .addColumn('overlap', 'text', (c) => c.notNull())
      .addColumn('missed', 'text', (c) => c.notNull())
      .addColumn('permissions', 'text', (c) => c.notNull())
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('progress', 'text')
      .addColumn('result', 'text')
      .addColumn('error', 'text')
      .addColumn('attempts', t.int, (c) => c.notNull())
      .addColumn('next_run_at', t.int)
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addColumn('updated_at', t.int, (c) => c.notNull())
      .addColumn('finished_at', t.int)
      .execute();
    await db.schema
      .createIndex('tasks_by_user')
      .on('tasks')
      .columns(['tenant_id', 'user_id', 'created_at', 'id'])
      .execute();
    await db.schema
      .createIndex('tasks_by_tenant')
      .on('tasks')
      .columns(['tenant_id', 'created_at', 'id'])
      .execute();
    await sql`create index tasks_due on tasks (next_run_at) where next_run_at is not null`.execute(db);

    await db.schema
      .createTable('task_runs')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('task_id', 'text', (c) => c.notNull().references('tasks.id').onDelete('cascade'))
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text', (c) => c.notNull())
      .addColumn('slot_at', t.int, (c) => c.notNull())
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('attempts', t.int, (c) => c.notNull())
      .addColumn('run_ids', 'text', (c) => c.notNull())
      .addColumn('conversation_id', 'text')
      .addColumn('result', 'text')
      .addColumn('error', 'text')
      .addColumn('cost_nano', t.int, (c) => c.notNull())
      .addColumn('cancel_requested', t.int, (c) => c.notNull())
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addColumn('started_at', t.int)
      .addColumn('finished_at', t.int)
      .addUniqueConstraint('task_runs_slot', ['task_id', 'slot_at'])
      .execute();
    await db.schema
      .createIndex('task_runs_by_task')
      .on('task_runs')
      .columns(['task_id', 'created_at', 'id'])
      .execute();
    await sql`create index task_runs_waiting on task_runs (created_at) where status = 'awaiting_approval'`.execute(
      db,
    );
  },
};
