import { afterEach, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import { startTestProvider, type TestProvider } from '../support/provider.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** Texts made to be slow to read: the server goes on for everybody, and ends when it is told to. */

let server: TestServer | null = null;
let provider: TestProvider | null = null;
afterEach(async () => {
  await server?.close();
  await provider?.close();
  server = null;
  provider = null;
});

const HOSTILE: readonly string[] = [
  `talk in f${' always'.repeat(46)} s.`,
  `answer in german${' , please'.repeat(40)} x.`,
  `my favourite ${'a '.repeat(250)}is`,
  `remember${'\t'.repeat(4_000)}x`,
  `forget everything ${'you know '.repeat(60)}`,
  `A’s A${' is t'.repeat(110)}\n`,
  `${'what does  where '.repeat(400)}`,
  `'${'“‘\t'.repeat(2_600)}`,
  `what ${'1,'.repeat(3_000)} how much is ${'what '.repeat(2_000)}`,
];

/** Each starts a server of its own. */
const TIMEOUT_MS = 120_000;

describe('texts made to be slow to read', { timeout: TIMEOUT_MS }, () => {
  it(req('MEM-07', 'hold up no other request, and SIGTERM is obeyed while they are read'), async () => {
    provider = await startTestProvider({ tokens: 2 });
    server = await startServer({
      env: { MODEL: 'compatible/test-model', COMPATIBLE_BASE_URL: provider.url },
    });
    const admin = await server.signIn();
    for (const message of HOSTILE) {
      const answer = await admin.post('/v2/chat', { message, context: { agent_id: 'zeus' } });
      expect(answer.status).toBe(200);
    }
    // Reading follows the answer: another request after each would wait behind it.
    const startedAt = performance.now();
    expect((await admin.get('/health')).status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect(await server.end('SIGTERM')).toBe(0);
  });

  it(req('MEM-07', 'are answered by the built-in model and its router like any other'), async () => {
    server = await startServer({ env: { MODEL: 'builtin' } });
    const admin = await server.signIn();
    for (const message of HOSTILE) expect((await admin.post('/v2/chat', { message })).status).toBe(200);
    expect((await admin.get('/health')).status).toBe(200);
  });
});
