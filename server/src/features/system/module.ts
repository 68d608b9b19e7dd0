import { statfs } from 'node:fs/promises';
import { VERSION } from '../../kernel/version.ts';
import { defineModule, type Given } from '../../modules/module.ts';
import { createMetrics } from './metrics.ts';
import { type Check, systemRoutes } from './routes.ts';

export interface SystemDeps extends Pick<Given, 'clock' | 'lifecycle'> {
  collected(): Pick<ReturnType<Given['collected']>, 'gauges' | 'health'>;
  config: { DATA_DIR: string; METRICS_TOKEN: string | null };
}

/** Below this /ready says so. */
const LOW_DISK_BYTES = 512 * 2 ** 20;

const diskOf = (folder: string) => {
  const freeBytes = async (): Promise<number> => {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  };
  return {
    freeBytes,
    async check(): Promise<Check> {
      const free = await freeBytes();
      return free < LOW_DISK_BYTES
        ? { status: 'degraded', detail: `${Math.floor(free / 2 ** 20)} MiB left for the data folder` }
        : { status: 'ok' };
    },
  };
};

export const systemModule = defineModule({
  name: 'system',
  needs: ['clock', 'collected', 'config', 'lifecycle'],
  build({ clock, collected, config, lifecycle }: SystemDeps) {
    const metrics = createMetrics(() => collected().gauges);
    const disk = diskOf(config.DATA_DIR);
    return {
      service: { metrics },
      routes: systemRoutes({
        version: VERSION,
        startedAt: lifecycle.startedAt,
        now: clock.now,
        stopping: lifecycle.stopping,
        metrics,
        metricsToken: config.METRICS_TOKEN,
        checks: () => collected().health,
      }),
      gauges: { dataFreeBytes: disk.freeBytes },
      health: { disk: disk.check },
    };
  },
});
