import type { Db } from '../../db/db.ts';
import { runById } from './store.ts';

const LOOK_EVERY_MS = 1_000;

export interface RunStops {
  /** Calls `stop` when a cancel is asked for, here or on another node; returns how to leave off looking. */
  onCancel(taskRunId: string, stop: () => void): () => void;
  /** Stops the run if it goes on in this process. */
  stop(taskRunId: string): void;
}

export const createRunStops = (options: {
  db: Db;
  onError(error: unknown, message: string): void;
}): RunStops => {
  /** Runs of this process that can be stopped at once. */
  const stops = new Map<string, () => void>();

  return {
    onCancel(taskRunId, stop) {
      stops.set(taskRunId, stop);
      const looking = setInterval(() => {
        runById(options.db.read, taskRunId).then(
          (row) => {
            if (row === undefined || row.cancel_requested === 1) stop();
          },
          (error: unknown) => options.onError(error, 'a task could not be looked at'),
        );
      }, LOOK_EVERY_MS);
      looking.unref();
      return () => {
        clearInterval(looking);
        stops.delete(taskRunId);
      };
    },
    stop: (taskRunId) => stops.get(taskRunId)?.(),
  };
};
