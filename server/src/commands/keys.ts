import { randomBytes } from 'node:crypto';
import type { Config } from '../config.ts';
import { createSeal, secretFile } from '../features/identity/index.ts';

type Keys = Pick<Config, 'DATA_DIR'>;

/** What this installation seals secrets of the store with. Makes the key when the data folder has none yet. */
export const sealOf = (config: Keys) => createSeal(config.DATA_DIR);

/** The key of what the MCP gateway keeps encrypted. */
export const mcpKeyOf = (config: Keys): Buffer =>
  Buffer.from(
    secretFile(config.DATA_DIR, 'mcp.key', () => randomBytes(32).toString('base64url')),
    'base64url',
  );
