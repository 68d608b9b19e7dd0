import process from 'node:process';
import { createVitest, type Vitest } from 'vitest/node';
import type { RunnerAnswer, RunnerOrder } from './pool.ts';

/**
 * A process that runs one suite after the other in a tree with faults (its working folder), each in a worker of its own, so that
 * what a module holds is made anew. It is told over IPC, and ended by who started it where a fault makes it run for ever.
 */
const [, , testTimeoutMs = '30000'] = process.argv;

const open = (): Promise<Vitest> =>
  createVitest({
    config: false,
    root: process.cwd(),
    include: ['**/*.test.ts'],
    watch: false,
    cache: false,
    reporters: [{}],
    pool: 'forks',
    isolate: true,
    maxWorkers: 1,
    fileParallelism: false,
    bail: 1,
    testTimeout: Number(testTimeoutMs),
    hookTimeout: Number(testTimeoutMs) * 2,
    expect: { poll: { timeout: Number(testTimeoutMs) / 2 } },
    execArgv: ['--max-old-space-size=1024'],
  });

const vitest = await open();
await vitest.standalone();

const run = async ({ suite }: RunnerOrder): Promise<RunnerAnswer> => {
  const startedAt = performance.now();
  const project = vitest.getRootProject();
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications([
    project.createSpecification(suite),
  ]);
  const passed =
    testModules.length === 1 && testModules.every((one) => one.ok()) && unhandledErrors.length === 0;
  const cases = testModules.flatMap((one) => [...one.children.allTests()]);
  const failure = cases.find((one) => one.result().state === 'failed');
  return {
    passed,
    cases: cases.length,
    ms: performance.now() - startedAt,
    failure: failure?.fullName ?? String(unhandledErrors[0] ?? testModules[0]?.errors()[0]?.message ?? ''),
  };
};

process.on('message', (order: RunnerOrder) => {
  run(order).then(
    (answer) => process.send?.(answer),
    (error: unknown) => process.send?.({ passed: false, cases: 0, ms: 0, failure: String(error) }),
  );
});
process.on('disconnect', () => process.exit(0));
process.send?.({ ready: true });
