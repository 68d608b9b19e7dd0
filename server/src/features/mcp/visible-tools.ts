import type { Caller } from '../../kernel/caller.ts';
import { notFound } from '../../kernel/errors.ts';
import type { McpToolInfo } from '../../kernel/mcp.ts';
import type { ResolvedPolicy, ToolPolicy } from '../../kernel/tool-policy.ts';
import type { ToolAnnotations, ToolPolicies } from '../../kernel/tools.ts';
import type { PinBook, PinState } from './pins.ts';
import type { RegisteredServer, Registry } from './registry.ts';
import { mayUseServer, mayUseTool, policyOf, readAnnotations, resolvePolicy } from './rules.ts';

/** A tool as one caller sees it. */
export interface VisibleTool {
  server: RegisteredServer;
  info: McpToolInfo;
  annotations: ToolAnnotations;
  policy: ToolPolicy;
  resolved: ResolvedPolicy;
  pin: PinState;
  /** Beyond `mcp:call`; null for none. */
  permission: string | null;
}

/** Its description is the server's own word yet. */
export const isUnaccepted = ({ server, pin }: Pick<VisibleTool, 'server' | 'pin'>): boolean =>
  server.definition.source !== 'builtin' && pin.pinned !== 'accepted';

const permissionOf = (info: McpToolInfo): string | null =>
  'permission' in info && typeof info.permission === 'string' ? info.permission : null;

export interface VisibleToolOptions {
  registry: Registry;
  pins: PinBook;
  /** Absent: what the registration and the tool say. */
  toolPolicies?: ToolPolicies;
}

/** Which servers and tools a caller sees. */
export const createVisibleTools = (options: VisibleToolOptions) => {
  const { registry, pins } = options;
  const toolPolicies: ToolPolicies = options.toolPolicies ?? {
    resolve: (tool, said) => resolvePolicy(said, tool.annotations),
  };

  const findServer = (caller: Caller, name: string): RegisteredServer => {
    const server = registry.find(caller.tenantId, name);
    if (server === null || !mayUseServer(server.definition.access, caller)) throw notFound('MCP server');
    return server;
  };

  const seenBy = (
    caller: Caller,
    server: RegisteredServer,
    info: McpToolInfo,
    states: ReadonlyMap<string, PinState>,
  ): VisibleTool | null => {
    const { definition } = server;
    const pin = states.get(info.name);
    if (pin === undefined || !mayUseTool(definition.access, caller, info.name)) return null;
    const annotations = readAnnotations(info.annotations);
    const policy = policyOf(definition.policy, info.name);
    return {
      server,
      info,
      annotations,
      policy,
      resolved: toolPolicies.resolve({ server: definition.name, name: info.name, annotations }, policy),
      pin,
      permission: permissionOf(info),
    };
  };

  const toolsOf = async (caller: Caller, server: RegisteredServer): Promise<VisibleTool[]> => {
    const { definition, runtime } = server;
    const { tools } = runtime.state();
    const states = await pins.states(caller.tenantId, definition, tools);
    const visible: VisibleTool[] = [];
    for (const info of tools) {
      const tool = seenBy(caller, server, info, states);
      if (tool !== null) visible.push(tool);
    }
    return visible;
  };

  /** Tools of a listing by name: a call asks for one, however many there are. */
  const byName = new WeakMap<readonly McpToolInfo[], ReadonlyMap<string, McpToolInfo>>();

  /** Null: it is not there, or not for this caller. */
  const toolOf = async (
    caller: Caller,
    server: RegisteredServer,
    name: string,
  ): Promise<VisibleTool | null> => {
    const { tools } = server.runtime.state();
    const states = await pins.states(caller.tenantId, server.definition, tools);
    let names = byName.get(tools);
    if (names === undefined) {
      names = new Map(tools.map((info) => [info.name, info]));
      byName.set(tools, names);
    }
    const info = names.get(name);
    return info === undefined ? null : seenBy(caller, server, info, states);
  };

  return { findServer, toolsOf, toolOf };
};

export type VisibleTools = ReturnType<typeof createVisibleTools>;
