import pino from 'pino';
import type { Db } from '../../src/db/db.ts';
import { createAudit } from '../../src/features/audit/index.ts';
import { type CostAlert, type Costs, createCosts } from '../../src/features/costs/index.ts';
import {
  createGovernance,
  type Governance,
  type GovernancePorts,
  governanceConfig,
} from '../../src/features/governance/index.ts';
import { buildApp } from '../../src/http/app.ts';
import { createIdempotencyStore } from '../../src/http/idempotency.store.ts';
import { createIdempotency } from '../../src/http/idempotency.ts';
import { OVERVIEW_RATES, REFERENCE_RATES } from '../../src/http/rate-limit.rules.ts';
import { createMemoryRateLog } from '../../src/http/rate-limit.ts';
import { type Caller, ROLES, type Role } from '../../src/kernel/caller.ts';
import type { Decision } from '../../src/kernel/decisions.ts';
import { unauthorized } from '../../src/kernel/errors.ts';
import type { PlatformEvent } from '../../src/kernel/events.ts';
import { effectivePermissions } from '../../src/kernel/permissions.ts';
import type { AgentTool, ToolContext, ToolOutcome } from '../../src/kernel/tools.ts';
import { ALONE } from '../support/cluster.ts';
import { holdToContract } from '../support/contract.ts';
import { outletTo } from '../support/outbox.ts';
import { type TestStore, testStores } from '../support/stores.ts';

/** Costs and governance behind the real HTTP base, with a clock that the test moves, and neighbours made by the test. */
export const TENANT = '0190a000-0000-7000-8000-000000000001';
export const OTHER_TENANT = '0190a000-0000-7000-8000-000000000002';

export const userId = (name: string): string => `user-${name}`;

/** Tokens of the fake identity: `role`, `role.name`, `role.name@other`. */
export const callerFrom = (token: string): Caller => {
  const [who = '', tenant] = token.split('@');
  const [word = '', name = word] = who.split('.');
  const role: Role | undefined = ROLES.find((known) => known === word);
  if (role === undefined) throw unauthorized('TOKEN_INVALID', 'the token is not valid');
  return {
    userId: userId(name),
    tenantId: tenant === 'other' ? OTHER_TENANT : TENANT,
    email: `${name}@example.com`,
    name,
    roles: [role],
    permissions: effectivePermissions([role], []),
    tier: 'enterprise',
    type: 'person',
    platformAdmin: false,
    whole: true,
    credential: 'jwt',
    tokenId: 't',
    sessionId: null,
    expiresAt: null,
  };
};

export const aTool = (more: Partial<AgentTool> = {}): AgentTool => ({
  server: 'shop',
  name: 'order',
  description: 'Orders an article from the supplier.',
  inputSchema: { type: 'object', properties: { article: { type: 'string' } }, required: ['article'] },
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  permission: 'mcp:call',
  call: async () => ({ content: 'ordered', isError: false }),
  ...more,
});

export interface Answer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any body
  body: any;
}

export interface World {
  db: Db;
  costs: Costs;
  governance: Governance;
  clock: { now: number };
  tools: Map<string, AgentTool>;
  calls: { args: Record<string, unknown>; context: ToolContext }[];
  decided: Decision[];
  events: Omit<PlatformEvent, 'id' | 'createdAt'>[];
  alerts: CostAlert[];
  errors: unknown[];
  context(token: string, more?: Partial<ToolContext>): ToolContext;
  request(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    options?: { as?: string; body?: unknown; headers?: Record<string, string> },
  ): Promise<Answer>;
  /** Ends the process without a word and starts another on the same store. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface WorldOptions {
  store?: TestStore;
  config?: unknown;
  ports?: Partial<GovernancePorts>;
  allowSelfApproval?: boolean;
}

export const startWorld = async (options: WorldOptions = {}): Promise<World> => {
  // PostgreSQL where a server is named, else SQLite.
  const store = options.store ?? testStores.at(-1);
  if (store === undefined) throw new Error('no store');
  const { db, drop } = await store.open();
  const clock = { now: Date.UTC(2026, 4, 14, 9) };
  const time = { now: () => clock.now };
  const tools = new Map<string, AgentTool>();
  const world: Pick<World, 'calls' | 'decided' | 'events' | 'alerts' | 'errors'> = {
    calls: [],
    decided: [],
    events: [],
    alerts: [],
    errors: [],
  };
  const order = aTool({
    call: async (args, context): Promise<ToolOutcome> => {
      world.calls.push({ args, context });
      return { content: 'ordered', isError: false, structured: { order: world.calls.length } };
    },
  });
  tools.set('shop.order', order);
  const audit = createAudit(time);
  const onError = (error: unknown) => world.errors.push(error);

  const build = async () => {
    const costs = createCosts({
      db,
      cluster: ALONE,
      clock: time,
      timeZoneOf: () => Promise.resolve('UTC'),
      userExists: (_tenant, id) => Promise.resolve(id.startsWith('user-')),
      agentExists: (id) => ['zeus', 'hermes'].includes(id),
      audit,
      onAlert: async (tx, alert) => tx.afterCommit(() => world.alerts.push(alert)),
      onError,
    });
    await costs.start();
    db.emitTo(outletTo((event) => world.events.push(event)));
    const governance = createGovernance({
      db,
      cluster: ALONE,
      clock: time,
      config: governanceConfig(options.config ?? null),
      costs,
      costsBesideRuns: costs,
      audit,
      events: { publish: (event) => world.events.push(event) },
      allowSelfApproval: options.allowSelfApproval ?? false,
      onError,
      ports: {
        hasModel: () => false,
        queueOf: () => null,
        ask: () => Promise.reject(new Error('no model')),
        policyOf: () => null,
        findTool: (_caller, _agent, server, name) => Promise.resolve(tools.get(`${server}.${name}`) ?? null),
        serverReady: () => Promise.resolve(),
        callerOf: (tenantId, id) => {
          const name = id.replace('user-', '');
          return Promise.resolve(callerFrom(`user.${name}${tenantId === OTHER_TENANT ? '@other' : ''}`));
        },
        budget: () => Promise.resolve({ limitNano: 10_000e9, remainingNano: 9_000e9 }),
        toolHealth: () => Promise.resolve({ available: true, calls: 20, failures: 1 }),
        ...options.ports,
      },
      decisions: { publish: (_id, decision) => world.decided.push(decision) },
    });
    const app = await buildApp({
      routes: [...costs.routes(), ...governance.routes()],
      authenticate: callerFrom,
      idempotency: createIdempotency(createIdempotencyStore(db), time),
      limits: {
        log: createMemoryRateLog(100),
        tables: { reference: REFERENCE_RATES, overview: OVERVIEW_RATES },
        enforce: false,
        clock: time,
      },
      logger: pino({ level: 'silent' }),
      corsOrigins: [],
      trustProxy: [],
      tls: null,
      maxUploadBytes: 1_000_000,
      draining: () => false,
      observe: () => {},
    });
    return { costs, governance, app };
  };

  let built = await build();
  const killed: (typeof built)[] = [];
  await built.governance.start();
  return {
    ...world,
    db,
    get costs() {
      return built.costs;
    },
    get governance() {
      return built.governance;
    },
    clock,
    tools,
    context: (token, more = {}) => ({
      caller: callerFrom(token),
      agentId: 'zeus',
      conversationId: 'c1',
      runId: 'r1',
      requestId: 'q1',
      signal: new AbortController().signal,
      tainted: false,
      ...more,
    }),
    async request(method, path, { as = 'admin', body, headers = {} } = {}) {
      const url = path.startsWith('/v2') || path.startsWith('/api') ? path : `/api/v1${path}`;
      const answer = await built.app.inject({
        method,
        url,
        headers: { ...(as === '' ? {} : { authorization: `Bearer ${as}` }), ...headers },
        ...(body === undefined ? {} : { payload: body as object }),
      });
      const text = answer.body;
      const contentType = String(answer.headers['content-type'] ?? '');
      holdToContract({ method, path: url, status: answer.statusCode, contentType, text, namedPeople: true });
      const json = String(answer.headers['content-type']).includes('json');
      return {
        status: answer.statusCode,
        headers: answer.headers,
        text,
        body: json ? JSON.parse(text) : null,
      };
    },
    async restart() {
      // What the old process has in flight stays in flight, as after a kill whose last packets still travel.
      killed.push(built);
      built = await build();
      await built.governance.start();
      if (db.dialect === 'postgres') {
        // With other nodes about, what is left undone is taken over after a while only.
        clock.now += 240_000;
        await built.governance.sweep(clock.now);
      }
    },
    async close() {
      for (const process of [...killed, built]) {
        await process.governance.close();
        await process.costs.close();
        await process.app.close();
      }
      await drop();
    },
  };
};
