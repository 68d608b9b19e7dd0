import { createGuardedFetch } from '../../src/adapters/guarded-fetch/index.ts';
import { createMcpConnector } from '../../src/adapters/mcp/index.ts';
import { McpFault, type McpHttpEndpoint, type McpOAuthStore, type McpSession } from '../../src/kernel/mcp.ts';

/**
 * The platform's client of MCP servers as the official conformance suite runs it: one process for a scenario, with the address of
 * its server as the last argument. It connects, signs in where it is asked to, and calls every tool.
 */

const REDIRECT = 'http://127.0.0.1:8080/mcp/oauth/callback';
/** The suite starts all scenarios at once: each takes its time. */
const TIMEOUT_MS = 60_000;

interface Context {
  client_id?: string;
  client_secret?: string;
  toolCalls?: { name: string; arguments: Record<string, unknown> }[];
}

const url = process.argv.at(-1) ?? '';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as Context;
const open = createGuardedFetch({ allowPrivate: true, bodyTimeoutMs: 0, headersTimeoutMs: 0 });
const connector = createMcpConnector({
  clientInfo: { name: 'pentarch', version: '2.0.0' },
  guarded: open,
  open,
  oauthRedirectUrl: () => REDIRECT,
});
const endpoint: McpHttpEndpoint = {
  transport: 'http',
  url,
  headers: {},
  trusted: true,
  oauth: {
    grant: 'authorization_code',
    ...(context.client_id === undefined ? {} : { clientId: context.client_id }),
    ...(context.client_secret === undefined ? {} : { clientSecret: context.client_secret }),
  },
};

let stored: string | null = null;
const store: McpOAuthStore = {
  load: async () => stored,
  save: async (text) => {
    stored = text;
  },
  replace: async (before, text) => {
    if (stored !== before) return false;
    stored = text;
    return true;
  },
};

const connect = (): Promise<McpSession> =>
  connector.connect(endpoint, {
    timeoutMs: TIMEOUT_MS,
    signal: AbortSignal.timeout(3 * TIMEOUT_MS),
    events: { onToolsChanged: () => {}, onClosed: () => {}, onLog: () => {} },
    oauth: store,
  });

/** What a person's browser does at a server that asks nobody. */
const signIn = async (): Promise<void> => {
  const address = await connector.authorize(endpoint, store, 'conformance');
  if (address === null) return;
  const answer = await fetch(address, { redirect: 'manual' });
  const back = new URL(answer.headers.get('location') ?? '').searchParams;
  await connector.finishAuthorization(endpoint, store, {
    code: back.get('code') ?? '',
    state: back.get('state') ?? '',
    iss: back.get('iss'),
  });
};

/** Once more after a sign-in, as a person who is asked would. */
const signedIn = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof McpFault) || error.kind !== 'unauthorized') throw error;
    await signIn();
    return work();
  }
};

const valueFor = (schema: unknown): unknown => {
  const { type, enum: choices } = schema as { type?: string; enum?: unknown[] };
  if (choices !== undefined) return choices[0];
  if (type === 'number' || type === 'integer') return 2;
  if (type === 'boolean') return true;
  return type === 'string' ? 'text' : null;
};
const argumentsFor = (schema: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries((schema.properties ?? {}) as Record<string, unknown>)
      .map(([name, one]): [string, unknown] => [name, valueFor(one)])
      .filter(([, value]) => value !== null),
  );

const options = () => ({ signal: AbortSignal.timeout(TIMEOUT_MS), timeoutMs: TIMEOUT_MS });
const session = await signedIn(connect);
const tools = await signedIn(() => session.listTools(options()));
const calls =
  context.toolCalls ?? tools.map(({ name, inputSchema }) => ({ name, arguments: argumentsFor(inputSchema) }));
for (const call of calls)
  await signedIn(() => session.callTool(call.name, call.arguments, options())).catch((error: unknown) =>
    process.stderr.write(`${call.name}: ${String(error)}\n`),
  );
await session.close();
process.exit(0);
