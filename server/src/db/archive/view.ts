import type { Row, Session } from './session.ts';
import type { TableShape } from './shape.ts';

/**
 * A table as archives hold it: the same on both engines, free of numbers that belong to one database (row numbers of
 * chunks, numbers of embedding models), in an order that both engines give. The hash of a table's lines is therefore
 * equal before and after a move.
 */
export interface View {
  name: string;
  columns: string[];
  sql: string;
  values: unknown[];
}

/** The whole platform, or what belongs to one tenant. */
export type Reach = { tenantId: string } | null;

/**
 * What a tenant does not take along: state of sign-ins and processes, keys and links of the installation, answers kept for a day,
 * uploads that are not read yet.
 */
const STAYS = new Set([
  'signing_keys',
  'sessions',
  'access_tokens',
  'oidc_records',
  'login_failures',
  'idempotency_keys',
  'cost_holds',
  'cost_nodes',
  'conversation_shares',
  'document_uploads',
  'document_upload_vectors',
  // The tenant's directory finds its people again by their addresses, as at its first run.
  'directory_people',
  'directory_groups',
  'directory_members',
]);

const MODEL_KEY = (table: string): string =>
  `(select m.id || '#' || m.dimensions from embedding_models m where m.n = "${table}".model_n)`;

interface Special {
  key?: string[];
  without?: string[];
  columns?: Record<string, string>;
  /** In the archive of a tenant only. */
  ofTenant?: Record<string, string>;
  withoutOfTenant?: string[];
}

const SPECIAL: Record<string, Special> = {
  chunks: { key: ['id'], without: ['seq'] },
  documents: { columns: { model_n: MODEL_KEY('documents') } },
  embedding_models: { key: ['id', 'dimensions'], without: ['n', 'created_at'] },
  // Holds of running calls stay behind, so nothing is reserved.
  // Signed by a key of the platform that they leave; the one that takes them signs from there on.
  audit_events: { withoutOfTenant: ['mac'] },
  audit_heads: { withoutOfTenant: ['seal'] },
  cost_counters: { ofTenant: { reserved_nano: '0' } },
};

/** The condition under which a row belongs to the tenant `?1`; null when the table knows no tenants. */
export const conditionOf = (shape: TableShape, shapes: readonly TableShape[]): string | null => {
  if (shape.name === 'tenants') return `"tenants".id = ?1`;
  if (STAYS.has(shape.name)) return null;
  if (shape.columns.includes('tenant_id')) return `"${shape.name}".tenant_id = ?1`;
  if (shape.name === 'embedding_models') {
    return 'n in (select model_n from documents where documents.tenant_id = ?1)';
  }
  for (const parent of shape.parents) {
    const above = shapes.find((other) => other.name === parent.table && other.name !== shape.name);
    const condition = above === undefined ? null : conditionOf(above, shapes);
    if (condition !== null) {
      return `"${shape.name}"."${parent.column}" in (select "${parent.table}"."${parent.parentColumn}" from "${parent.table}" where ${condition})`;
    }
  }
  return null;
};

/** Open jobs of pg-boss in the form of the table `jobs`, so that either engine takes them up again. */
const BOSS_JOBS = `select id::text, name as kind, 'queued' as state,
  coalesce(data->'payload', data)::text as payload, priority::bigint as priority, group_id as group_key,
  (coalesce((data->>'attempt')::bigint, 1) - 1 + retry_count)::bigint as attempts,
  (extract(epoch from start_after) * 1000)::bigint as run_at, null::text as lease, null::bigint as lease_until,
  null::text as error, (extract(epoch from created_on) * 1000)::bigint as created_at, null::bigint as finished_at
  from pgboss.job where state in ('created', 'retry', 'active')`;

const hasBoss = async (session: Session): Promise<boolean> =>
  session.dialect === 'postgres' &&
  (await session.all(`select 1 as yes where to_regclass('pgboss.job') is not null`)).length > 0;

const from = async (session: Session, shape: TableShape): Promise<string> => {
  if (shape.name !== 'jobs' || !(await hasBoss(session))) return `"${shape.name}"`;
  const own =
    'id, kind, state, payload, priority, group_key, attempts, run_at, lease, lease_until, error, created_at, finished_at';
  return `(select ${own} from jobs union all ${BOSS_JOBS}) as "jobs"`;
};

/** How a table is read for an archive; null when nothing of it belongs there. `columns`: of the archive, when it exists. */
export const viewOf = async (
  session: Session,
  shape: TableShape,
  shapes: readonly TableShape[],
  reach: Reach,
  columns?: readonly string[],
): Promise<View | null> => {
  const special = SPECIAL[shape.name] ?? {};
  const condition = reach === null ? null : conditionOf(shape, shapes);
  if (reach !== null && condition === null) return null;
  const computed = { ...special.columns, ...(reach === null ? {} : special.ofTenant) };
  const left = [...(special.without ?? []), ...(reach === null ? [] : (special.withoutOfTenant ?? []))];
  const kept = shape.columns.filter(
    (column) => !left.includes(column) && (columns === undefined || columns.includes(column)),
  );
  const list = kept.map((column) =>
    computed[column] === undefined ? `"${column}"` : `${computed[column]} as "${column}"`,
  );
  const key = special.key ?? (shape.key.length > 0 ? shape.key : kept);
  const order = key.map((column) =>
    session.dialect === 'postgres' && shape.texts.has(column) ? `"${column}" collate "C"` : `"${column}"`,
  );
  return {
    name: shape.name,
    columns: kept,
    sql: `select ${list.join(', ')} from ${await from(session, shape)} ${condition === null ? '' : `where ${condition}`} order by ${order.join(', ')}`,
    values: reach === null ? [] : [reach.tenantId],
  };
};

/** Tables of which a tenant's archive holds nothing. */
export const staysBehind = (shapes: readonly TableShape[]): string[] =>
  shapes
    .filter((shape) => shape.name !== 'jobs' && conditionOf(shape, shapes) === null)
    .map((shape) => shape.name);

const encoded = (value: unknown): unknown =>
  value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : (value ?? null);

/** One line of a table: JSON with the columns in the order of the alphabet. */
export const lineOf = (columns: readonly string[], row: Row): string =>
  JSON.stringify(Object.fromEntries(columns.map((column) => [column, encoded(row[column])])));

const isBytes = (value: unknown): value is { base64: string } =>
  typeof value === 'object' && value !== null && 'base64' in value && typeof value.base64 === 'string';

/** Throws for a line that `lineOf` did not write. */
export const rowOf = (line: string): Row => {
  const value: unknown = JSON.parse(line);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('not a row of an archive');
  return Object.fromEntries(
    Object.entries(value).map(([name, field]: [string, unknown]) => [
      name,
      isBytes(field) ? Buffer.from(field.base64, 'base64') : field,
    ]),
  );
};

/** Jobs whose payload names a record of the tenant: `delivery_id`, `task_run_id`, `notification_id`. */
const JOB_SUBJECTS: Record<string, string> = {
  delivery_id: 'webhook_deliveries',
  task_run_id: 'task_runs',
  notification_id: 'notifications',
};

export const isJobOfTenant = async (session: Session, job: Row, tenantId: string): Promise<boolean> => {
  const payload: unknown = JSON.parse(String(job.payload));
  if (typeof payload !== 'object' || payload === null) return false;
  const fields: Record<string, unknown> = { ...payload };
  if (fields.tenant_id === tenantId) return true;
  for (const [name, table] of Object.entries(JOB_SUBJECTS)) {
    const id = fields[name];
    if (typeof id !== 'string') continue;
    const found = await session.all(`select id from ${table} where id = ?1 and tenant_id = ?2`, [
      id,
      tenantId,
    ]);
    if (found.length > 0) return true;
  }
  return false;
};
