import type { Caller } from '../../kernel/caller.ts';
import { defineTool, READS, said, toolSource } from '../../kernel/define-tool.ts';
import { Strict } from '../../kernel/schema.ts';
import type { ToolSource } from '../../kernel/tools.ts';

/** What Hephaestus sees of the MCP gateway. */

export interface McpServerSummary {
  name: string;
  transport: string;
  /** connected, connecting, error, disabled */
  status: string;
  toolCount: number;
  lastError: string | null;
}

export const mcpServerTools = (
  servers: (caller: Caller) => readonly McpServerSummary[] | Promise<readonly McpServerSummary[]>,
): ToolSource =>
  toolSource([
    defineTool({
      name: 'list_mcp_servers',
      description:
        'Lists the MCP servers that the person may use: whether each is connected, how many tools it has, and its last error.',
      input: Strict({}),
      annotations: READS,
      permission: 'mcp:read',
      async run(_args, { caller }) {
        const found = await servers(caller);
        const structured = {
          servers: found.map(({ name, transport, status, toolCount, lastError }) => ({
            name,
            transport,
            status,
            tool_count: toolCount,
            last_error: lastError,
          })),
        };
        if (found.length === 0) return said('No MCP servers are registered.', structured);
        return said(
          found
            .map(
              (server) =>
                `- ${server.name} (${server.transport}): ${server.status}, ${server.toolCount} tools${server.lastError === null ? '' : `, last error: ${server.lastError.slice(0, 200)}`}`,
            )
            .join('\n'),
          structured,
        );
      },
    }),
  ]);
