import type { Caller } from '../../kernel/caller.ts';
import { isoOrNull } from '../../kernel/clock.ts';
import type { Calls } from './calls.ts';
import type { RegisteredServer, Registry } from './registry.ts';
import { mayUseServer } from './rules.ts';
import { isUnaccepted } from './visible-tools.ts';

/** After registering: so long the answer waits for the first try, so that its status says something. */
export const FIRST_TRY_MS = 3_000;

export interface ServerViewOptions {
  registry: Registry;
  calls: Calls;
}

/** Servers as their users see them. */
export const createServerViews = ({ registry, calls }: ServerViewOptions) => {
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

  const settledItem = async (caller: Caller, server: RegisteredServer) => {
    await server.runtime.settled(FIRST_TRY_MS, never);
    return serverItem(caller, server);
  };

  return { serverItem, settledItem, visibleServers };
};

export type ServerViews = ReturnType<typeof createServerViews>;
