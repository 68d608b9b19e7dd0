import type { Caller } from '../../kernel/caller.ts';
import { AppError, notFound } from '../../kernel/errors.ts';
import type { McpToolInfo } from '../../kernel/mcp.ts';
import type { ToolPolicy } from '../../kernel/tool-policy.ts';
import type { AgentTool } from '../../kernel/tools.ts';
import { assertUsable, type Perform, type ProgressContext } from './perform.ts';
import type { PinBook } from './pins.ts';
import type { Registry } from './registry.ts';
import { type CappedResult, modelText, visibleText } from './results.ts';
import { mayUseServer } from './rules.ts';
import type { ServerDefinition } from './types.ts';
import { isUnaccepted, type VisibleTool, type VisibleTools } from './visible-tools.ts';

/** A tool of the gateway as an agent gets it. */
export interface GatewayTool extends AgentTool {
  /** As the operator wrote it; what is left out is for governance to decide. */
  policy: ToolPolicy;
  /** As `call`, with the content as the server gave it. Throws `AppError`. */
  callForResult(args: Record<string, unknown>, context: ProgressContext): Promise<CappedResult>;
}

export const isGatewayTool = (tool: AgentTool): tool is GatewayTool => 'policy' in tool;

const NO_TOOLS: readonly GatewayTool[] = [];
const AGENT_TOOL_NAME = /^[A-Za-z0-9_./-]{1,128}$/;
const MAX_DESCRIPTION_CHARACTERS = 8_192;

export interface AgentToolOptions extends VisibleTools, Perform {
  registry: Registry;
  pins: PinBook;
  /** What stands behind a name: equal for the same registration, command and address. */
  originOf(definition: ServerDefinition): string;
}

/** Tools of servers in the form in which agents get them. */
export const createAgentTools = (options: AgentToolOptions) => {
  const { registry, pins, findServer, toolsOf, toolOf, checkArguments, perform } = options;

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
      ...(tool.server.definition.source === 'builtin' ? { builtIn: true } : {}),
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
    agentTool,

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
  };
};
