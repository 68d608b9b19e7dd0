import { defineConfig } from 'vitest/config';
import LongestFirst from './scripts/lib/longest-first.ts';
import { suitesOf, suitesOnBothEngines } from './scripts/lib/rings.ts';

/**
 * The suites that need real servers (server/test/all), and once more on PostgreSQL every test of a
 * store (server/test/support/stores.ts) and every black-box suite of the whole server (server/test/support/server.ts).
 * Started by scripts/test-all.ts, which sets TEST_DATABASE_URL.
 */
export default defineConfig({
  test: {
    include: [...suitesOf('services'), ...suitesOnBothEngines()],
    globalSetup: ['server/test/support/prepare.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A test waits for what must come, however busy the machine is.
    expect: { poll: { timeout: 15_000 } },
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    passWithNoTests: false,
  },
});
