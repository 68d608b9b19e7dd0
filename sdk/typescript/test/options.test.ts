import { expect, it } from 'vitest';
import { createClient, passwordLogin } from '../src/index.ts';
import { play } from './vectors.ts';

const health = { status: 200, body: '{"status":"ok","version":"2.0.0","uptime_s":1}' };
const busy = { status: 503, headers: { 'x-api-version': 'v1' }, body: '{}' };

it('copies a client with other options', async () => {
  const first = play([health, health]);
  const other = play([busy, health]);
  const client = createClient({ ...first.options, auth: 'ptk_one', maxRetries: 0, headers: { 'x-a': '1' } });
  const copy = client
    .withOptions({ ...other.options, baseUrl: 'http://other.invalid/base' })
    .withOptions({ maxRetries: 1, headers: { 'x-b': '2' }, surface: 'v2' });
  await copy.system.health();
  await client.system.health();
  expect(other.requests).toHaveLength(2);
  expect(other.requests[1]?.target).toBe('/base/health');
  expect(Object.fromEntries(other.requests[1]?.headers ?? [])).toMatchObject({
    authorization: 'Bearer ptk_one',
    'x-a': '1',
    'x-b': '2',
  });
  expect(first.requests[0]?.headers.get('x-b')).toBeNull();
});

it('shares the tokens of a copied client', async () => {
  const tokens = { status: 200, body: '{"access_token":"t1","token_type":"Bearer","expires_in":3600}' };
  const played = play([tokens, health, health]);
  const client = createClient({ ...played.options, auth: passwordLogin('a@b.test', 'secret-password') });
  await client.system.health();
  await client.withOptions({ timeoutMs: 1_000 }).system.health();
  expect(played.requests.map(({ target }) => target)).toEqual(['/v2/auth/login', '/health', '/health']);
});
