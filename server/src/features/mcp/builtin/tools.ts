import type { Caller } from '../../../kernel/caller.ts';
import { PERMISSIONS } from '../../../kernel/permissions.ts';
import type { AgentTool, ToolSource } from '../../../kernel/tools.ts';
import type { BuiltinServer, BuiltinTool } from '../builtin-runtime.ts';

/** Stands for nobody: a source is asked once for all that it has, each call is made as its own caller. */
const ANYBODY: Caller = {
  userId: '',
  tenantId: '',
  type: 'service',
  email: '',
  name: '',
  roles: [],
  permissions: new Set(PERMISSIONS),
  tier: 'free',
  platformAdmin: false,
  whole: true,
  credential: 'jwt',
  tokenId: '',
  sessionId: null,
  expiresAt: null,
};

const builtinTool = (tool: AgentTool): BuiltinTool => ({
  name: tool.name,
  title: null,
  description: tool.description,
  inputSchema: tool.inputSchema,
  outputSchema: null,
  annotations: {
    readOnlyHint: tool.annotations.readOnly,
    destructiveHint: tool.annotations.destructive,
    idempotentHint: tool.annotations.idempotent,
    openWorldHint: tool.annotations.openWorld,
  },
  permission: tool.permission,
  async call(args, context) {
    const outcome = await tool.call(args, context);
    return {
      content: [{ type: 'text', text: outcome.content }],
      structured: outcome.structured,
      isError: outcome.isError,
    };
  },
});

/**
 * Tools that a feature has for agents (memory), as an MCP server besides. Agents have them from the feature itself, so
 * they are not offered to them twice.
 */
export const createToolsServer = async (server: {
  name: string;
  title: string;
  source: ToolSource;
}): Promise<BuiltinServer> => ({
  name: server.name,
  title: server.title,
  version: '1.0.0',
  forAgents: false,
  tools: (await server.source.list(ANYBODY, null)).map(builtinTool),
});
