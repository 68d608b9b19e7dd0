import type { SchemaChecker } from '../../http/foreign-schema.ts';
import { fieldFaults } from '../../http/map-error.ts';
import type { Caller } from '../../kernel/caller.ts';
import { AppError, conflict, forbidden, invalid, notFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { type McpContent, McpFault, type McpProgress, type McpToolInfo } from '../../kernel/mcp.ts';
import type { ResolvedPolicy, ToolPolicy } from '../../kernel/tool-policy.ts';
import type {
  AgentTool,
  ToolAnnotations,
  ToolContext,
  ToolGate,
  ToolLedger,
  ToolPolicies,
} from '../../kernel/tools.ts';
import { mcpErrorOf } from './faults.ts';
import type { PinBook, PinState } from './pins.ts';
import type { RegisteredServer, Registry } from './registry.ts';
import { type CappedResult, capResult, modelText, visibleText } from './results.ts';
import { mayUseServer, mayUseTool, policyOf, readAnnotations, resolvePolicy } from './rules.ts';
import type { ServerDefinition } from './types.ts';

/** Everything between a caller and a tool of a server: who may, with which arguments, at what cost, and what comes out. */

/** A tool of the gateway as an agent gets it. */
export interface GatewayTool extends AgentTool {
  /** As the operator wrote it; what is left out is for governance to decide. */
  policy: ToolPolicy;
  /** As `call`, with the content as the server gave it. Throws `AppError`. */
  callForResult(args: Record<string, unknown>, context: ProgressContext): Promise<CappedResult>;
}

export const isGatewayTool = (tool: AgentTool): tool is GatewayTool => 'policy' in tool;

/** A direct call may listen to the progress that the server reports. */
export interface ProgressContext extends ToolContext {
  onProgress?: ((progress: McpProgress) => void) | undefined;
}

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

export interface CallResult {
  call_id: string;
  server: string;
  tool: string;
  content: McpContent[];
  structured_content: unknown;
  is_error: boolean;
  truncated: boolean;
  duration_ms: number;
}

export interface CallSample {
  server: string;
  tool: string;
  outcome: 'ok' | 'tool_error' | 'error' | 'timeout';
  seconds: number;
}

export interface CallsOptions {
  registry: Registry;
  pins: PinBook;
  schemas: SchemaChecker;
  gate: ToolGate;
  /** Of direct calls; those of agents are booked by their run. */
  toolLedger: ToolLedger;
  observeCall(sample: CallSample): void;
  /** Absent: what the registration and the tool say. */
  toolPolicies?: ToolPolicies;
  /** What stands behind a name: equal for the same registration, command and address. */
  originOf(definition: ServerDefinition): string;
}

/** Its description is the server's own word yet. */
export const isUnaccepted = ({ server, pin }: Pick<VisibleTool, 'server' | 'pin'>): boolean =>
  server.definition.source !== 'builtin' && pin.pinned !== 'accepted';

const NO_TOOLS: readonly GatewayTool[] = [];
const AGENT_TOOL_NAME = /^[A-Za-z0-9_./-]{1,128}$/;
const MAX_DESCRIPTION_CHARACTERS = 8_192;

const permissionOf = (info: McpToolInfo): string | null =>
  'permission' in info && typeof info.permission === 'string' ? info.permission : null;

export const createCalls = (options: CallsOptions) => {
  const { registry, pins, schemas, gate, toolLedger } = options;
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

  const checkArguments = (tool: VisibleTool, args: Record<string, unknown>): void => {
    const verdict = schemas.check(tool.info.inputSchema, args);
    if (verdict.ok) return;
    const server = tool.server.definition.name;
    if ('unusable' in verdict) {
      throw new AppError('UPSTREAM_ERROR', `the input schema of ${server}.${tool.info.name} cannot be used`, {
        details: { server, reason: verdict.unusable },
      });
    }
    const fields = fieldFaults(verdict.faults).map(({ field, reason }) => ({
      field: `/arguments${field === '/' ? '' : field}`,
      reason,
    }));
    throw invalid(...fields);
  };

  /** The call itself, without the gate. Throws `AppError`. */
  const perform = async (
    tool: VisibleTool,
    args: Record<string, unknown>,
    context: ProgressContext,
    timeoutMs: number,
  ) => {
    const { definition, runtime } = tool.server;
    const started = performance.now();
    const sample = (outcome: CallSample['outcome']): void =>
      options.observeCall({
        server: definition.name,
        tool: tool.info.name,
        outcome,
        seconds: (performance.now() - started) / 1000,
      });
    try {
      const { onProgress, signal } = context;
      const raw = await runtime.callTool(tool.info.name, args, { signal, timeoutMs, context, onProgress });
      const schema = tool.info.outputSchema;
      if (schema !== null && !raw.isError) {
        const verdict = schemas.check(schema, raw.structured);
        if (!verdict.ok) {
          const why =
            'unusable' in verdict
              ? 'its output schema cannot be used'
              : 'the result breaks its output schema';
          throw new McpFault('protocol', `${tool.info.name}: ${why}`);
        }
      }
      const result = capResult(raw);
      sample(result.isError ? 'tool_error' : 'ok');
      return { result, durationMs: Math.round((performance.now() - started) * 100) / 100 };
    } catch (error) {
      sample(error instanceof McpFault && error.kind === 'timeout' ? 'timeout' : 'error');
      throw mcpErrorOf(error, definition.name);
    }
  };

  const assertUsable = (tool: VisibleTool, caller: Caller): void => {
    if (tool.permission !== null && !caller.permissions.has(tool.permission))
      throw forbidden(tool.permission);
    if (tool.pin.held) {
      throw conflict('this tool is held back until an operator accepts it', {
        pinned: tool.pin.pinned,
        suspicious: tool.pin.suspicious,
      });
    }
  };

  /** What holds when it is called counts, not what held when the run began or a proposal was made. */
  const callNow = async (
    serverName: string,
    toolName: string,
    args: Record<string, unknown>,
    context: ProgressContext,
  ): Promise<CappedResult> => {
    const server = findServer(context.caller, serverName);
    const tool = await toolOf(context.caller, server, toolName);
    if (tool === null) throw notFound('tool');
    assertUsable(tool, context.caller);
    checkArguments(tool, args);
    const { result } = await perform(tool, args, context, server.definition.timeoutMs);
    return result;
  };

  /** A listing keeps its objects, so each description is cleaned once. */
  const descriptions = new WeakMap<McpToolInfo, string>();
  const descriptionOf = (info: McpToolInfo): string => {
    let text = descriptions.get(info);
    if (text === undefined) {
      text = visibleText(info.description || info.title || info.name, MAX_DESCRIPTION_CHARACTERS);
      descriptions.set(info, text);
    }
    return text;
  };

  /** For agents: each failure is a text that the model reads. */
  const agentTool = (tool: VisibleTool): GatewayTool => {
    const server = tool.server.definition.name;
    const { name, inputSchema } = tool.info;
    return {
      server,
      name,
      description: descriptionOf(tool.info),
      inputSchema,
      annotations: tool.annotations,
      permission: tool.permission ?? 'mcp:call',
      policy: tool.policy,
      // Closed world: what it changes is the person's own.
      personal: !tool.annotations.readOnly,
      foreignDescription: isUnaccepted(tool),
      ...(tool.server.definition.ownWords ? { taint: [] } : {}),
      origin: options.originOf(tool.server.definition),
      callForResult: (args, context) => callNow(server, name, args, context),
      async call(args, context) {
        try {
          const result = await callNow(server, name, args, context);
          return {
            content: modelText(result),
            isError: result.isError,
            ...(result.structured === undefined ? {} : { structured: result.structured }),
          };
        } catch (error) {
          if (!(error instanceof AppError) || error.code === 'INTERNAL_ERROR') throw error;
          return { content: `The tool could not be used: ${error.message}`, isError: true };
        }
      },
    };
  };

  /** What a caller's list was made of, in order, and the list: each run asks for it, and it seldom changes. */
  const lists = new WeakMap<Caller, { from: readonly unknown[]; tools: readonly GatewayTool[] }>();

  return {
    findServer,
    toolsOf,
    toolOf,

    /** Tools for agents of this caller: of connected servers, allowed, accepted. The same list while nothing changes. */
    async list(caller: Caller): Promise<readonly GatewayTool[]> {
      if (!caller.permissions.has('mcp:call')) return NO_TOOLS;
      const servers = registry
        .visible(caller.tenantId)
        .filter(
          ({ definition, runtime }) =>
            definition.forAgents &&
            runtime.state().status === 'connected' &&
            mayUseServer(definition.access, caller),
        );
      const from: unknown[] = [];
      for (const { definition, runtime } of servers) {
        const { tools } = runtime.state();
        from.push(definition, runtime, tools, await pins.states(caller.tenantId, definition, tools));
      }
      const known = lists.get(caller);
      if (known?.from.length === from.length && known.from.every((part, i) => part === from[i]))
        return known.tools;
      const found: GatewayTool[] = [];
      for (const server of servers) {
        for (const tool of await toolsOf(caller, server)) {
          const usable = tool.permission === null || caller.permissions.has(tool.permission);
          if (usable && !tool.pin.held && AGENT_TOOL_NAME.test(tool.info.name)) found.push(agentTool(tool));
        }
      }
      lists.set(caller, { from, tools: found });
      return found;
    },

    /** A direct call (contract, section 9). */
    async call(
      serverName: string,
      request: { tool: string; arguments: Record<string, unknown>; timeoutMs: number | null },
      context: ProgressContext,
    ): Promise<{ outcome: 'done'; result: CallResult } | { outcome: 'wait'; proposalId: string }> {
      const { caller } = context;
      const server = findServer(caller, serverName);
      const timeoutMs = request.timeoutMs ?? server.definition.timeoutMs;
      await server.runtime.settled(timeoutMs, context.signal);
      const { status, lastError } = server.runtime.state();
      const tool = await toolOf(caller, server, request.tool);
      if (status !== 'connected') {
        throw new AppError('SERVICE_UNAVAILABLE', `the MCP server ${serverName} is not connected`, {
          details: { server: serverName, status, reason: lastError },
          retryAfterS: 5,
        });
      }
      if (tool === null) throw notFound('tool');
      assertUsable(tool, caller);
      checkArguments(tool, request.arguments);
      const asked = agentTool(tool);
      const decision = await gate.check(asked, request.arguments, context);
      if (decision.outcome === 'wait') return decision;
      if (decision.outcome === 'denied') {
        await toolLedger.refused(asked, request.arguments, context, decision.reason, decision.proposalId);
        throw new AppError('FORBIDDEN', decision.reason, {
          details: { required: 'approval', proposal_id: decision.proposalId },
        });
      }
      const { result, durationMs } = await toolLedger.carryOut(
        asked,
        request.arguments,
        context,
        async () => {
          const done = await perform(tool, request.arguments, context, timeoutMs);
          return { ...done, isError: done.result.isError };
        },
      );
      return {
        outcome: 'done',
        result: {
          call_id: newId(),
          server: serverName,
          tool: request.tool,
          content: result.content,
          structured_content: result.structured ?? null,
          is_error: result.isError,
          truncated: result.truncated,
          duration_ms: durationMs,
        },
      };
    },
  };
};

export type Calls = ReturnType<typeof createCalls>;
