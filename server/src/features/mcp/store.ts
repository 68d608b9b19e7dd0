import type { Along, Db } from '../../db/db.ts';
import { acrossTenants } from '../../db/scope.ts';
import type { McpServerRow } from '../../db/tables/mcp.ts';
import { readEndpoint } from './endpoint.ts';
import type { SecretBox } from './secret-box.ts';
import type { AccessList, ServerDefinition, ServerPolicy } from './types.ts';

export interface ToolPin {
  tool: string;
  fingerprint: string;
  status: 'accepted' | 'new';
  acceptedBy: string | null;
}

/** With the JSON of what is pinned, so that a later change can be shown against it. */
export interface NewPin extends ToolPin {
  definition?: string | undefined;
}

export interface ServerRecord extends ServerDefinition {
  id: string;
  tenantId: string;
  createdBy: string;
  updatedAt: number;
}

/** Servers registered by the API, and what was accepted of the tools of all servers. */
export interface McpStore {
  /** Those of all tenants, since a node runs them all. */
  servers(): Promise<ServerRecord[]>;
  /** False when the tenant has a server of this name. `note` is written together with the change; so below. */
  insert(record: ServerRecord, note?: Along): Promise<boolean>;
  /** `forgetSignIn`: tokens were for another address, and end with it. */
  update(record: ServerRecord, options?: { forgetSignIn: boolean }, note?: Along): Promise<void>;
  /** Also forgets what was accepted of its tools. */
  /** False where there is none (any more). */
  remove(tenantId: string, name: string, note?: Along): Promise<boolean>;
  pins(tenantId: string, server: string): Promise<ToolPin[]>;
  /** Adds pins of tools that have none yet. */
  addPins(tenantId: string, server: string, pins: readonly NewPin[], at: number): Promise<void>;
  acceptPin(
    tenantId: string,
    server: string,
    pin: { tool: string; fingerprint: string; definition?: string; acceptedBy: string; at: number },
    note?: Along,
  ): Promise<void>;
  /** JSON of what is pinned of these tools, by name; without those of which it was not kept. */
  pinned(tenantId: string, server: string, tools: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** OAuth state of a server, decrypted. `tenantId` null: of all tenants. */
  loadOAuth(tenantId: string | null, server: string): Promise<string | null>;
  saveOAuth(tenantId: string | null, server: string, text: string, at: number): Promise<void>;
  /** Saves only where `before` still stands; whether it did. */
  replaceOAuth(change: {
    tenantId: string | null;
    server: string;
    before: string;
    text: string;
    at: number;
  }): Promise<boolean>;
}

/** In `tenant_id` of a server from the settings. */
const ALL_TENANTS = '*';
export const aboutOAuth = (tenantId: string, server: string): string => `mcp_oauth/${tenantId}/${server}`;
export const aboutEndpoint = (tenantId: string, id: string): string =>
  `mcp_servers.endpoint/${tenantId}/${id}`;

export const createMcpStore = (db: Db, box: SecretBox): McpStore => {
  const toRecord = (row: McpServerRow): ServerRecord => ({
    id: row.id,
    tenantId: row.tenant_id,
    name: row.name,
    title: row.title,
    source: 'api',
    enabled: row.enabled === 1,
    endpoint: readEndpoint(box.open(row.endpoint, aboutEndpoint(row.tenant_id, row.id))),
    policy: JSON.parse(row.policy) as ServerPolicy,
    access: JSON.parse(row.access) as AccessList,
    forAgents: true,
    timeoutMs: row.timeout_ms,
    acceptToolsBy: row.accept_tools_by,
    createdBy: row.created_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  });
  const toRow = (record: ServerRecord): McpServerRow => ({
    id: record.id,
    tenant_id: record.tenantId,
    name: record.name,
    title: record.title,
    transport: record.endpoint?.transport ?? 'http',
    enabled: record.enabled ? 1 : 0,
    endpoint: box.seal(JSON.stringify(record.endpoint), aboutEndpoint(record.tenantId, record.id)),
    policy: JSON.stringify(record.policy),
    access: JSON.stringify(record.access),
    timeout_ms: record.timeoutMs,
    created_by: record.createdBy,
    accept_tools_by: record.acceptToolsBy ?? null,
    created_at: record.createdAt,
    updated_at: record.updatedAt,
  });

  return {
    servers: () =>
      acrossTenants(async () =>
        (await db.read.selectFrom('mcp_servers').selectAll().execute()).map(toRecord),
      ),
    insert: (record, note) =>
      db.write(async (tx) => {
        const result = await tx
          .insertInto('mcp_servers')
          .values(toRow(record))
          .onConflict((c) => c.columns(['tenant_id', 'name']).doNothing())
          .executeTakeFirst();
        if (result.numInsertedOrUpdatedRows !== 1n) return false;
        await note?.(tx);
        return true;
      }),
    update: (record, { forgetSignIn } = { forgetSignIn: false }, note) =>
      db.write(async (tx) => {
        const { id, tenant_id, name, created_at, created_by, ...changes } = toRow(record);
        await tx
          .updateTable('mcp_servers')
          .set(changes)
          .where('tenant_id', '=', tenant_id)
          .where('id', '=', id)
          .execute();
        if (forgetSignIn) {
          await tx
            .deleteFrom('mcp_oauth')
            .where('tenant_id', '=', tenant_id)
            .where('server', '=', name)
            .execute();
        }
        await note?.(tx);
      }),
    remove: (tenantId, name, note) =>
      db.write(async (tx) => {
        const { numDeletedRows } = await tx
          .deleteFrom('mcp_servers')
          .where('tenant_id', '=', tenantId)
          .where('name', '=', name)
          .executeTakeFirst();
        if (numDeletedRows === 0n) return false;
        await tx
          .deleteFrom('mcp_oauth')
          .where('tenant_id', '=', tenantId)
          .where('server', '=', name)
          .execute();
        await tx
          .deleteFrom('mcp_tool_pins')
          .where('tenant_id', '=', tenantId)
          .where('server', '=', name)
          .execute();
        await note?.(tx);
        return true;
      }),
    pins: async (tenantId, server) => {
      const rows = await db.read
        .selectFrom('mcp_tool_pins')
        .select(['tool', 'fingerprint', 'status', 'accepted_by'])
        .where('tenant_id', '=', tenantId)
        .where('server', '=', server)
        .execute();
      return rows.map(({ accepted_by, ...row }) => ({
        ...row,
        status: row.status === 'accepted' ? 'accepted' : 'new',
        acceptedBy: accepted_by,
      }));
    },
    addPins: (tenantId, server, pins, at) =>
      db.write(async (tx) => {
        for (const pin of pins) {
          await tx
            .insertInto('mcp_tool_pins')
            .values({
              tenant_id: tenantId,
              server,
              tool: pin.tool,
              fingerprint: pin.fingerprint,
              status: pin.status,
              accepted_by: pin.acceptedBy,
              definition: pin.definition ?? null,
              created_at: at,
              updated_at: at,
            })
            .onConflict((c) => c.columns(['tenant_id', 'server', 'tool']).doNothing())
            .execute();
        }
      }),
    acceptPin: (tenantId, server, { tool, fingerprint, definition, acceptedBy, at }, note) =>
      db.write(async (tx) => {
        const accepted = {
          fingerprint,
          status: 'accepted',
          accepted_by: acceptedBy,
          definition: definition ?? null,
          updated_at: at,
        };
        await tx
          .insertInto('mcp_tool_pins')
          .values({ tenant_id: tenantId, server, tool, created_at: at, ...accepted })
          .onConflict((c) => c.columns(['tenant_id', 'server', 'tool']).doUpdateSet(accepted))
          .execute();
        await note?.(tx);
      }),
    async pinned(tenantId, server, tools) {
      if (tools.length === 0) return new Map();
      const rows = await db.read
        .selectFrom('mcp_tool_pins')
        .select(['tool', 'definition'])
        .where('tenant_id', '=', tenantId)
        .where('server', '=', server)
        .where('tool', 'in', [...tools])
        .execute();
      return new Map(
        rows.flatMap(({ tool, definition }) => (definition === null ? [] : [[tool, definition] as const])),
      );
    },
    async loadOAuth(tenantId, server) {
      const owner = tenantId ?? ALL_TENANTS;
      const row = await db.read
        .selectFrom('mcp_oauth')
        .select('state')
        .where('tenant_id', '=', owner)
        .where('server', '=', server)
        .executeTakeFirst();
      return row === undefined ? null : box.open(row.state, aboutOAuth(owner, server));
    },
    replaceOAuth: ({ tenantId, server, before, text, at }) =>
      db.write(async (tx) => {
        const owner = tenantId ?? ALL_TENANTS;
        const row = await tx
          .selectFrom('mcp_oauth')
          .select('state')
          .where('tenant_id', '=', owner)
          .where('server', '=', server)
          .executeTakeFirst();
        if (row === undefined || box.open(row.state, aboutOAuth(owner, server)) !== before) return false;
        const replaced = await tx
          .updateTable('mcp_oauth')
          .set({ state: box.seal(text, aboutOAuth(owner, server)), updated_at: at })
          .where('tenant_id', '=', owner)
          .where('server', '=', server)
          // Each sealing is another text: nobody else has written since.
          .where('state', '=', row.state)
          .returning('server')
          .execute();
        return replaced.length > 0;
      }),
    saveOAuth: (tenantId, server, text, at) =>
      db.write(async (tx) => {
        const owner = tenantId ?? ALL_TENANTS;
        const kept = { state: box.seal(text, aboutOAuth(owner, server)), updated_at: at };
        await tx
          .insertInto('mcp_oauth')
          .values({ tenant_id: owner, server, ...kept })
          .onConflict((c) => c.columns(['tenant_id', 'server']).doUpdateSet(kept))
          .execute();
      }),
  };
};
