import { defineConfig } from 'vitest/config';
import LongestFirst from './scripts/lib/longest-first.ts';
import { suitesOf } from './scripts/lib/rings.ts';

/** `npm test` runs the project unit, `npm run test:server` the project server (scripts/lib/rings.ts says which suite is in which). */
export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A test waits for what must come, however busy the machine is.
    expect: { poll: { timeout: 15_000 } },
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      // What all suites import is loaded once for each worker, not for each suite: two fifths of the CPU time.
      { extends: true, test: { name: 'unit', include: suitesOf('unit'), isolate: false } },
      {
        extends: true,
        test: {
          name: 'server',
          include: suitesOf('server'),
          globalSetup: ['server/test/support/prepare.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
