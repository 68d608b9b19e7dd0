import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { createGuardedFetch } from '../../src/adapters/guarded-fetch/index.ts';
import { createMcpConnector } from '../../src/adapters/mcp/index.ts';
import { openSqlite } from '../../src/db/open.ts';
import {
  createFilesServer,
  createMcpDoor,
  createMcpFeature,
  createTimeServer,
  createToolsServer,
  isGatewayTool,
  type McpAuditEntry,
  type McpFeature,
} from '../../src/features/mcp/index.ts';
import { buildApp } from '../../src/http/app.ts';
import { createIdempotencyStore } from '../../src/http/idempotency.store.ts';
import { createIdempotency } from '../../src/http/idempotency.ts';
import { OVERVIEW_RATES, REFERENCE_RATES } from '../../src/http/rate-limit.rules.ts';
import { createMemoryRateLog } from '../../src/http/rate-limit.ts';
import type { Caller, Role } from '../../src/kernel/caller.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { unauthorized } from '../../src/kernel/errors.ts';
import { usdToNano } from '../../src/kernel/money.ts';
import { effectivePermissions } from '../../src/kernel/permissions.ts';
import type { AgentTool, GateDecision, ToolContext, ToolLedger, ToolSource } from '../../src/kernel/tools.ts';
import { ALONE } from '../support/cluster.ts';
import { holdToContract } from '../support/contract.ts';

/** The MCP feature behind the real HTTP base, with a store of its own, and governance and identity made by the test. */

export const fixture = fileURLToPath(new URL('./fixture-server.ts', import.meta.url));

export const TENANT = '0190a000-0000-7000-8000-000000000001';
export const OTHER_TENANT = '0190a000-0000-7000-8000-000000000002';

export const caller = (role: Role, tenantId = TENANT): Caller => ({
  userId: `0190b000-0000-7000-8000-${tenantId.slice(-2)}${role.padEnd(10, '0').slice(0, 10)}`,
  tenantId,
  email: `${role}@example.com`,
  name: role,
  roles: [role],
  permissions: effectivePermissions([role], []),
  tier: 'enterprise',
  type: 'person',
  platformAdmin: role === 'admin' && tenantId === TENANT,
  whole: true,
  credential: 'jwt',
  tokenId: 't',
  sessionId: null,
  expiresAt: null,
});

/** Tokens of the fake identity: `role` or `role@other`. */
const authenticate = (token: string): Caller => {
  const [role, tenant] = token.split('@');
  if (!['admin', 'operator', 'analyst', 'user', 'readonly'].includes(role ?? '')) {
    throw unauthorized('TOKEN_INVALID', 'the token is not valid');
  }
  return caller(role as Role, tenant === 'other' ? OTHER_TENANT : TENANT);
};

export interface Platform {
  app: FastifyInstance;
  mcp: McpFeature;
  url: string;
  folder: string;
  audit: McpAuditEntry[];
  metered: { server: string; tool: string; costNanoUsd: number }[];
  gated: { tool: AgentTool; args: Record<string, unknown>; context: ToolContext }[];
  /** Ids of accounts that may not act any more. */
  gone: Set<string>;
  /** What governance answers; `run` until a test says otherwise. */
  decide(decision: GateDecision): void;
  request(method: string, path: string, options?: { as?: string; body?: unknown }): Promise<Answer>;
  close(): Promise<void>;
}

export interface Answer {
  status: number;
  headers: Headers;
  // Bodies are read by the tests, which say what must be in them.
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any body
  body: any;
}

export interface PlatformOptions {
  allowStdio?: string[];
  allowPrivate?: boolean;
  /** Written by the test before. */
  configFile?: string;
  builtins?: boolean;
  startTimeoutMs?: number;
  sources?: ToolSource[];
  /** What clients of `/mcp` read, whom they can give tasks, and what they can be asked. */
  records?: DoorOptions['records'];
  agents?: readonly DoorAgent[];
  approvals?: DoorOptions['approvals'];
  /** Tools of features that are MCP servers besides. */
  mirrors?: { name: string; source: ToolSource }[];
  /** Runs again on this folder. */
  folder?: string;
}

type DoorOptions = Parameters<typeof createMcpDoor>[0];
type DoorAgent = Awaited<ReturnType<DoorOptions['prompts']['agents']>>[number];

const NO_APPROVALS: DoorOptions['approvals'] = {
  own: {
    question: async () => null,
    isFor: async () => false,
    answer: async () => {},
  },
  outcome: async () => null,
  next: async () => {},
  now: () => Date.now(),
};

export const startPlatform = async (options: PlatformOptions = {}): Promise<Platform> => {
  const folder = options.folder ?? mkdtempSync(path.join(tmpdir(), 'pentarch-mcp-'));
  const db = await openSqlite({ file: path.join(folder, 'p.sqlite'), synchronous: 'normal' });
  const guarded = createGuardedFetch({
    allowPrivate: options.allowPrivate ?? true,
    bodyTimeoutMs: 0,
    headersTimeoutMs: 0,
  });
  const open = createGuardedFetch({ allowPrivate: true, bodyTimeoutMs: 0, headersTimeoutMs: 0 });
  const audit: McpAuditEntry[] = [];
  const metered: Platform['metered'] = [];
  const gated: Platform['gated'] = [];
  const gone = new Set<string>();
  let decision: GateDecision = { outcome: 'run' };
  const gate = {
    check: async (
      tool: AgentTool,
      args: Record<string, unknown>,
      context: ToolContext,
    ): Promise<GateDecision> => {
      gated.push({ tool, args, context });
      return decision;
    },
  };
  const toolLedger: ToolLedger = {
    async carryOut(tool, _args, _context, work) {
      const result = await work();
      const price = isGatewayTool(tool) ? usdToNano(tool.policy.cost_usd ?? 0) : 0;
      const costNanoUsd = result.costNanoUsd ?? price;
      if (costNanoUsd > 0) metered.push({ server: tool.server, tool: tool.name, costNanoUsd });
      return { ...result, costNanoUsd };
    },
    refused: async () => {},
  };
  let publicUrl = '';
  const mirrors = await Promise.all(
    (options.mirrors ?? []).map(({ name, source }) => createToolsServer({ name, title: name, source })),
  );
  const logger = pino({ level: 'silent' });
  const mcp = createMcpFeature({
    db,
    cluster: ALONE,
    secretKey: Buffer.alloc(32, 7),
    connector: createMcpConnector({
      clientInfo: { name: 'pentarch', version: '2.0.0' },
      guarded,
      open,
      oauthRedirectUrl: () => `${publicUrl}/mcp/oauth/callback`,
    }),
    clock: systemClock,
    gate,
    allowStdio: options.allowStdio ?? [`*: ${process.execPath} **`],
    checkStdioText: () => null,
    tenantNames: async (tenantId) => [tenantId],
    checkUrl: (url) => guarded.check(url),
    configFile: options.configFile ?? null,
    builtins:
      options.builtins === false
        ? []
        : [createTimeServer(systemClock), createFilesServer(path.join(folder, 'files')), ...mirrors],
    showProposal: async (_caller, id) => ({ id, status: 'voting' }),
    audit: (entry) => {
      audit.push(entry);
      return Promise.resolve();
    },
    callerOf: (tenantId, userId) => {
      const roles: Role[] = ['admin', 'operator', 'analyst', 'user', 'readonly'];
      const found = roles.map((role) => caller(role, tenantId)).find((one) => one.userId === userId);
      return Promise.resolve(gone.has(userId) ? null : (found ?? null));
    },
    toolLedger,
    observeCall: () => {},
    logger,
    limits: { startTimeoutMs: options.startTimeoutMs ?? 20_000 },
  });
  await mcp.start();
  const door = createMcpDoor({
    shared: null,
    sources: [mcp.toolSource, ...(options.sources ?? [])],
    gate,
    version: '2.0.0',
    toolLedger,
    records: options.records ?? [],
    prompts: { agents: async () => options.agents ?? [] },
    approvals: options.approvals ?? NO_APPROVALS,
    authenticate,
    now: () => Date.now(),
    publicUrl: () => publicUrl,
    issuer: () => publicUrl,
    scopes: ['openid'],
    admitStream: () => {},
    corsOrigins: ['https://console.example'],
    draining: () => false,
    limit: () => null,
    watchEveryMs: 50,
  });
  const app = await buildApp({
    routes: [...mcp.routes, ...door.routes],
    authenticate,
    idempotency: createIdempotency(createIdempotencyStore(db), systemClock),
    limits: {
      log: createMemoryRateLog(1000),
      tables: { reference: REFERENCE_RATES, overview: OVERVIEW_RATES },
      enforce: false,
      clock: systemClock,
    },
    logger,
    corsOrigins: [],
    trustProxy: [],
    tls: null,
    maxUploadBytes: 1024,
    draining: () => false,
    observe: () => {},
    plugins: [door.plugin],
  });
  publicUrl = await app.listen({ port: 0, host: '127.0.0.1' });

  return {
    app,
    mcp,
    url: publicUrl,
    folder,
    audit,
    metered,
    gated,
    gone,
    decide: (next) => {
      decision = next;
    },
    async request(method, requestPath, { as = 'admin', body } = {}) {
      const response = await fetch(`${publicUrl}/api/v1${requestPath}`, {
        method,
        headers: {
          ...(as === '' ? {} : { authorization: `Bearer ${as}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      holdToContract({
        method,
        path: `/api/v1${requestPath}`,
        status: response.status,
        contentType: response.headers.get('content-type'),
        text,
        namedPeople: true,
      });
      return {
        status: response.status,
        headers: response.headers,
        body: text === '' ? null : JSON.parse(text),
      };
    },
    async close() {
      await door.close();
      await mcp.close();
      app.server.closeAllConnections();
      await app.close();
      await guarded.close();
      await open.close();
      await db.close();
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
};

export const stdio = (
  name: string,
  switches: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
) => ({
  name,
  transport: 'stdio',
  command: process.execPath,
  args: [fixture, JSON.stringify(switches)],
  accept_tools: true,
  ...more,
});

/** A small HTTP server for a test. */
export const serve = async (listener: RequestListener): Promise<{ port: number; close(): Promise<void> }> => {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
};
