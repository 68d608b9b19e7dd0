import type { Config } from '../config.ts';
import type { Db } from '../db/db.ts';
import { createSqliteJobs, type Jobs } from '../jobs/index.ts';
import { defineModule, type Given } from './module.ts';

export interface JobsDeps extends Pick<Given, 'clock' | 'onError'> {
  config: Pick<Config, 'DATABASE_URL'>;
  db: Db;
}

const createJobs = async ({ config, db, clock, onError }: JobsDeps): Promise<Jobs> => {
  if (config.DATABASE_URL === null) return createSqliteJobs({ db, clock, onError });
  // Loaded where it is used: the queue's package is one of the largest.
  const { createPostgresJobs } = await import('../jobs/postgres.ts');
  return createPostgresJobs({ db, url: config.DATABASE_URL, clock, onError });
};

/** The queue; `background` starts and stops it. */
export const jobsModule = defineModule({
  name: 'jobs',
  needs: ['clock', 'config', 'db', 'onError'],
  async build(deps: JobsDeps) {
    const jobs = await createJobs(deps);
    return {
      service: jobs,
      gauges: { jobs: () => jobs.depth(), waitingJobs: () => jobs.waiting() },
      health: {
        queue: async () => {
          const { queued, running, dead } = await jobs.depth();
          return { status: 'ok' as const, detail: `${queued} waiting, ${running} running, ${dead} dead` };
        },
      },
    };
  },
});
