import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'server/src/**/*.test.ts',
      'server/test/**/*.test.ts',
      'scripts/**/*.test.ts',
      'sdk/**/*.test.ts',
      'cli/**/*.test.ts',
      'console/src/**/*.test.{ts,tsx}',
    ],
    exclude: ['server/test/all/**'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A test waits for what must come, however busy the machine is.
    expect: { poll: { timeout: 15_000 } },
    maxWorkers: 2,
  },
});
