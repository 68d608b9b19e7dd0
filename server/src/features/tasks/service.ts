import type { Db } from '../../db/db.ts';
import type { Jobs } from '../../jobs/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { CallerFor } from '../../kernel/stored-credential.ts';
import { createStopRuns, createTaskEnd } from './cancel.ts';
import { createTaskChecks } from './checks.ts';
import { createTaskCreation } from './create.ts';
import { createExecutor } from './execute.ts';
import { runKind } from './jobs.ts';
import { createTaskListing } from './listing.ts';
import { createTaskPatch } from './patch.ts';
import { createTaskData } from './personal-data.ts';
import type { TaskChat } from './ports.ts';
import { createTaskRetry } from './retry.ts';
import { createRunLedger } from './runs.ts';
import { createScheduler } from './scheduler.ts';

export interface TasksOptions {
  db: Db;
  clock: Clock;
  jobs: Jobs;
  chat: TaskChat;
  callerOf: CallerFor;
  agentExists(tenantId: string, agentId: string): Promise<boolean>;
  /** Throws VALIDATION_ERROR for a model that no provider has. */
  checkModel(modelId: string, field: string): void;
  onError(error: unknown, message: string): void;
  /** Tasks that agents may make for one person within an hour. */
  agentTasksPerHour: number;
  /** Runs at once in this process. Default 8. */
  concurrency?: number;
  /** Runs at once of one tenant over all processes. Default 4. */
  perTenant?: number;
}

export const createTasks = (options: TasksOptions) => {
  const { db, clock, jobs } = options;
  const ledger = createRunLedger(options);
  const executor = createExecutor({ ...options, ledger });
  const scheduler = createScheduler({ ...options, ledger });
  jobs.work(
    runKind,
    { concurrency: options.concurrency ?? 8, perGroup: options.perTenant ?? 4 },
    executor.handler,
  );
  const checks = createTaskChecks(options);
  const stopRuns = createStopRuns({ ...options, ledger, executor });

  return {
    create: createTaskCreation({ ...options, ledger, checks }),
    ...createTaskListing({ db, ledger }),
    patch: createTaskPatch({ db, clock, ledger, checks }),
    ...createTaskEnd({ db, clock, ledger, stopRuns }),
    retry: createTaskRetry({ db, clock, ledger }),
    personalData: createTaskData(db, executor),
    tick: scheduler.tick,
    tickWaiting: scheduler.tickWaiting,
  };
};

export type Tasks = ReturnType<typeof createTasks>;
