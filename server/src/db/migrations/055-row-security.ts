import { sql } from 'kysely';
import type { SchemaStep } from '../migrate.ts';
import { ofParent, ofTenant, raiseWalls } from './row-security.ts';

const OF_A_TENANT = [
  'users',
  'sessions',
  'oauth_clients',
  'api_keys',
  'machine_keys',
  'audit_events',
  'audit_heads',
  'conversations',
  'messages',
  'message_feedback',
  'runs',
  'conversation_imports',
  'ledger',
  'cost_limits',
  'cost_counters',
  'cost_holds',
  'documents',
  'chunks',
  'agent_settings',
  'agent_suggestions',
  'memory_entities',
  'memory_observations',
  'memory_relations',
  'mcp_servers',
  'mcp_tool_pins',
  'proposals',
  'webhooks',
  'webhook_deliveries',
  'tasks',
  'task_runs',
  'notifications',
  'notification_preferences',
];

const CHILDREN: readonly (readonly [table: string, parent: string, column: string])[] = [
  ['run_steps', 'runs', 'run_id'],
  ['conversation_summaries', 'conversations', 'conversation_id'],
  ['document_versions', 'documents', 'document_id'],
  ['document_facts', 'documents', 'document_id'],
  ['proposal_votes', 'proposals', 'proposal_id'],
  ['webhook_attempts', 'webhook_deliveries', 'delivery_id'],
  ['access_tokens', 'users', 'user_id'],
  ['one_time_links', 'users', 'user_id'],
];

/**
 * Policies on every table with rows of tenants. Left out, since no tenant stands in them: what is found by a secret or by a
 * hash (oidc_records, idempotency_keys by the caller's id, login_failures), the queue's and the nodes' own tables, blobs
 * (by a key that only `documents` gives away), and chunk_terms: `@@` is not leakproof, so that a policy would keep the
 * index from being used; a search comes out of it by way of `chunks`, which has one.
 */
export const rowSecurity: SchemaStep = {
  name: '055-row-security',
  async up(db, t) {
    if (t.dialect !== 'postgres') return;
    const { rows } = await sql<{ name: string }>`select table_name as name from information_schema.tables
      where table_schema = current_schema() and table_name ~ '^vectors_[0-9]+$'`.execute(db);
    await raiseWalls(db, [
      ofTenant('tenants', { column: 'id' }),
      ...OF_A_TENANT.map((table) => ofTenant(table)),
      ofTenant('mcp_oauth', { shared: true }),
      ...CHILDREN.map(([table, parent, column]) => ofParent(table, { table: parent, column })),
      ...rows.map(({ name }) => ofTenant(name)),
    ]);
  },
};
