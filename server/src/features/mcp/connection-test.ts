import type { Caller } from '../../kernel/caller.ts';
import { type McpConnector, McpFault } from '../../kernel/mcp.ts';
import { auditedBy, type WriteAudit } from './audit-notes.ts';
import { type EndpointInput, type EndpointLimits, endpointOf, inFolder, redactorOf } from './endpoint.ts';
import { stdioOwnerOf, type TenantNames } from './own-servers.ts';

/** So long at the most for each step. */
const TEST_MS = 15_000;
const MAX_LOG_LINES = 50;

export interface ConnectionTestOptions {
  connector: McpConnector;
  limits: EndpointLimits;
  tenantNames: TenantNames;
  audit: WriteAudit;
}

/** Connects once, lists the tools and lets go again; nothing is registered. */
export const createConnectionTest =
  (options: ConnectionTestOptions) => async (caller: Caller, input: EndpointInput, signal: AbortSignal) => {
    const endpoint = endpointOf(input, options.limits, await stdioOwnerOf(options.tenantNames, caller));
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
            if (log.length < MAX_LOG_LINES) log.push(redact(text));
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
  };
