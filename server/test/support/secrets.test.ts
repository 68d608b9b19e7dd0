import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { req } from '../requirements.ts';
import { type SecretWatch, watchSecrets } from './secrets.ts';
import { startServer } from './server.ts';

const server = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(
    JSON.stringify({
      access_token: 'eyJhbGciOi.answer',
      key: 'short',
      items: [
        { invitation_url: 'https://x.example/oauth/v2/invitation/abcdefghijklmnopqrstuvwxyz0123456789' },
      ],
    }),
  );
});
let watch: SecretWatch;
let url: string;

beforeEach(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  watch = watchSecrets(url);
});
afterEach(() => {
  watch.end();
  server.close();
});

it('what is secret in requests and answers is noted, and found in a text', async () => {
  await fetch(url, { headers: { authorization: 'Bearer ptk_0123456789abcdef' } });
  await fetch(url, { method: 'POST', body: JSON.stringify({ user: { password: 'hunter2 hunter2' } }) });
  await fetch(url, { method: 'POST', body: new URLSearchParams({ refresh_token: 'rt_0123456789abc' }) });
  expect([...watch.secrets].sort()).toEqual(
    [
      'abcdefghijklmnopqrstuvwxyz0123456789',
      'eyJhbGciOi.answer',
      'hunter2 hunter2',
      'ptk_0123456789abcdef',
      'rt_0123456789abc',
    ].sort(),
  );
  for (const secret of watch.secrets)
    expect(() => watch.assertNoneIn(`{"msg":"line"}\n{"token":"${secret}"}`)).toThrow(
      'the log holds a secret',
    );
  watch.assertNoneIn('{"msg":"nothing here"}');
});

it(req('LOG-01', 'a server with all its levels on says nothing of what was secret'), async () => {
  const platform = await startServer({ env: { LOG_LEVEL: 'trace' } });
  const admin = await platform.signIn();
  await admin.post('/v2/auth/api-keys', { name: 'k' });
  await platform
    .anonymous()
    .post('/v2/auth/login', { email: 'admin@localhost', password: 'a wrong password 1' });
  await admin.post('/v2/users', { email: 'ann@example.com' });
  await platform.anonymous().get('/v2/auth/me?access_token=tok_0123456789abcdef');
  platform.secrets().note({ token: 'tok_0123456789abcdef' });
  expect(platform.secrets().secrets.size).toBeGreaterThanOrEqual(6);
  await vi.waitFor(() => expect(platform.log.filter((line) => line.msg === 'request').length).toBe(5));
  await platform.close();
});
