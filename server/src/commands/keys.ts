import type { Config } from '../config.ts';
import { createSeal, openPlatformKeys, type PlatformKeys } from '../features/identity/index.ts';

type Keys = Pick<Config, 'DATA_DIR' | 'PLATFORM_KEY' | 'PLATFORM_KEY_PREVIOUS'>;

/** The secrets of this installation. What has none yet is made in memory; `keep` writes it. */
export const platformKeysOf = (config: Keys, how: { damagedIsLost?: boolean } = {}): PlatformKeys =>
  openPlatformKeys({
    ...how,
    dataDir: config.DATA_DIR,
    platformKey: config.PLATFORM_KEY,
    previousKey: config.PLATFORM_KEY_PREVIOUS,
  });

/** What this installation seals secrets of the store with. */
export const sealOf = (keys: PlatformKeys) => createSeal(keys);

/** The keys of what the MCP gateway keeps encrypted: the present one, then those that still open. */
export const mcpKeysOf = (keys: PlatformKeys): Buffer[] =>
  [keys.secret('mcp.key'), ...keys.previous('mcp.key')].map((text) => Buffer.from(text, 'base64url'));
