import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

/**
 * `npm run test:all`: the suites that need real servers (server/test/all), and every store test, which then runs on
 * PostgreSQL too because TEST_DATABASE_URL is set (server/test/support/stores.ts). Started by scripts/test-all.ts.
 */
const storeTests = globSync('server/{src,test}/**/*.test.ts').filter((file) =>
  readFileSync(file, 'utf8').includes('support/stores.ts'),
);

export default defineConfig({
  test: {
    include: ['server/test/all/**/*.test.ts', ...storeTests],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    passWithNoTests: false,
  },
});
