import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import type { Answer, Client } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { expectError, expectErrorA, expectErrorB, newPerson } from '../support/shapes.ts';

/** The rate headers of an answer as numbers. */
const rate = ({ headers }: Answer) => ({
  limit: Number(headers.get('x-ratelimit-limit')),
  remaining: Number(headers.get('x-ratelimit-remaining')),
  reset: Number(headers.get('x-ratelimit-reset')),
});

const V1 = '/api/v1/agents/zeus';
const V2 = '/v2/agents/zeus';

describe('with the numbers of the specification', () => {
  let server: TestServer;
  let admin: Client;
  beforeAll(async () => {
    server = await startServer({ env: { RATE_LIMITS: 'on' } });
    admin = await server.signIn();
  });
  afterAll(() => server.close());

  it.each([
    ['free', 60, 60],
    ['pro', 300, 600],
    ['enterprise', 1000, 1000],
  ])(
    req(['RATE-02', 'RATE-03'], 'tier %s: %d a minute under /api/v1, limit %d under /v2'),
    async (tier, v1, v2) => {
      const person = await newPerson(server, admin, { tier });
      const first = rate(await person.get(V1));
      const second = rate(await person.get(V2));
      expect([first.limit, second.limit]).toEqual([v1, v2]);
      // One count for both prefixes.
      expect(first.remaining).toBe(v1 - 1);
      // An unlimited minute shows what is left of the running second.
      if (tier === 'enterprise') expect(second.remaining).toBeGreaterThanOrEqual(v2 - 2);
      else expect(second.remaining).toBe(v2 - 2);
      const now = Date.now() / 1000;
      expect(first.reset).toBeGreaterThan(now);
      expect(first.reset).toBeLessThanOrEqual(now + 62);
    },
  );

  it(req('RATE-03', 'a change of the tenant’s tier or of the user’s override counts at once'), async () => {
    const person = await newPerson(server, admin);
    expect(rate(await person.get(V1)).limit).toBe(60);
    expect((await admin.patch(`/v2/users/${person.id}`, { tier: 'pro' })).status).toBe(200);
    expect(rate(await person.get(V1)).limit).toBe(300);
  });

  it(
    req(['RATE-04', 'RATE-05'], 'the burst of ten in a second holds and a refusal is not counted'),
    async () => {
      const person = await newPerson(server, admin);
      const answers = await Promise.all(Array.from({ length: 30 }, () => person.get(V1)));
      const refused = answers.filter((answer) => answer.status === 429);
      const taken = answers.filter((answer) => answer.status === 200);
      expect(taken.length + refused.length).toBe(30);
      expect(taken.length).toBeGreaterThanOrEqual(10);
      expect(refused.length).toBeGreaterThan(0);
      for (const answer of refused) {
        expectErrorA(answer, 429, 'RATE_LIMITED');
        expect(answer.headers.get('retry-after')).toBe('1');
      }
      await expect
        .poll(async () => (await person.get(V1)).status, { timeout: 5_000, interval: 300 })
        .toBe(200);
      const { remaining } = rate(await person.get('/health', { headers: {} }));
      expect(remaining).toBeLessThanOrEqual(60);
      expect(60 - rate(await person.get(V1)).remaining).toBeLessThanOrEqual(taken.length + 20);
    },
  );
});

describe('with small numbers', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({
      env: { RATE_LIMITS: 'on', RATE_FREE: '5:5', RATE_PRO: '1000:1000', RATE_ENTERPRISE: '7:2' },
    });
  });
  afterAll(() => server.close());

  it(
    req(
      ['RATE-01', 'RATE-02', 'RATE-04', 'RATE-05', 'RATE-06'],
      'one count over both prefixes, shown everywhere, refused beyond, system endpoints free',
    ),
    async () => {
      const anonymous = server.anonymous();
      const system = async () => rate(await anonymous.get('/health'));
      expect(await system()).toMatchObject({ limit: 5, remaining: 5 });
      expect(await system()).toMatchObject({ limit: 5, remaining: 5 });

      const unauthorized = await anonymous.get('/v2/conversations');
      expectErrorB(unauthorized, 401, 'UNAUTHORIZED', 'TOKEN_MISSING');
      expect(rate(unauthorized)).toMatchObject({ limit: 5, remaining: 4 });
      const unknown = await anonymous.get('/api/v1/nothing');
      expectErrorA(unknown, 404, 'NOT_FOUND');
      expect(rate(unknown)).toMatchObject({ limit: 5, remaining: 3 });
      expect(rate(await anonymous.get('/not/on/a/prefix'))).toMatchObject({ remaining: 3 });
      expect(await system()).toMatchObject({ remaining: 3 });

      for (const left of [2, 1, 0]) {
        const tried = await anonymous.post('/v2/auth/login', { email: 'nobody@example.test', password: 'x' });
        expect(tried.status).toBe(401);
        expect(rate(tried).remaining).toBe(left);
      }
      for (const path of ['/v2/auth/login', '/api/v2/auth/login']) {
        const refused = await anonymous.post(path, { email: 'nobody@example.test', password: 'x' });
        expectError(refused, path, 429, 'RATE_LIMITED');
        const { remaining, reset } = rate(refused);
        const retryAfterS = Number(refused.headers.get('retry-after'));
        expect(remaining).toBe(0);
        expect(retryAfterS).toBeGreaterThan(0);
        expect(retryAfterS).toBeLessThanOrEqual(60);
        expect(Math.abs(reset - (Date.now() / 1000 + retryAfterS))).toBeLessThan(3);
      }
      // 401 and the 404 of a path go before 429, and still show the state.
      const late = await anonymous.get('/v2/conversations');
      expectErrorB(late, 401, 'UNAUTHORIZED', 'TOKEN_MISSING');
      expect(rate(late).remaining).toBe(0);
      expect((await anonymous.get('/ready')).status).not.toBe(429);
    },
  );
});

describe('a caller', () => {
  let server: TestServer;
  let admin: Client;
  beforeAll(async () => {
    server = await startServer({
      env: { RATE_LIMITS: 'off', RATE_PRO: '6:6', RATE_FREE: '100:100', RATE_ENTERPRISE: '1000:4' },
    });
    admin = await server.signIn();
  });
  afterAll(() => server.close());

  it(req('RATE-07', 'off refuses nothing and shows the whole limit'), async () => {
    const person = await newPerson(server, admin, { tier: 'pro' });
    const answers = await Promise.all(Array.from({ length: 12 }, () => person.get(V1)));
    expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 12 }, () => 200));
    expect(answers.map((answer) => rate(answer).remaining)).toEqual(Array.from({ length: 12 }, () => 6));
  });

  it(
    req(['RATE-02', 'RATE-04', 'RATE-05'], 'all tokens of a person share a count, two people do not'),
    async () => {
      const one = await newPerson(server, admin, { tier: 'pro' });
      const other = await newPerson(server, admin, { tier: 'pro' });
      const again = await server.signIn(one.email, one.password);
      await server.end('SIGTERM');
      await server.start({ RATE_LIMITS: 'on' });
      const clients = again === null ? [one, one] : [one, again];
      const statuses: number[] = [];
      for (let i = 0; i < 8; i++) {
        const client = clients[i % 2] ?? one;
        statuses.push((await client.get(i % 3 === 0 ? V2 : V1)).status);
      }
      expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429, 429]);
      expectErrorB(await one.post('/v2/chat', { nonsense: 1 }), 429, 'RATE_LIMITED');
      expect(rate(await other.get(V1)).remaining).toBe(5);
    },
  );

  it(req('RATE-04', 'the second slides: requests leave on their own'), async () => {
    const person = await newPerson(server, await server.signIn(), { tier: 'enterprise' });
    const burst = await Promise.all(Array.from({ length: 5 }, () => person.get(V1)));
    expect(burst.filter((answer) => answer.status === 200).length).toBeGreaterThanOrEqual(4);
    await expect.poll(async () => (await person.get(V1)).status, { interval: 250, timeout: 5_000 }).toBe(200);
  });
});
