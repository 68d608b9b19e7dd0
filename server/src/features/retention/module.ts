import type { Config } from '../../config.ts';
import type { Db } from '../../db/db.ts';
import type { Jobs } from '../../jobs/index.ts';
import { defineModule, type Given } from '../../modules/module.ts';
import type { Audit } from '../audit/index.ts';
import type { Metrics } from '../system/index.ts';
import { retentionPurges } from './purges.ts';
import { createRetention } from './service.ts';

export interface RetentionDeps extends Pick<Given, 'clock'> {
  audit: Audit;
  config: Config;
  db: Db;
  jobs: Jobs;
  system: { metrics: Pick<Metrics, 'purged'> };
}

const EVERY_MS = 60_000;

export const retentionModule = defineModule({
  name: 'retention',
  needs: ['audit', 'clock', 'config', 'db', 'jobs', 'system'],
  build({ config, system, ...deps }: RetentionDeps) {
    const retention = createRetention({
      ...deps,
      purges: retentionPurges(config),
      purged: system.metrics.purged,
    });
    return {
      service: retention,
      tickers: [
        { everyMs: EVERY_MS, fault: 'the retention could not be looked at', tick: () => retention.tick() },
      ],
    };
  },
});
