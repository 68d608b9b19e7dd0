import { sql } from 'kysely';
import type { SchemaStep } from '../migrate.ts';

export const governance: SchemaStep = {
  name: '010-governance',
  async up(db, t) {
    await db.schema
      .createTable('proposals')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('requested_by', 'text', (c) => c.notNull())
      .addColumn('agent_id', 'text')
      .addColumn('conversation_id', 'text')
      .addColumn('run_id', 'text')
      .addColumn('request_id', 'text')
      .addColumn('action', 'text', (c) => c.notNull())
      .addColumn('description', 'text', (c) => c.notNull())
      .addColumn('estimated_nano', t.int, (c) => c.notNull())
      .addColumn('risk', 'text', (c) => c.notNull())
      .addColumn('flags', 'text', (c) => c.notNull())
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('reason', 'text')
      .addColumn('tool_server', 'text')
      .addColumn('tool_name', 'text')
      .addColumn('tool_arguments', 'text')
      .addColumn('tool_facts', 'text')
      .addColumn('call_hash', 'text')
      .addColumn('tainted', t.int, (c) => c.notNull())
      .addColumn('version', t.int, (c) => c.notNull())
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addColumn('deadline', t.int)
      .addColumn('expires_at', t.int, (c) => c.notNull())
      .addColumn('decided_at', t.int)
      .addColumn('decided_by', 'text')
      .addColumn('execution_status', 'text')
      .addColumn('execution_result', 'text')
      .addColumn('execution_error', 'text')
      .addColumn('execution_node', 'text')
      .addColumn('execution_deadline', t.int)
      .addColumn('settled', t.int, (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('proposals_by_tenant')
      .on('proposals')
      .columns(['tenant_id', 'created_at', 'id'])
      .execute();
    await db.schema
      .createIndex('proposals_by_call')
      .on('proposals')
      .columns(['tenant_id', 'call_hash'])
      .execute();
    await sql`create index proposals_unsettled on proposals (created_at) where settled = 0`.execute(db);

    await db.schema
      .createTable('proposal_votes')
      .addColumn('proposal_id', 'text', (c) => c.notNull().references('proposals.id').onDelete('cascade'))
      .addColumn('voter_type', 'text', (c) => c.notNull())
      .addColumn('voter', 'text', (c) => c.notNull())
      .addColumn('seat', 'text')
      .addColumn('vote', 'text', (c) => c.notNull())
      .addColumn('reason', 'text', (c) => c.notNull())
      .addColumn('veto', 'text')
      .addColumn('confidence', t.real)
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addPrimaryKeyConstraint('proposal_votes_key', ['proposal_id', 'voter_type', 'voter'])
      .execute();
  },
};
