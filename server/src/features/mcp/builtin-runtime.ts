import { AppError } from '../../kernel/errors.ts';
import type { McpCallResult, McpToolInfo } from '../../kernel/mcp.ts';
import type { ToolContext } from '../../kernel/tools.ts';
import type { ServerRuntime } from './runtime.ts';

/** A tool of a server that is part of the platform; it sees who calls. */
export interface BuiltinTool extends McpToolInfo {
  /** Permission that the caller needs besides `mcp:call`. */
  permission?: string;
  /** Throws `BuiltinToolError` (or an `AppError` of a service behind it) for what the caller should read. */
  call(args: Record<string, unknown>, context: ToolContext): Promise<McpCallResult>;
}

export interface BuiltinServer {
  name: string;
  title: string;
  version: string;
  tools: readonly BuiltinTool[];
  /** False where agents have the same tools already; true when not given. */
  forAgents?: boolean;
  /** True where results hold nothing that somebody has written. */
  ownWords?: boolean;
}

/** A failure that the tool itself explains: the result of the call, marked as an error. */
export class BuiltinToolError extends Error {}

export const textResult = (text: string, structured?: Record<string, unknown>): McpCallResult => ({
  content: [{ type: 'text', text }],
  structured,
  isError: false,
});

export const jsonResult = (value: Record<string, unknown>): McpCallResult =>
  textResult(JSON.stringify(value, null, 2), value);

export const createBuiltinRuntime = (server: BuiltinServer, now: () => number): ServerRuntime => {
  let startedAt: number | null = null;
  const tools = new Map(server.tools.map((tool) => [tool.name, tool]));
  return {
    state: () => ({
      status: startedAt === null ? 'disabled' : 'connected',
      tools: server.tools,
      lastError: null,
      connectedAt: startedAt,
      serverInfo: { name: server.name, version: server.version, title: server.title },
      protocolVersion: null,
    }),
    start() {
      startedAt ??= now();
    },
    async stop() {
      startedAt = null;
    },
    retry: () => {},
    settled: () => Promise.resolve(),
    firstConnection: () => Promise.resolve(),
    async callTool(name, args, { context }) {
      const tool = tools.get(name);
      if (tool === undefined) throw new AppError('NOT_FOUND', 'tool not found');
      try {
        return await tool.call(args, context);
      } catch (error) {
        const explained =
          error instanceof BuiltinToolError || (error instanceof AppError && error.code !== 'INTERNAL_ERROR');
        if (explained) {
          return { content: [{ type: 'text', text: error.message }], structured: undefined, isError: true };
        }
        throw error;
      }
    },
    ask: () => {
      throw new AppError('NOT_FOUND', 'this server has no resources and no prompts');
    },
    relist: () => Promise.resolve(),
    logs: () => [],
  };
};
