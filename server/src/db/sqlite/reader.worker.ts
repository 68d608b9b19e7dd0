import { parentPort, workerData } from 'node:worker_threads';
import { openSqliteFile } from '../open.ts';
import { SqliteConnection } from './driver.ts';
import type { ReaderAnswer, ReaderRequest } from './reader-thread.ts';

/** The thread of `reader-thread.ts`. */
const { file } = workerData as { file: string };
const db = openSqliteFile(file, { readOnly: true, synchronous: 'normal' });
const connection = new SqliteConnection(db);

const answer = ({ id, queries }: ReaderRequest): ReaderAnswer => {
  try {
    const rows = queries.map((q) => connection.run<Record<string, unknown>>(q.sql, q.parameters).rows);
    return { id, rows };
  } catch (error) {
    const errcode = error instanceof Error && 'errcode' in error ? Number(error.errcode) : null;
    return { id, error: error instanceof Error ? error.message : String(error), errcode };
  }
};

parentPort?.on('message', (request: ReaderRequest | 'close') => {
  if (request !== 'close') return parentPort?.postMessage(answer(request));
  db.close();
  parentPort?.close();
});
