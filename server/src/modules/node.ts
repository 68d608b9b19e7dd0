import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../config.ts';
import { lockDataDir } from '../db/lock.ts';
import { holdPresence, type Presence } from '../db/presence.ts';
import { newId } from '../kernel/ids.ts';
import { defineModule, type Given } from './module.ts';

/** The place of this process: its data folder, its id, and its place on the database. */
export interface NodePlace {
  nodeId: string;
  /** No other node is at work on this store. */
  alone: boolean;
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

export interface NodeDeps extends Pick<Given, 'logger'> {
  config: Pick<Config, 'DATA_DIR' | 'DATABASE_URL' | 'REDIS_URL'>;
}

/** Before the store is opened. Throws `StartRefused` where another process has it for itself. */
export const nodeModule = defineModule({
  name: 'node',
  needs: ['config', 'logger'],
  async build({ config, logger }: NodeDeps) {
    const lock = lockDataDir(config.DATA_DIR);
    const nodeId = nodeIdOf(config.DATA_DIR);
    const alone = config.DATABASE_URL === null || config.REDIS_URL === null;
    const lost = Promise.withResolvers<Error>();
    const presence: Presence | null =
      config.DATABASE_URL === null
        ? null
        : await holdPresence({
            url: config.DATABASE_URL,
            nodeId,
            alone,
            onLost: lost.resolve,
            onWait: (message) => logger.info(message),
          });
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
