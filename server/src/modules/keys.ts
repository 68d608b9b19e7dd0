import { createHash } from 'node:crypto';
import type { Config } from '../config.ts';
import type { Db } from '../db/db.ts';
import { StartRefused } from '../db/refusal.ts';
import { openPlatformKeys, type PlatformKeys, type SecretName } from '../features/identity/index.ts';
import { createNodeStore, type NodeStore } from '../features/nodes/index.ts';
import { defineModule } from './module.ts';
import { keysFit, LOST_KEYS } from './sealing.ts';

/**
 * Which secrets a node has, as a mark that says nothing of them: nodes with other keys could not read what this one
 * seals, and would find that out one request at a time.
 */
const markOf = (secret: (name: SecretName) => string): string => {
  const mark = createHash('sha256').update('pentarch keys');
  for (const name of ['identity.key', 'cookie.key', 'mcp.key'] as const) mark.update(`\n${secret(name)}`);
  return mark.digest('base64url');
};

const checkKeys = async (keys: PlatformKeys, store: NodeStore): Promise<void> => {
  const own = markOf(keys.secret);
  const kept = await store.fact('keys', own);
  if (kept === own) return;
  const earlier = keys
    .previous('identity.key')
    .map((_, i) => markOf((name) => keys.previous(name)[i] ?? keys.secret(name)));
  // The platform goes over to a new PLATFORM_KEY, and this node has both.
  if (earlier.includes(kept)) return store.setFact('keys', own);
  throw new StartRefused(
    'the keys of this node are not those of the platform. Set PLATFORM_KEY to the same text on every node; or copy the folder keys of a working node’s DATA_DIR into this one’s. If no node has them any more: "keys recover"',
  );
};

export interface KeysDeps {
  config: Pick<Config, 'DATA_DIR' | 'DATABASE_URL' | 'PLATFORM_KEY' | 'PLATFORM_KEY_PREVIOUS'>;
  db: Db;
}

/** The secrets beside the store. Throws `StartRefused` where they are not those of the store, before anything is written. */
export const keysModule = defineModule({
  name: 'keys',
  needs: ['config', 'db'],
  async build({ config, db }: KeysDeps) {
    const keys = openPlatformKeys({
      dataDir: config.DATA_DIR,
      platformKey: config.PLATFORM_KEY,
      previousKey: config.PLATFORM_KEY_PREVIOUS,
    });
    if (config.DATABASE_URL !== null) await checkKeys(keys, createNodeStore(db));
    if (!(await keysFit(db.read, keys))) throw new StartRefused(LOST_KEYS);
    return { service: keys };
  },
});
