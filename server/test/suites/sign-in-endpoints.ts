import argon2 from 'argon2';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Db } from '../../src/db/db.ts';
import { hashPassword } from '../../src/features/identity/passwords/hash.ts';
import { req } from '../requirements.ts';
import { authorizeUrl, createBrowser, newVerifier } from '../support/browser.ts';
import { type IdentityServer, startIdentityServer } from '../support/identity-server.ts';

/** Contract 3: what guesses of passwords and links cost, and where they are counted. */
export const signInEndpointsSuite = (name: string, open?: () => Promise<Db>): void => {
  describe(`endpoints that take passwords on ${name}`, () => {
    let server: IdentityServer;
    const MAX = 20;

    beforeAll(async () => {
      server = await startIdentityServer({ LOGIN_FAILURES_PER_ADDRESS: MAX }, open);
    });
    afterAll(() => server.close());

    const post = async (path: string, body: unknown, token?: string) => {
      const answer = await fetch(server.url + path, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify(body),
      });
      await answer.arrayBuffer();
      return answer;
    };
    const login = (email: string, password = 'wrong password') => post('/v2/auth/login', { email, password });

    const openPage = async () => {
      const browser = createBrowser(server.url);
      const page = await browser.open(authorizeUrl(server.url, { verifier: newVerifier() }));
      return (email: string, password = 'wrong password') =>
        browser.submit(page, 'login', { email, password });
    };

    it(req('AUTH-18', 'count failures of one account together, whichever of the two was used'), async () => {
      const submit = await openPage();
      for (let n = 0; n < 5; n += 1) {
        expect((await login('both@example.test')).status).toBe(401);
        expect((await submit('both@example.test')).status).toBe(401);
      }
      const refused = await login('both@example.test');
      expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
      expect((await submit('both@example.test')).status).toBe(429);
    });

    it(req('AUTH-18', 'count failures of one address together, over all accounts'), async () => {
      // After the ten of the test before.
      const submit = await openPage();
      for (let n = 0; n < 5; n += 1) {
        expect((await login(`spray-${n}@example.test`)).status).toBe(401);
        expect((await submit(`spray-page-${n}@example.test`)).status).toBe(401);
      }
      const refused = await login('spray-next@example.test');
      expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
      expect((await submit('spray-next@example.test')).status).toBe(429);
      // The right password of another account opens no way round it.
      expect((await login(server.admin.email, server.admin.password)).status).toBe(429);
      server.clock.advance(16 * 60_000);
      expect((await login(server.admin.email, server.admin.password)).status).toBe(200);
    });

    it(
      req('AUTH-18', 'keep the failures of an address when one of its people gives the right password'),
      async () => {
        server.clock.advance(16 * 60_000);
        for (let n = 0; n < MAX - 1; n += 1) {
          expect((await login(`more-${n}@example.test`)).status).toBe(401);
        }
        expect((await login(server.admin.email, server.admin.password)).status).toBe(200);
        expect((await login('more-last@example.test')).status).toBe(401);
        expect((await login('more-next@example.test')).status).toBe(429);
        server.clock.advance(16 * 60_000);
      },
    );

    /** CPU milliseconds of the process, over all threads: what a hash costs shows there whatever else the machine does. */
    const cpuOf = async (work: () => Promise<unknown>): Promise<number> => {
      const before = process.cpuUsage();
      await work();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };

    it(req('AUTH-18', 'look a link, a name or an e-mail up before they pay for a hash'), async () => {
      const answer = await fetch(`${server.url}/v2/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(server.admin),
      });
      const { access_token: token } = (await answer.json()) as { access_token: string };
      const times = 30;
      const hashing = await cpuOf(async () => {
        for (let n = 0; n < times; n += 1) await hashPassword(`password ${n}`);
      });
      const password = 'a password that is long enough';
      const form = (path: string) =>
        fetch(server.url + path, { method: 'POST', body: new URLSearchParams({ password }) });
      const cases: [string, number, (n: number) => Promise<Response>][] = [
        ['reset', 404, (n) => post('/v2/auth/password/reset', { token: `lnk_made-up-${n}`, password })],
        ['page', 404, (n) => form(`/oauth/v2/links/lnk_made-up-${n}`)],
        ['e-mail', 409, () => post('/v2/users', { email: server.admin.email, password }, token)],
        [
          'slug',
          409,
          () =>
            post(
              '/v2/tenants',
              { name: 'T', slug: 'default', admin: { email: 'new@example.test', password } },
              token,
            ),
        ],
      ];
      for (const [which, status, send] of cases) {
        const statuses = new Set<number>();
        const spent = await cpuOf(async () => {
          for (let n = 0; n < times; n += 1) statuses.add((await send(n)).status);
        });
        expect([which, [...statuses]]).toEqual([which, [status]]);
        expect(spent, which).toBeLessThan(hashing * 0.7);
      }
    });

    it(req('AUTH-18', 'pay for one hash each, whether the account exists or not'), async () => {
      server.clock.advance(16 * 60_000);
      const verify = vi.spyOn(argon2, 'verify');
      try {
        const paid = async (send: () => Promise<{ status: number }>): Promise<number> => {
          verify.mockClear();
          expect((await send()).status).toBe(401);
          return verify.mock.calls.length;
        };
        const submit = await openPage();
        for (const email of [server.admin.email, 'nobody@example.test', 'no-address-at-all']) {
          expect([email, await paid(() => login(email))]).toEqual([email, 1]);
          expect([email, await paid(() => submit(email))]).toEqual([email, 1]);
        }
        // The hash of nobody costs what those of people cost.
        await login('nobody@example.test');
        const form = (hash: unknown) => String(hash).split('$').slice(0, 4).join('$');
        expect(form(verify.mock.calls.at(-1)?.[0])).toBe(form(await hashPassword('any')));
      } finally {
        verify.mockRestore();
      }
    });
  });
};
