import type { Row, Session } from './session.ts';
import type { TableShape } from './shape.ts';
import { conditionOf } from './view.ts';

/**
 * What each column of a tenant's archive refers to. `must`: the row is in the archive. `may`: history, whose row can be gone;
 * where there is one, it is the tenant's own. server/test/references.test.ts holds this complete against the schema.
 */
export interface Reference {
  table: string;
  column: string;
  to: string;
  how: 'must' | 'may';
}

const must = (to: string) => ({ to, how: 'must' as const });
const may = (to: string) => ({ to, how: 'may' as const });

type Target = ReturnType<typeof must> | ReturnType<typeof may>;

const BY_TABLE: Record<string, Record<string, Target>> = {
  users: { tenant_id: must('tenants') },
  api_keys: { user_id: must('users'), replaced_by: may('api_keys') },
  machine_keys: { user_id: must('users') },
  one_time_links: { user_id: must('users') },
  oauth_clients: { service_user_id: must('users'), created_by: may('users') },
  agent_suggestions: {
    suggested_by: may('users'),
    conversation_id: may('conversations'),
    decided_by: may('users'),
  },
  conversations: { user_id: must('users') },
  conversation_imports: { user_id: must('users'), conversation_id: must('conversations') },
  conversation_summaries: { conversation_id: must('conversations'), upto_id: may('messages') },
  messages: {
    user_id: must('users'),
    conversation_id: must('conversations'),
    run_id: may('runs'),
    parent_id: may('messages'),
  },
  pictures: { user_id: must('users'), conversation_id: must('conversations') },
  message_feedback: { message_id: must('messages'), user_id: must('users') },
  runs: {
    user_id: must('users'),
    conversation_id: must('conversations'),
    message_id: may('messages'),
    question_id: may('messages'),
  },
  run_steps: { run_id: must('runs') },
  cost_counters: { subject: may('users') },
  cost_limits: { subject: may('users') },
  ledger: { user_id: may('users'), conversation_id: may('conversations'), run_id: may('runs') },
  documents: { user_id: must('users') },
  document_uploads: { user_id: must('users'), document_id: may('documents') },
  document_upload_vectors: { upload_id: must('document_uploads') },
  document_facts: { document_id: must('documents') },
  document_versions: { document_id: must('documents') },
  hidden_generations: { document_id: must('documents') },
  chunks: { document_id: must('documents') },
  mcp_servers: { created_by: may('users'), accept_tools_by: may('users') },
  mcp_tool_pins: { accepted_by: may('users') },
  memory_entities: { owner: may('users'), created_by: may('users'), subject_user_id: may('users') },
  memory_observations: {
    entity_id: must('memory_entities'),
    user_id: may('users'),
    message_id: may('messages'),
    conversation_id: may('conversations'),
  },
  memory_relations: {
    owner: may('users'),
    created_by: may('users'),
    from_entity_id: must('memory_entities'),
    to_entity_id: must('memory_entities'),
    message_id: may('messages'),
    conversation_id: may('conversations'),
  },
  memory_forgotten: { user_id: must('users'), message_id: must('messages') },
  notification_preferences: { user_id: must('users') },
  notifications: { user_id: must('users') },
  proposals: {
    requested_by: may('users'),
    conversation_id: may('conversations'),
    run_id: may('runs'),
    decided_by: may('users'),
  },
  proposal_votes: { proposal_id: must('proposals'), voter: may('users') },
  tasks: { user_id: must('users'), parent_task_id: may('tasks'), created_by_run: may('runs') },
  task_runs: { task_id: must('tasks'), user_id: must('users'), conversation_id: may('conversations') },
  a2a_push_configs: { user_id: must('users'), run_id: must('runs') },
  webhooks: { created_by: may('users') },
  webhook_deliveries: { webhook_id: must('webhooks'), owner: may('users') },
  webhook_attempts: { delivery_id: must('webhook_deliveries') },
};

export const REFERENCES: readonly Reference[] = Object.entries(BY_TABLE).flatMap(([table, columns]) =>
  Object.entries(columns).map(([column, target]) => ({ table, column, ...target })),
);

/**
 * JSON and other texts that act by the ids they hold. None of them may name a row of another tenant, whatever its table.
 */
export const SCANNED: Readonly<Record<string, readonly string[]>> = {
  jobs: ['payload', 'group_key'],
  messages: ['attachments'],
  runs: ['request', 'delegated', 'journal', 'credential'],
  run_steps: ['payload'],
  tasks: ['context', 'credential'],
  task_runs: ['run_ids'],
  proposals: ['tool_arguments', 'tool_facts', 'credential'],
  mcp_servers: ['policy', 'access'],
  notifications: ['data'],
  webhooks: ['credential', 'readers'],
  a2a_push_configs: ['credential'],
};

/** Columns that look like references and are none: names, ids of another kind, history of the audit chain. */
export const NO_REFERENCES: Readonly<Record<string, readonly string[]>> = {
  '*': ['id', 'tenant_id', 'agent_id', 'request_id', 'node_id', 'event_id', 'external_id', 'source_id'],
  audit_events: ['actor_id', 'target_id'],
};

/** Throws where a row of the tenant refers to one of another tenant, or to none where there has to be one. */
export const checkReferences = async (
  session: Session,
  shapes: readonly TableShape[],
  tenantId: string,
): Promise<void> => {
  for (const { table, column, to, how } of REFERENCES) {
    const from = shapes.find((shape) => shape.name === table);
    const target = shapes.find((shape) => shape.name === to);
    if (from === undefined || target === undefined || !from.columns.includes(column)) continue;
    const mine = conditionOf(from, shapes);
    const theirs = conditionOf(target, shapes);
    if (mine === null || theirs === null) continue;
    // An alias of the same table would hide the outer one from the condition.
    const own = `select "${to}".id from "${to}" where ${theirs}`;
    const wrong =
      how === 'must'
        ? `"${column}" not in (${own})`
        : `"${column}" in (select id from "${to}") and "${column}" not in (${own})`;
    const found = await session.all(
      `select "${column}" as found from "${table}" where ${mine} and "${column}" is not null and ${wrong} limit 1`,
      [tenantId],
    );
    if (found.length > 0)
      throw new Error(
        `a row of ${table} names ${to} ${String(found[0]?.found)} in ${column}, which is not of this tenant: nothing was imported`,
      );
  }
};

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
const IDS_AT_ONCE = 200;

/** Takes ids out of the rows' scanned columns, and throws for one that is a row of another tenant. */
export const createIdScan = (session: Session, shapes: readonly TableShape[], tenantId: string) => {
  const held = new Set<string>();
  const targets = shapes.filter(
    (shape) =>
      shape.columns.includes('id') && (shape.name === 'tenants' || shape.columns.includes('tenant_id')),
  );
  const flush = async (): Promise<void> => {
    if (held.size === 0) return;
    const ids = [...held];
    held.clear();
    const places = ids.map((_, i) => `?${i + 2}`).join(', ');
    for (const { name } of targets) {
      const column = name === 'tenants' ? 'id' : 'tenant_id';
      const [found] = await session.all(
        `select id from "${name}" where id in (${places}) and ${column} <> ?1 limit 1`,
        [tenantId, ...ids],
      );
      if (found !== undefined)
        throw new Error(
          `a row of the archive names ${name} ${String(found.id)}, which is another tenant's: nothing was imported`,
        );
    }
  };
  return {
    async look(table: string, row: Row): Promise<void> {
      for (const column of SCANNED[table] ?? []) {
        const text = row[column];
        if (typeof text !== 'string') continue;
        for (const [id] of text.matchAll(UUID)) held.add(id.toLowerCase());
      }
      if (held.size >= IDS_AT_ONCE) await flush();
    },
    flush,
  };
};
