import type { Config } from '../config.ts';
import type { Session } from '../db/archive/session.ts';
import {
  aboutSigningKey,
  createSeal,
  openPlatformKeys,
  type PlatformKeys,
} from '../features/identity/index.ts';

type Keys = Pick<Config, 'DATA_DIR' | 'PLATFORM_KEY' | 'PLATFORM_KEY_PREVIOUS'>;

/** The secrets of this installation. What has none yet is made in memory; `keep` writes it. */
export const platformKeysOf = (config: Keys): PlatformKeys =>
  openPlatformKeys({
    dataDir: config.DATA_DIR,
    platformKey: config.PLATFORM_KEY,
    previousKey: config.PLATFORM_KEY_PREVIOUS,
  });

/** What this installation seals secrets of the store with. */
export const sealOf = (keys: PlatformKeys) => createSeal(keys);

/** The keys of what the MCP gateway keeps encrypted: the present one, then those that still open. */
export const mcpKeysOf = (keys: PlatformKeys): Buffer[] =>
  [keys.secret('mcp.key'), ...keys.previous('mcp.key')].map((text) => Buffer.from(text, 'base64url'));

export const LOST_KEYS =
  'the keys of this installation are not those that the store was sealed with. Bring back DATA_DIR/keys (or PLATFORM_KEY) from a backup of the same platform. If they are lost for good, "keys recover" makes new ones: everybody signs in anew, secrets of webhooks and MCP servers are given again, all records stay';

/** Whether what the store has sealed opens; true for a store that has sealed nothing yet. */
export const keysFit = async (session: Session, keys: PlatformKeys): Promise<boolean> => {
  const [newest] = await session.all(
    'select id, private_sealed from signing_keys order by created_at desc, id desc limit 1',
  );
  if (newest === undefined) return true;
  try {
    sealOf(keys).open(String(newest.private_sealed), aboutSigningKey(String(newest.id)));
    return true;
  } catch {
    return false;
  }
};
