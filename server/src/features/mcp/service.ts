import { LRUCache } from 'lru-cache';
import type { Along, Queryable } from '../../db/db.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { isoOrNull } from '../../kernel/clock.ts';
import { AppError, conflict, invalid, notFound, underField } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { type McpConnector, McpFault, type McpOAuthSettings } from '../../kernel/mcp.ts';
import { isWholeNano, TOO_FINE } from '../../kernel/money.ts';
import { type Calls, isUnaccepted, type VisibleTool } from './calls.ts';
import {
  type EndpointInput,
  type EndpointLimits,
  endpointOf,
  inFolder,
  type OAuthInput,
  redactorOf,
} from './endpoint.ts';
import { mcpErrorOf } from './faults.ts';
import { carriedFaults, hasMoved } from './moved.rules.ts';
import type { PinBook, PinnedTool } from './pins.ts';
import type { RegisteredServer, Registry } from './registry.ts';
import { mayUseServer, type StdioOwner, serverNameFault } from './rules.ts';
import type { McpStore, ServerRecord } from './store.ts';
import { indexNames, type NameIndex, nameWarnings, skeletonOf } from './suspicion.rules.ts';
import { type AccessList, DEFAULT_CALL_TIMEOUT_MS, type LogLine, type ServerPolicy } from './types.ts';

/** Registering and looking at servers. */

export interface McpAuditEntry {
  tenantId: string;
  /** Null for what the platform saw by itself. */
  userId: string | null;
  actorType: 'user' | 'service' | 'system';
  action: string;
  subject: string;
  details: Record<string, unknown>;
}

const auditedBy = (caller: Caller): Pick<McpAuditEntry, 'tenantId' | 'userId' | 'actorType'> => ({
  tenantId: caller.tenantId,
  userId: caller.userId,
  actorType: caller.type === 'service' ? 'service' : 'user',
});

export interface ServerInput extends EndpointInput {
  name: string;
  title?: string | undefined;
  enabled?: boolean | undefined;
  timeout_ms?: number | undefined;
  policy?: ServerPolicy | undefined;
  access?: AccessList | undefined;
  accept_tools?: boolean | undefined;
}

export type ServerPatch = Partial<Omit<ServerInput, 'name' | 'transport' | 'accept_tools'>>;

export interface McpServiceOptions {
  store: McpStore;
  registry: Registry;
  calls: Calls;
  pins: PinBook;
  connector: McpConnector;
  clock: Clock;
  limits: EndpointLimits;
  /** Id and slug. */
  tenantNames(tenantId: string): Promise<readonly string[]>;
  /** Writes a row of the audit chain: in the given transaction, or in one of its own. */
  audit(entry: McpAuditEntry, tx: Queryable | null): Promise<void>;
  /** A changed tool has been accepted. */
  onAccepted(): void;
}

/** After registering: so long the answer waits for the first try, so that its status says something. */
const FIRST_TRY_MS = 3_000;
const TEST_MS = 15_000;
const MAX_SERVERS_PER_TENANT = 100;

export const createService = (options: McpServiceOptions) => {
  const { store, registry, calls, pins, clock } = options;
  const never = new AbortController().signal;

  const serverItem = async (caller: Caller, server: RegisteredServer) => {
    const { definition, runtime } = server;
    const state = runtime.state();
    const tools = await calls.toolsOf(caller, server);
    return {
      name: definition.name,
      title: definition.title ?? state.serverInfo?.title ?? state.serverInfo?.name ?? definition.name,
      transport: definition.endpoint?.transport ?? ('builtin' as const),
      source: definition.source,
      enabled: definition.enabled,
      status: state.status,
      tool_count: tools.length,
      unaccepted_tools: tools.filter(isUnaccepted).length,
      protocol_version: state.protocolVersion,
      server_info:
        state.serverInfo === null ? null : { name: state.serverInfo.name, version: state.serverInfo.version },
      last_error: state.lastError,
      connected_at: isoOrNull(state.connectedAt),
      created_at: new Date(definition.createdAt).toISOString(),
      timeout_ms: definition.timeoutMs,
      ...(caller.permissions.has('mcp:manage')
        ? { policy: definition.policy, access: definition.access }
        : {}),
    };
  };

  const visibleServers = (caller: Caller): RegisteredServer[] =>
    registry.visible(caller.tenantId).filter((server) => mayUseServer(server.definition.access, caller));

  /** Of the API alone: what the file says is changed in the file. */
  const ownRecord = async (caller: Caller, name: string): Promise<ServerRecord> => {
    const record = (await store.servers()).find((r) => r.tenantId === caller.tenantId && r.name === name);
    if (record !== undefined) return record;
    const shared = registry.find(caller.tenantId, name);
    if (shared === null || !mayUseServer(shared.definition.access, caller)) throw notFound('MCP server');
    throw conflict(
      shared.definition.source === 'file'
        ? 'this server is in the configuration file and is changed there'
        : 'this server is part of the platform; the setting MCP_BUILTIN turns it off',
    );
  };

  const checkPrices = (policy: ServerPolicy | undefined): void => {
    const prices = {
      '/policy/default/cost_usd': policy?.default?.cost_usd,
      ...Object.fromEntries(
        Object.entries(policy?.tools ?? {}).map(([glob, part]) => [
          `/policy/tools/${glob.replaceAll('~', '~0').replaceAll('/', '~1')}/cost_usd`,
          part.cost_usd,
        ]),
      ),
    };
    for (const [field, usd] of Object.entries(prices))
      if (usd !== undefined && !isWholeNano(usd)) throw invalid({ field, reason: TOO_FINE });
  };

  const checkName = (name: string): void => {
    const fault = serverNameFault(name);
    if (fault !== null) throw invalid({ field: '/name', reason: fault });
  };

  const checkFree = (caller: Caller, name: string): void => {
    const taken = registry.find(caller.tenantId, name);
    if (taken !== null && taken.definition.source !== 'builtin')
      throw conflict('there is a server of this name', { name });
  };

  const checkRoom = async (caller: Caller, more: number): Promise<void> => {
    const count = (await store.servers()).filter((r) => r.tenantId === caller.tenantId).length;
    if (count + more > MAX_SERVERS_PER_TENANT)
      throw conflict(`a tenant has at most ${MAX_SERVERS_PER_TENANT} servers`);
  };

  /** The row of a change, for its transaction. */
  const noteOf =
    (caller: Caller, action: string, subject: string, details: Record<string, unknown> = {}): Along =>
    (tx) =>
      options.audit({ ...auditedBy(caller), action, subject, details }, tx);

  /** Names come again at each listing: what each looks like is worked out once. */
  const skeletons = new LRUCache<string, string>({ max: 20_000 });
  const skeleton = (name: string): string => {
    let found = skeletons.get(name);
    if (found === undefined) {
      found = skeletonOf(name);
      skeletons.set(name, found);
    }
    return found;
  };

  const others = (caller: Caller): NameIndex =>
    indexNames(
      visibleServers(caller).flatMap((server) =>
        server.runtime.state().tools.map((tool) => ({ server: server.definition.name, name: tool.name })),
      ),
      skeleton,
    );

  const toolItem = (tool: VisibleTool, around: NameIndex, before: PinnedTool | undefined) => ({
    name: tool.info.name,
    title: tool.info.title,
    description: tool.info.description,
    input_schema: tool.info.inputSchema,
    output_schema: tool.info.outputSchema,
    annotations: tool.info.annotations,
    policy: { ...tool.resolved, pinned: tool.pin.pinned },
    held_back: tool.pin.held,
    warnings: [
      ...(tool.pin.suspicious ? (['suspicious_text'] as const) : []),
      ...nameWarnings(tool.server.definition.name, tool.info, around, skeleton),
    ],
    fingerprint: tool.pin.fingerprint,
    accepted:
      before === undefined
        ? null
        : {
            title: before.title,
            description: before.description,
            input_schema: before.inputSchema,
            output_schema: before.outputSchema,
            annotations: before.annotations,
          },
  });

  const ownerOf = async (caller: Caller): Promise<StdioOwner> => ({
    tenant: await options.tenantNames(caller.tenantId),
    isPlatform: caller.platformAdmin,
  });

  const add = async (caller: Caller, input: ServerInput): Promise<RegisteredServer> => {
    checkName(input.name);
    checkPrices(input.policy);
    const endpoint = endpointOf(input, options.limits, await ownerOf(caller));
    checkFree(caller, input.name);
    const now = clock.now();
    const record: ServerRecord = {
      id: newId(),
      tenantId: caller.tenantId,
      name: input.name,
      title: input.title ?? null,
      source: 'api',
      enabled: input.enabled ?? true,
      endpoint,
      policy: input.policy ?? {},
      access: input.access ?? {},
      forAgents: true,
      timeoutMs: input.timeout_ms ?? DEFAULT_CALL_TIMEOUT_MS,
      createdBy: caller.userId,
      acceptToolsBy: input.accept_tools === true ? caller.userId : null,
      createdAt: now,
      updatedAt: now,
    };
    await checkRoom(caller, 1);
    const note = noteOf(caller, 'mcp.server.created', input.name, {
      transport: input.transport,
      accept_tools: input.accept_tools ?? false,
    });
    if (!(await store.insert(record, note)))
      throw conflict('there is a server of this name', { name: input.name });
    await registry.reload();
    try {
      return calls.findServer(caller, input.name);
    } catch (error) {
      if (error instanceof AppError && error.code === 'NOT_FOUND')
        throw conflict('the server was removed at the same time', { name: input.name });
      throw error;
    }
  };

  const settledItem = async (caller: Caller, server: RegisteredServer) => {
    await server.runtime.settled(FIRST_TRY_MS, never);
    return serverItem(caller, server);
  };

  return {
    servers: (caller: Caller) =>
      Promise.all(visibleServers(caller).map((server) => serverItem(caller, server))),

    /** Throws FORBIDDEN (command), VALIDATION_ERROR, CONFLICT (name). */
    create: async (caller: Caller, input: ServerInput) => settledItem(caller, await add(caller, input)),

    /** Servers of the shared file form. All are checked before the first is registered. */
    async import(caller: Caller, entries: readonly { key: string; input: ServerInput }[]) {
      const names = new Set<string>();
      const owner = await ownerOf(caller);
      for (const { key, input } of entries) {
        try {
          checkName(input.name);
          checkPrices(input.policy);
          endpointOf(input, options.limits, owner);
        } catch (error) {
          throw underField(error, `/mcpServers/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
        }
        checkFree(caller, input.name);
        if (names.has(input.name))
          throw conflict('two servers of the import have this name', { name: input.name });
        names.add(input.name);
      }
      await checkRoom(caller, entries.length);
      const added: RegisteredServer[] = [];
      for (const { input } of entries) added.push(await add(caller, input));
      return Promise.all(added.map((server) => settledItem(caller, server)));
    },

    async update(caller: Caller, name: string, patch: ServerPatch) {
      checkPrices(patch.policy);
      const record = await ownRecord(caller, name);
      const before = record.endpoint;
      const touches = (['command', 'args', 'env', 'url', 'headers', 'oauth'] as const).some(
        (key) => patch[key] !== undefined,
      );
      const merged: EndpointInput =
        before?.transport === 'stdio'
          ? {
              transport: 'stdio',
              command: before.command,
              args: before.args,
              env: before.env,
              ...definedParts(patch),
            }
          : {
              transport: 'http',
              url: before?.url,
              headers: before?.headers,
              oauth: before?.oauth === undefined ? undefined : oauthInput(before.oauth),
              ...definedParts(patch),
            };
      // Checked again even when only switched on: what is allowed may have changed since.
      const endpoint =
        touches || patch.enabled === true
          ? endpointOf(merged, options.limits, await ownerOf(caller))
          : before;
      const carried = carriedFaults(before, patch);
      if (carried.length > 0) throw invalid(...carried);
      const changed: ServerRecord = {
        ...record,
        title: patch.title ?? record.title,
        enabled: patch.enabled ?? record.enabled,
        endpoint,
        policy: patch.policy ?? record.policy,
        access: patch.access ?? record.access,
        timeoutMs: patch.timeout_ms ?? record.timeoutMs,
        updatedAt: clock.now(),
      };
      await store.update(
        changed,
        { forgetSignIn: hasMoved(before, endpoint) },
        noteOf(caller, 'mcp.server.updated', name, { fields: Object.keys(patch).sort() }),
      );
      await registry.reload();
      const server = registry.find(caller.tenantId, name);
      if (server === null) throw notFound('MCP server');
      return settledItem(caller, server);
    },

    /** Lists the tools anew, at this node now and at the others soon. Throws CONFLICT (the platform's own), SERVICE_UNAVAILABLE. */
    async refresh(caller: Caller, name: string, signal: AbortSignal) {
      const server = calls.findServer(caller, name);
      const { source, enabled } = server.definition;
      if (source === 'builtin')
        throw conflict('this server is part of the platform: its tools are always there');
      if (!enabled) throw conflict('this server is switched off');
      server.runtime.retry();
      await server.runtime.settled(FIRST_TRY_MS, signal);
      try {
        await server.runtime.relist({ signal, timeoutMs: TEST_MS });
      } catch (error) {
        throw mcpErrorOf(error, name);
      }
      const note = noteOf(caller, 'mcp.server.refreshed', name);
      if (source === 'api') {
        const record = await ownRecord(caller, name);
        await store.update({ ...record, updatedAt: clock.now() }, { forgetSignIn: false }, note);
        await registry.reload();
      } else {
        const audited = { ...auditedBy(caller), action: 'mcp.server.refreshed', subject: name, details: {} };
        await options.audit(audited, null);
      }
      return serverItem(caller, calls.findServer(caller, name));
    },

    async remove(caller: Caller, name: string): Promise<void> {
      await ownRecord(caller, name);
      if (!(await store.remove(caller.tenantId, name, noteOf(caller, 'mcp.server.deleted', name))))
        throw notFound('MCP server');
      pins.forget(caller.tenantId, name);
      await registry.reload();
    },

    /** Connects once, lists the tools and lets go again; nothing is registered. */
    async test(caller: Caller, input: EndpointInput, signal: AbortSignal) {
      const endpoint = endpointOf(input, options.limits, await ownerOf(caller));
      // Before the act: a command that was started must not be missing from the trail.
      await options.audit(
        {
          ...auditedBy(caller),
          action: 'mcp.server.tested',
          subject: input.transport === 'stdio' ? (input.command ?? '') : 'http',
          details: {},
        },
        null,
      );
      const redact = redactorOf(endpoint);
      const log: string[] = [];
      try {
        const session = await options.connector.connect(inFolder(endpoint, options.limits.stdioFolder), {
          timeoutMs: TEST_MS,
          signal,
          events: {
            onToolsChanged: () => {},
            onClosed: () => {},
            onLog: (_source, text) => {
              if (log.length < 50) log.push(redact(text));
            },
          },
        });
        try {
          const tools = await session.listTools({ signal, timeoutMs: TEST_MS });
          const info = session.serverInfo;
          return {
            ok: true,
            error: null,
            protocol_version: session.protocolVersion,
            server_info: info === null ? null : { name: info.name, version: info.version },
            tools: tools.map((tool) => ({ name: tool.name, description: tool.description })),
            log,
          };
        } finally {
          await session.close();
        }
      } catch (error) {
        if (!(error instanceof McpFault)) throw error;
        const message = redact(error.message);
        return { ok: false, error: message, protocol_version: null, server_info: null, tools: [], log };
      }
    },

    async tools(caller: Caller, serverName: string, signal: AbortSignal) {
      const server = calls.findServer(caller, serverName);
      await server.runtime.settled(FIRST_TRY_MS, signal);
      const state = server.runtime.state();
      if (state.status !== 'connected' && state.tools.length === 0) {
        throw new AppError('SERVICE_UNAVAILABLE', `the MCP server ${serverName} is not connected`, {
          details: { server: serverName, status: state.status, reason: state.lastError },
          retryAfterS: 5,
        });
      }
      const around = others(caller);
      const tools = await calls.toolsOf(caller, server);
      const changed = tools.filter((tool) => tool.pin.pinned === 'changed').map((tool) => tool.info.name);
      const before = await pins.pinned(caller.tenantId, serverName, changed);
      return tools.map((tool) => toolItem(tool, around, before.get(tool.info.name)));
    },

    /** `fingerprint`: what the operator has seen; another present one is a CONFLICT. */
    async accept(caller: Caller, serverName: string, toolName: string, fingerprint: string | undefined) {
      const server = calls.findServer(caller, serverName);
      const tool = await calls.toolOf(caller, server, toolName);
      if (tool === null) throw notFound('tool');
      if (fingerprint !== undefined && fingerprint !== tool.pin.fingerprint) {
        throw conflict('the tool has changed since', { fingerprint: tool.pin.fingerprint });
      }
      const note = noteOf(caller, 'mcp.tool.accepted', `${serverName}.${toolName}`, {
        fingerprint: tool.pin.fingerprint,
      });
      await pins.accept(caller.tenantId, serverName, tool.info, caller.userId, note);
      options.onAccepted();
      const around = others(caller);
      const now = await calls.toolOf(caller, server, toolName);
      return toolItem(now ?? tool, around, undefined);
    },

    /**
     * All that are new, or those of `fingerprints` as they were looked at: what has changed or looks like an order to the
     * model is accepted by its name alone.
     */
    async acceptAll(caller: Caller, serverName: string, fingerprints: Record<string, string> | undefined) {
      const server = calls.findServer(caller, serverName);
      const tools = await calls.toolsOf(caller, server);
      const asked = (tool: VisibleTool): boolean =>
        fingerprints === undefined
          ? isUnaccepted(tool) && !tool.pin.held
          : Object.hasOwn(fingerprints, tool.info.name);
      const chosen = tools.filter(asked);
      for (const [name, fingerprint] of Object.entries(fingerprints ?? {})) {
        const tool = chosen.find(({ info }) => info.name === name);
        if (tool === undefined) throw notFound(`tool ${name}`);
        if (tool.pin.fingerprint !== fingerprint)
          throw conflict(`the tool ${name} has changed since`, { fingerprint: tool.pin.fingerprint });
      }
      for (const { info, pin } of chosen) {
        const note = noteOf(caller, 'mcp.tool.accepted', `${serverName}.${info.name}`, {
          fingerprint: pin.fingerprint,
        });
        await pins.accept(caller.tenantId, serverName, info, caller.userId, note);
      }
      options.onAccepted();
      return serverItem(caller, server);
    },

    logs(caller: Caller, name: string): readonly LogLine[] {
      const server = calls.findServer(caller, name);
      // What a server of all tenants prints may speak of any of them.
      if (server.definition.tenantId === null && !caller.platformAdmin) throw notFound('MCP server');
      return server.runtime.logs();
    },
  };
};

const oauthInput = (settings: McpOAuthSettings): OAuthInput => ({
  grant: settings.grant,
  client_id: settings.clientId,
  client_secret: settings.clientSecret,
  scope: settings.scope,
});

const definedParts = (patch: ServerPatch): Partial<EndpointInput> => {
  const parts: Partial<EndpointInput> = {};
  if (patch.command !== undefined) parts.command = patch.command;
  if (patch.args !== undefined) parts.args = patch.args;
  if (patch.env !== undefined) parts.env = patch.env;
  if (patch.url !== undefined) parts.url = patch.url;
  if (patch.headers !== undefined) parts.headers = patch.headers;
  if (patch.oauth !== undefined) parts.oauth = patch.oauth;
  return parts;
};

export type McpService = ReturnType<typeof createService>;
