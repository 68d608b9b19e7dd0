import { writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { createVitest, type Vitest } from 'vitest/node';
import type { RunnerAnswer, RunnerOrder } from './pool.ts';
import { QUEUE, SETUP } from './tree.ts';

/**
 * A process that runs suites in a tree with faults (its working folder). It is told over IPC, and ended by who started it where a
 * fault makes it run for ever.
 *
 *   alone  one suite with one fault, in a worker of its own
 *   batch  one suite with one fault after the other in the same worker: all modules of the tree are loaded anew for each
 *          (`batch-setup.ts`), those of packages are not
 */
const [, , mode = 'alone', testTimeoutMs = '30000'] = process.argv;
const batch = mode === 'batch';

const open = (): Promise<Vitest> =>
  createVitest({
    config: false,
    root: process.cwd(),
    include: ['**/*.test.ts'],
    watch: false,
    cache: false,
    reporters: [{}],
    pool: 'forks',
    isolate: !batch,
    setupFiles: batch ? [path.resolve(SETUP)] : [],
    maxWorkers: 1,
    bail: batch ? 0 : 1,
    testTimeout: Number(testTimeoutMs),
    hookTimeout: Number(testTimeoutMs) * 2,
    expect: { poll: { timeout: Number(testTimeoutMs) / 2 } },
    execArgv: ['--max-old-space-size=1500'],
  });

const vitest = await open();
await vitest.standalone();

const run = async ({ suite, ids }: RunnerOrder): Promise<RunnerAnswer> => {
  const startedAt = performance.now();
  const file = path.resolve(suite);
  const specification = vitest.getRootProject().createSpecification(file);
  if (batch) writeFileSync(QUEUE, JSON.stringify(ids));
  const specifications = batch ? ids.map(() => specification) : [specification];
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  // Those of earlier orders are given too.
  const own = testModules.filter(({ moduleId }) => moduleId === file);
  const cases = own.flatMap((one) => [...one.children.allTests()]);
  const failure = cases.find((one) => one.result().state === 'failed');
  return {
    passed: own.length === 1 && own.every((one) => one.ok()) && unhandledErrors.length === 0,
    ms: performance.now() - startedAt,
    failure: failure?.fullName ?? String(unhandledErrors[0] ?? own[0]?.errors()[0]?.message ?? ''),
  };
};

process.on('message', (order: RunnerOrder) => {
  run(order).then(
    (answer) => process.send?.(answer),
    (error: unknown) => process.send?.({ passed: false, ms: 0, failure: String(error) }),
  );
});
process.on('disconnect', () => process.exit(0));
process.send?.({ ready: true });
