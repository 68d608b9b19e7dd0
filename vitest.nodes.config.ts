import { defineConfig } from 'vitest/config';

/**
 * Black-box suites of the whole server once more on three nodes behind a balancer that sends each request to another one
 * (server/test/support/server.ts, TEST_NODES). Run by `npm run test:all` after the others; left out are suites about one
 * process (its folder, its signals, raw bytes on its socket).
 */
const suites = [
  'agent-tools',
  'chat-stream',
  'chat',
  'conversations',
  'documents-first',
  'first-message',
  'idempotency',
  'queued-messages',
  'tool-runs',
];

export default defineConfig({
  test: {
    include: suites.map((name) => `server/test/acceptance/${name}.test.ts`),
    env: { TEST_NODES: '3' },
    testTimeout: 120_000,
    hookTimeout: 240_000,
    // A test waits for what must come, however busy the machine is.
    expect: { poll: { timeout: 15_000 } },
    maxWorkers: 2,
    passWithNoTests: false,
  },
});
