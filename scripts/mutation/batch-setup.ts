import { appendFileSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, vi } from 'vitest';
import { DONE, QUEUE } from './tree.ts';

/**
 * Loaded before each pass over the suite of a batch: writes down what became of the pass before, turns the next fault on, and has
 * all modules of the tree loaded anew. The last of a batch is no fault, so that its pass tells of nothing but the end.
 */
interface Batch {
  ids: readonly number[];
  at: number;
  passed: number;
  failed: string | null;
}

const shared = globalThis as { __mutationBatch?: Batch; __mutationActive?: number };
shared.__mutationBatch ??= {
  ids: JSON.parse(readFileSync(QUEUE, 'utf8')) as number[],
  at: -1,
  passed: 0,
  failed: null,
};
const batch = shared.__mutationBatch;
if (batch.at >= 0) {
  const { ids, at, passed, failed } = batch;
  appendFileSync(DONE, `${JSON.stringify({ id: ids[at], passed, failed })}\n`);
}
batch.at += 1;
batch.passed = 0;
batch.failed = null;
shared.__mutationActive = batch.ids[batch.at] ?? 0;
vi.resetModules();

// One failure is enough.
beforeEach((context) => {
  if (batch.failed !== null) context.skip();
});
afterEach(({ task }) => {
  if (task.result?.state === 'fail') batch.failed ??= task.name;
  else batch.passed += 1;
});
