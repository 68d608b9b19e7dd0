import type { Row } from '../../db/archive/session.ts';
import { carriedPushConfig } from '../../features/a2a/index.ts';
import { assertCarriedCounter, assertCarriedLimit } from '../../features/costs/index.ts';
import { assertCarriedClient, assertCarriedKey, carriedUser } from '../../features/identity/index.ts';
import { carriedServer } from '../../features/mcp/index.ts';
import { assertCarriedTask } from '../../features/tasks/index.ts';
import { carriedWebhook } from '../../features/webhooks/index.ts';
import type { Tier } from '../../kernel/caller.ts';

export interface TenantRowsOptions {
  tenantId: string;
  slug: string;
  /** Made by this platform: what only its administrators set is kept. */
  own: boolean;
  /** For an archive of elsewhere; null: `free`. */
  tier: Tier | null;
  keepExternalIds: boolean;
  /** MCP_ALLOW_STDIO. */
  allowStdio: readonly string[];
  /** Ids of clients that are the platform's. */
  reservedClients: readonly string[];
  checks: Record<'ofWebhook' | 'ofServer' | 'ofStdioText', (text: string) => string | null>;
  /** Told of what does not come as it was. */
  note(line: string): void;
}

const MAX_SERVERS = 100;
const MAX_WEBHOOKS = 100;
/** Queued work that acts on one record of a tenant, by the field of its payload with that record's id. */
const JOBS: Record<string, string> = {
  'task.run': 'task_run_id',
  'webhook.deliver': 'delivery_id',
  'a2a.push': 'config_id',
  'notification.email': 'notification_id',
};

const settingsOf = (text: unknown): string => {
  const settings: unknown = JSON.parse(String(text));
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings))
    throw new Error('the settings of the tenant are no object');
  const zone = 'timezone' in settings ? settings.timezone : 'UTC';
  new Intl.DateTimeFormat('en', { timeZone: String(zone) });
  return JSON.stringify(settings);
};

const checkJob = (row: Row, tenantId: string): void => {
  const payload: unknown = JSON.parse(String(row.payload));
  const field = JOBS[String(row.kind)];
  if (typeof payload !== 'object' || payload === null || field === undefined || !(field in payload))
    throw new Error(`a job of the kind ${JSON.stringify(row.kind)} is not a tenant's`);
  if ('tenant_id' in payload && payload.tenant_id !== null && payload.tenant_id !== tenantId)
    throw new Error('a job belongs to another tenant');
};

/**
 * Rows of a tenant's archive as this platform takes them: what the API would not have stored is refused, what depends on this
 * installation (tier, addresses, commands) is settled anew. Secrets are in the clear here. Null: the row is left out.
 */
export const createTenantRows = (options: TenantRowsOptions): ((table: string, row: Row) => Row | null) => {
  const counts = new Map<string, number>();
  const count = (table: string, most: number): void => {
    const n = (counts.get(table) ?? 0) + 1;
    counts.set(table, n);
    if (n > most) throw new Error(`the archive has over ${most} rows of ${table}`);
  };
  const server = (row: Row): Row | null => {
    count('mcp_servers', MAX_SERVERS);
    const rebuilt = carriedServer(
      row,
      {
        allowStdio: options.allowStdio,
        checkStdioText: options.checks.ofStdioText,
        stdioFolder: undefined,
        checkUrl: options.checks.ofServer,
      },
      { tenant: [options.tenantId, options.slug], isPlatform: false },
    );
    if (typeof rebuilt !== 'string') return { ...rebuilt, accept_tools_by: null };
    options.note(`left out: the MCP server ${String(row.name)}, since ${rebuilt}`);
    return null;
  };
  const webhook = (row: Row): Row => {
    count('webhooks', MAX_WEBHOOKS);
    const { row: taken, fault } = carriedWebhook(row, options.checks.ofWebhook);
    if (fault !== null)
      options.note(`switched off: the webhook to ${String(row.url)}, whose address ${fault}`);
    return taken;
  };
  const pushConfig = (row: Row): Row => {
    const { row: taken, fault } = carriedPushConfig(row, options.checks.ofWebhook);
    if (fault !== null)
      options.note(`ended: the notifications of a task to ${String(row.url)}, whose address ${fault}`);
    return taken;
  };
  const tenant = (row: Row): Row => {
    count('tenants', 1);
    return {
      ...row,
      slug: options.slug,
      tier: options.own ? row.tier : (options.tier ?? 'free'),
      external_id: options.own || options.keepExternalIds ? row.external_id : null,
      settings: settingsOf(row.settings),
    };
  };
  let vouched = false;
  const document = (row: Row): Row => {
    if (row.trusted === 1 && !vouched) {
      vouched = true;
      options.note('not taken over: that documents are trusted; an administrator says so again here');
    }
    return { ...row, trusted: 0 };
  };
  return (table, row) => {
    switch (table) {
      case 'tenants':
        return tenant(row);
      case 'users':
        return carriedUser(row, options);
      case 'api_keys':
        assertCarriedKey(row);
        return row;
      case 'oauth_clients':
        assertCarriedClient(row, options.reservedClients);
        return row;
      case 'tasks':
        assertCarriedTask(row);
        return row;
      case 'cost_limits':
        assertCarriedLimit(row, options.tenantId);
        return row;
      case 'cost_counters':
        assertCarriedCounter(row, options.tenantId);
        return row;
      case 'jobs':
        checkJob(row, options.tenantId);
        return row;
      case 'mcp_servers':
        return server(row);
      case 'mcp_tool_pins':
        return options.own ? row : { ...row, status: 'new', accepted_by: null };
      case 'documents':
        return document(row);
      case 'webhooks':
        return webhook(row);
      case 'a2a_push_configs':
        return pushConfig(row);
      default:
        return row;
    }
  };
};
