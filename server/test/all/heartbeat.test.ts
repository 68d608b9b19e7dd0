import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import type { Client } from '../support/client.ts';
import { startTestProvider, type TestProvider } from '../support/provider.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** A provider that thinks for 70 seconds: proxies on the way must see something every 15. Both streams wait at the same time. */
const SILENCE_MS = 70_000;
const TIMEOUT_MS = 180_000;

describe('70 s of silence of a provider', () => {
  let server: TestServer;
  let provider: TestProvider;
  let admin: Client;

  beforeAll(async () => {
    provider = await startTestProvider();
    server = await startServer({ env: { MODEL: 'compatible/test', COMPATIBLE_BASE_URL: provider.url } });
    admin = await server.signIn();
  });
  afterAll(async () => {
    await server.close();
    await provider.close();
  });

  it.concurrent.each([
    ['/api/v1/chat/stream', { message: 'Think', context: { agent_id: 'zeus' } }],
    [
      '/v1/chat/completions',
      { model: 'pentarch/zeus', stream: true, messages: [{ role: 'user', content: 'Think' }] },
    ],
  ])(
    req('STREAM-07', 'on %s are four comments, and then the answer'),
    async (path, body) => {
      provider.script({ text: 'At last.', firstByteDelayMs: SILENCE_MS });
      const response = await fetch(server.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = await response.text();
      const before = text.slice(0, text.indexOf('At last.'));
      expect(before.match(/^: /gm)?.length ?? 0).toBeGreaterThanOrEqual(4);
      expect(text).toContain('At last.');
    },
    TIMEOUT_MS,
  );
});
