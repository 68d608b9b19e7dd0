import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { CheckpointAnswer } from './checkpointer.ts';

/** The thread of `checkpointer.ts`: twice, so that little is left of what came while the first one ran. */
const { file } = workerData as { file: string };
const db = new DatabaseSync(file, { timeout: 5_000 });
db.exec('pragma synchronous = normal');
const checkpoint = db.prepare('pragma wal_checkpoint(passive)');

const run = (): CheckpointAnswer => {
  try {
    checkpoint.all();
    checkpoint.all();
    return {};
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
};

parentPort?.on('message', (asked: 'checkpoint' | 'close') => {
  if (asked === 'checkpoint') return parentPort?.postMessage(run());
  db.close();
  parentPort?.close();
});
