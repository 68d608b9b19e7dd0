import { defineConfig } from 'vitest/config';

/**
 * Black-box suites of the whole server once more on three nodes behind a balancer that sends each request to another one
 * (server/test/support/server.ts, TEST_NODES). Run by `npm run test:all` after the others; left out are suites about one
 * process (its folder, its signals, raw bytes on its socket).
 */
const suites = [
  'server/src/features/agents/agent-tools.server.test.ts',
  'server/src/features/chat/chat-stream.server.test.ts',
  'server/src/features/chat/chat.server.test.ts',
  'server/src/features/chat/documents-first.server.test.ts',
  'server/src/features/chat/first-message.server.test.ts',
  'server/src/features/chat/queued-messages.server.test.ts',
  'server/src/features/chat/tool-runs.server.test.ts',
  'server/src/features/conversations/conversations.server.test.ts',
  'server/test/acceptance/idempotency.test.ts',
];

export default defineConfig({
  test: {
    include: suites,
    env: { TEST_NODES: '3' },
    globalSetup: ['server/test/support/prepare.ts'],
    testTimeout: 120_000,
    hookTimeout: 240_000,
    // A test waits for what must come, however busy the machine is.
    expect: { poll: { timeout: 15_000 } },
    maxWorkers: 2,
    passWithNoTests: false,
  },
});
