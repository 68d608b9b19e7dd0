import { sql } from 'kysely';
import type { SchemaStep } from '../migrate.ts';
import { ofTenant, raiseWalls } from './row-security.ts';

/** Where clients of the A2A door want to be told how a task goes on. They go with the run, and with the person. */
export const taskNotifications: SchemaStep = {
  name: '210-task-notifications',
  async up(db, t) {
    await db.schema
      .createTable('a2a_push_configs')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('run_id', 'text', (c) => c.notNull().references('runs.id').onDelete('cascade'))
      .addColumn('config_id', 'text', (c) => c.notNull())
      .addColumn('url', 'text', (c) => c.notNull())
      .addColumn('auth_scheme', 'text')
      .addColumn('secrets', 'text')
      .addColumn('protocol', 'text', (c) => c.notNull())
      .addColumn('credential', 'text', (c) => c.notNull())
      .addColumn('told', 'text')
      .addColumn('told_count', t.int, (c) => c.notNull())
      .addColumn('attempts', t.int, (c) => c.notNull())
      .addColumn('due', t.int)
      .addColumn('end_reason', 'text')
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addColumn('finished_at', t.int)
      .addUniqueConstraint('a2a_push_configs_once', ['run_id', 'user_id', 'config_id'])
      .execute();
    await db.schema
      .createIndex('a2a_push_configs_by_user')
      .on('a2a_push_configs')
      .column('user_id')
      .execute();
    await sql`create index a2a_push_configs_open on a2a_push_configs (tenant_id)
      where finished_at is null`.execute(db);
    if (t.dialect === 'postgres') await raiseWalls(db, [ofTenant('a2a_push_configs')]);
  },
};
