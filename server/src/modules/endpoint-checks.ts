import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkOutgoingUrl } from '../adapters/guarded-fetch/index.ts';
import { createPrivateFolderCheck } from '../adapters/mcp/index.ts';
import type { Config } from '../config.ts';

/**
 * For commands: why an address may not be called under these settings, or a program not be given a text; null when it may.
 * Webhooks and MCP servers have rules of their own.
 */
export const composeEndpointChecks = (config: Pick<Config, 'WEBHOOK_ALLOW_PRIVATE' | 'DATA_DIR'>) => {
  const allowPrivate = config.WEBHOOK_ALLOW_PRIVATE;
  return {
    ofWebhook: (url: string): string | null =>
      checkOutgoingUrl(url, { allowPrivate, requireHttps: !allowPrivate }),
    ofServer: (url: string): string | null => checkOutgoingUrl(url, { allowPrivate }),
    // Programs run in a folder of their own beside this one, whose name each start makes.
    ofStdioText: createPrivateFolderCheck(config.DATA_DIR, path.join(tmpdir(), 'pentarch-mcp')),
  };
};
