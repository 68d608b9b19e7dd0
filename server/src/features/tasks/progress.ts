import type { Db } from '../../db/db.ts';
import { type Clock, iso } from '../../kernel/clock.ts';
import type { TaskChatRun } from './ports.ts';
import type { RunCounts, RunLedger } from './runs.ts';
import { type TaskRow, updateTaskWhile } from './store.ts';

const PROGRESS_EVERY_MS = 2_000;

export interface ProgressOptions {
  db: Db;
  clock: Clock;
  ledger: RunLedger;
  onError(error: unknown, message: string): void;
}

/** Writes down how far a run of a task is, while it goes on. */
export const createProgress =
  (options: ProgressOptions) =>
  (task: TaskRow, run: TaskChatRun): { stop(): void; counted: RunCounts } => {
    const { db, clock, ledger } = options;
    const progress = { percent: null, step: `agent ${run.agentId}`, tool_calls: 0, characters: 0 };
    let writtenAt = clock.now();
    const stop = run.onProgress((change) => {
      if ('tool' in change) {
        progress.tool_calls += 1;
        progress.step = `tool ${change.tool}`;
      } else progress.characters += change.characters;
      const now = clock.now();
      if (now - writtenAt < PROGRESS_EVERY_MS) return;
      writtenAt = now;
      const text = JSON.stringify({ ...progress, updated_at: iso(now) });
      db.write(async (tx) => {
        const changes = { progress: text, updated_at: now };
        await ledger.announce(tx, await updateTaskWhile(tx, task.id, 'running', changes));
      }).catch((error: unknown) => options.onError(error, 'the progress of a task could not be stored'));
    });
    return { stop, counted: progress };
  };
