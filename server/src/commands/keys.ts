import type { Config } from '../config.ts';
import { createSeal, platformSecret } from '../features/identity/index.ts';

type Keys = Pick<Config, 'DATA_DIR' | 'PLATFORM_KEY'>;

/** What this installation seals secrets of the store with. Makes the key when neither folder nor settings have one yet. */
export const sealOf = (config: Keys) => createSeal(config.DATA_DIR, config.PLATFORM_KEY);

/** The key of what the MCP gateway keeps encrypted. */
export const mcpKeyOf = (config: Keys): Buffer =>
  Buffer.from(platformSecret(config.DATA_DIR, 'mcp.key', config.PLATFORM_KEY), 'base64url');
