import { statfs } from 'node:fs/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { WatchedDb } from '../../db/watched.ts';
import { VERSION } from '../../kernel/version.ts';
import { defineModule, type Given } from '../../modules/module.ts';
import { createMetrics } from './metrics.ts';
import { createReadinessLog } from './readiness-log.ts';
import { type Check, systemRoutes } from './routes.ts';

export interface SystemDeps extends Pick<Given, 'clock' | 'lifecycle'> {
  collected(): Pick<ReturnType<Given['collected']>, 'gauges' | 'health'>;
  config: { DATABASE_URL: string | null; DATA_DIR: string; METRICS_TOKEN: string | null };
  db: Pick<WatchedDb, 'onWrite'>;
  logger: Pick<FastifyBaseLogger, 'info' | 'warn'>;
}

/** Below this /ready says so. */
const LOW_DISK_BYTES = 512 * 2 ** 20;
/** The records of SQLite stand in the data folder: with less than this a chat would wait for room. */
const NO_ROOM_BYTES = 4 * 2 ** 20;

/** What the room in the data folder means for who asks /ready; `holdsStore`: the records stand there too. */
const diskCheck = (free: number, holdsStore: boolean): Check => {
  if (free >= LOW_DISK_BYTES) return { status: 'ok' };
  const detail = `${Math.floor(free / 2 ** 20)} MiB left for the data folder`;
  return { status: holdsStore && free < NO_ROOM_BYTES ? 'failed' : 'degraded', detail };
};

const freeBytes = async (folder: string): Promise<number> => {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
};

export const systemModule = defineModule({
  name: 'system',
  needs: ['clock', 'collected', 'config', 'db', 'lifecycle', 'logger'],
  build({ clock, collected, config, db, lifecycle, logger }: SystemDeps) {
    const metrics = createMetrics(VERSION, () => collected().gauges);
    db.onWrite(metrics.storeWrite);
    const dataFreeBytes = () => freeBytes(config.DATA_DIR);
    return {
      service: { metrics },
      routes: systemRoutes({
        version: VERSION,
        startedAt: lifecycle.startedAt,
        now: clock.now,
        stopping: lifecycle.stopping,
        metrics,
        metricsToken: config.METRICS_TOKEN,
        looked: createReadinessLog(logger),
        checks: () => collected().health,
      }),
      gauges: { dataFreeBytes },
      health: { disk: async () => diskCheck(await dataFreeBytes(), config.DATABASE_URL === null) },
    };
  },
});
