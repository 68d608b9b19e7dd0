import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { lockDataDir } from '../db/lock.ts';
import { holdPresence, type Presence } from '../db/presence.ts';
import { inWords } from '../db/refusal.ts';
import { postgresStartFault } from '../db/start-faults.ts';
import type { Cluster } from '../kernel/cluster.ts';
import { newId } from '../kernel/ids.ts';
import { defineModule, type Given } from './module.ts';

/** The place of this process: its data folder, its id, and its place on the database. */
export interface NodePlace extends Cluster {
  /** The place is somebody else's. */
  lost: Promise<Error>;
  /** The next node may start. */
  started(): Promise<void>;
}

const NODE_ID = /^[0-9a-f-]{36}$/;

/** Stays with the data folder, so that a node that starts again knows what it has left itself. */
const nodeIdOf = (dataDir: string): string => {
  const file = path.join(dataDir, 'node-id');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  try {
    const known = readFileSync(file, 'utf8').trim();
    if (NODE_ID.test(known)) return known;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  const id = newId();
  writeFileSync(file, `${id}\n`, { mode: 0o600 });
  return id;
};

export interface NodeDeps {
  config: Pick<Config, 'DATA_DIR' | 'DATABASE_URL' | 'REDIS_URL'>;
  logger: Given['logger'] & Partial<Pick<Logger, 'setBindings'>>;
}

/** Before the store is opened. Throws `StartRefused` where another process has it for itself. */
export const nodeModule = defineModule({
  name: 'node',
  needs: ['config', 'logger'],
  async build({ config, logger }: NodeDeps) {
    const lock = lockDataDir(config.DATA_DIR);
    const nodeId = nodeIdOf(config.DATA_DIR);
    const alone = config.DATABASE_URL === null || config.REDIS_URL === null;
    // Of many, each line says which of them has written it.
    if (!alone) logger.setBindings?.({ node_id: nodeId });
    const lost = Promise.withResolvers<Error>();
    const { DATABASE_URL: url } = config;
    const onWait = (message: string): void => logger.info(message);
    const presence: Presence | null =
      url === null
        ? null
        : await inWords(
            () => holdPresence({ url, nodeId, alone, onLost: lost.resolve, onWait }),
            (error) => postgresStartFault(error, url),
          );
    const service: NodePlace = {
      nodeId,
      alone,
      lost: lost.promise,
      started: async () => presence?.started(),
    };
    return {
      service,
      async stop() {
        await presence?.release();
        lock.release();
      },
    };
  },
});
