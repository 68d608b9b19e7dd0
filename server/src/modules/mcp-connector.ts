import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createMcpConnector, createPrivateFolderCheck } from '../adapters/mcp/index.ts';
import type { Config } from '../config.ts';
import { OAUTH_CALLBACK_PATH } from '../features/mcp/index.ts';
import type { OutgoingHttp } from '../kernel/outgoing.ts';
import { VERSION } from '../kernel/version.ts';
import { defineModule, type Given } from './module.ts';

export interface McpConnectorDeps extends Pick<Given, 'publicUrl'> {
  config: Pick<Config, 'DATA_DIR'>;
  outgoing: {
    mcp: OutgoingHttp;
    mcpOfOperator: OutgoingHttp;
  };
}

/** What speaks to MCP servers, and where their programs run. */
export const mcpConnectorModule = defineModule({
  name: 'mcpConnector',
  needs: ['config', 'outgoing', 'publicUrl'],
  build({ config, outgoing, publicUrl }: McpConnectorDeps) {
    // Empty: a program that serves the folder it runs in serves nothing.
    const stdioFolder = mkdtempSync(path.join(tmpdir(), 'pentarch-mcp-'));
    return {
      service: {
        connector: createMcpConnector({
          clientInfo: { name: 'pentarch', version: VERSION },
          guarded: outgoing.mcp,
          open: outgoing.mcpOfOperator,
          oauthRedirectUrl: () => `${publicUrl()}${OAUTH_CALLBACK_PATH}`,
        }),
        stdioFolder,
        checkStdioText: createPrivateFolderCheck(config.DATA_DIR, stdioFolder),
        checkUrl: (url: string) => outgoing.mcp.check(url),
      },
      stop: () => rmSync(stdioFolder, { recursive: true, force: true }),
    };
  },
});
