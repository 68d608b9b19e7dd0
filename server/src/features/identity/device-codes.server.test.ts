import { expect } from 'vitest';
import type { TestServer } from '../../../test/support/server.ts';
import { withServer } from '../../../test/support/suite.ts';

/** Guessing at the page of the device flow (RFC 8628, section 5.1). */

let server: TestServer;
const it = withServer({ env: { RATE_LIMITS: 'on' } });
it.beforeAll(({ world }) => {
  ({ server } = world);
});

const guess = (i: number) =>
  fetch(`${server.url}/oauth/v2/device`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' },
    body: new URLSearchParams({ xsrf: `form ${i}`, user_code: `BCDF-GHJ${'BCDFGHJKLM'[i % 10]}` }),
    redirect: 'manual',
  });

it('user codes cannot be guessed one after another: 429 with the time to wait', async () => {
  const answers: Response[] = [];
  // More than fit into two windows, so that one that ends meanwhile changes nothing.
  for (let i = 0; i < 50; i++) answers.push(await guess(i));
  expect(answers[0]?.status).not.toBe(429);
  const refused = answers.at(-1);
  expect(refused?.status).toBe(429);
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused?.text()).toContain('too many requests');
  // The page itself and the other endpoints have their own count.
  expect((await fetch(`${server.url}/oauth/v2/device`)).status).toBe(200);
  expect((await fetch(`${server.url}/.well-known/openid-configuration`)).status).toBe(200);
});
