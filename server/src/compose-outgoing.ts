import { checkOutgoingUrl } from './adapters/guarded-fetch/index.ts';
import type { Config } from './config.ts';

/** For commands: why an address may not be called under these settings, or null. Webhooks and MCP servers have rules of their own. */
export const composeUrlChecks = (config: Pick<Config, 'WEBHOOK_ALLOW_PRIVATE'>) => {
  const allowPrivate = config.WEBHOOK_ALLOW_PRIVATE;
  return {
    ofWebhook: (url: string): string | null =>
      checkOutgoingUrl(url, { allowPrivate, requireHttps: !allowPrivate }),
    ofServer: (url: string): string | null => checkOutgoingUrl(url, { allowPrivate }),
  };
};
