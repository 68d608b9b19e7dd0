import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { buildApp } from '../../src/http/app.ts';
import type { Idempotency } from '../../src/http/idempotency.ts';
import { OVERVIEW_RATES, REFERENCE_RATES } from '../../src/http/rate-limit.rules.ts';
import { createMemoryRateLog } from '../../src/http/rate-limit.ts';
import type { AnyRoute } from '../../src/http/route.ts';
import type { Caller, Role } from '../../src/kernel/caller.ts';
import { type Clock, systemClock } from '../../src/kernel/clock.ts';
import { AppError, unauthorized } from '../../src/kernel/errors.ts';
import { effectivePermissions } from '../../src/kernel/permissions.ts';
import { holdToContract } from './contract.ts';

/** People of a test and what becomes of their tokens. A token is `user.role.tenant`. */
export interface TestAccounts {
  authenticate(token: string): Caller;
  revoke(token: string): void;
  expireAt(token: string, epochMs: number): void;
  suspend(tenantId: string): void;
  caller(token: string): Caller;
}

const ROLE_NAMES: readonly Role[] = ['admin', 'operator', 'analyst', 'user', 'readonly'];

export const createTestAccounts = (clock: Clock = systemClock): TestAccounts => {
  const revoked = new Set<string>();
  const expiries = new Map<string, number>();
  const suspended = new Set<string>();

  const caller = (token: string): Caller => {
    const [userId = '', role = '', tenantId = 't1'] = token.split('.');
    const known = ROLE_NAMES.find((name) => name === role);
    if (known === undefined) throw unauthorized('TOKEN_INVALID', 'the token is not known');
    return {
      userId,
      tenantId,
      email: `${userId}@example.com`,
      name: userId,
      roles: [known],
      permissions: effectivePermissions([known], []),
      tier: 'enterprise',
      type: 'person',
      platformAdmin: false,
      whole: true,
      credential: 'jwt',
      tokenId: token,
      sessionId: null,
      expiresAt: expiries.get(token) ?? null,
    };
  };

  return {
    caller,
    authenticate(token) {
      const who = caller(token);
      if (revoked.has(token)) throw unauthorized('TOKEN_REVOKED', 'the token has been revoked');
      if (who.expiresAt !== null && who.expiresAt <= clock.now()) {
        throw unauthorized('TOKEN_EXPIRED', 'the token has expired');
      }
      if (suspended.has(who.tenantId)) throw new AppError('FORBIDDEN', 'the tenant is suspended');
      return who;
    },
    revoke: (token) => void revoked.add(token),
    expireAt: (token, epochMs) => void expiries.set(token, epochMs),
    suspend: (tenantId) => void suspended.add(tenantId),
  };
};

const noIdempotency: Idempotency = {
  once: async (_request, work) => (await work(async () => {})).send(),
};

export const buildTestApp = async (options: {
  routes?: readonly AnyRoute[];
  plugins?: readonly ((app: FastifyInstance) => Promise<void> | void)[];
  accounts: TestAccounts;
  enforceRates?: boolean;
  draining?(): boolean;
}): Promise<FastifyInstance> => {
  const app = await buildApp({
    routes: options.routes ?? [],
    plugins: options.plugins ?? [],
    authenticate: options.accounts.authenticate,
    idempotency: noIdempotency,
    limits: {
      log: createMemoryRateLog(10_000),
      tables: { reference: REFERENCE_RATES, overview: OVERVIEW_RATES },
      enforce: options.enforceRates ?? false,
      clock: systemClock,
    },
    logger: pino({ level: 'silent' }),
    corsOrigins: [],
    trustProxy: [],
    tls: null,
    maxUploadBytes: 1024 * 1024,
    draining: options.draining ?? (() => false),
    observe: () => {},
  });
  return app;
};

/** Listens on a free loopback port. */
export const listen = async (app: FastifyInstance): Promise<number> => {
  await app.listen({ host: '127.0.0.1', port: 0 });
  const address = app.server.address();
  if (typeof address !== 'object' || address === null) throw new Error('not listening');
  return address.port;
};

export interface Answer<T = Record<string, unknown>> {
  status: number;
  body: T;
  headers: Record<string, unknown>;
}

/** JSON requests as a person, against an app that need not listen; the answers are held to api/openapi.json. */
export const requester =
  (app: FastifyInstance) =>
  async <T = Record<string, unknown>>(
    token: string | null,
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    url: string,
    body?: unknown,
  ): Promise<Answer<T>> => {
    const response = await app.inject({
      method,
      url,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    const contentType = String(response.headers['content-type'] ?? '');
    holdToContract({
      method,
      path: url,
      status: response.statusCode,
      contentType,
      text: response.body,
      namedPeople: true,
    });
    return {
      status: response.statusCode,
      // What the server sends is what the test looks at; each test says which form it expects.
      body: (response.body === '' ? null : JSON.parse(response.body)) as T,
      headers: response.headers,
    };
  };
