import type { Db, Queryable } from '../../db/db.ts';
import { createSchemaChecker } from '../../http/foreign-schema.ts';
import type { AnyRoute } from '../../http/route.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Cluster } from '../../kernel/cluster.ts';
import { NO_MESSAGES, type NodeMessages } from '../../kernel/cluster.ts';
import type { ShowProposal } from '../../kernel/decisions.ts';
import type { McpConnector } from '../../kernel/mcp.ts';
import type { CallerFor } from '../../kernel/stored-credential.ts';
import type { ToolGate, ToolSource } from '../../kernel/tools.ts';
import type { McpAuditEntry } from './audit-notes.ts';
import type { BuiltinServer } from './builtin-runtime.ts';
import { type Calls, type CallsOptions, createCalls } from './calls.ts';
import { createOriginOf } from './origin.ts';
import { createPinBook } from './pins.ts';
import { createReading } from './reading.ts';
import { createRegistry, type RegistryOptions } from './registry.ts';
import { createMcpRoutes } from './routes.ts';
import { mayUseServer, mayUseTool } from './rules.ts';
import { createSecretBox } from './secret-box.ts';
import { createService } from './service.ts';
import { createSignIn } from './sign-in.ts';
import { createMcpStore } from './store.ts';
import { type McpServerSummary, mcpServerTools } from './tools.ts';

export { isGatewayTool } from './agent-tools.ts';
export type { McpAuditEntry } from './audit-notes.ts';
export { createFilesServer, tenantFolder } from './builtin/files.ts';
export { createTimeServer } from './builtin/time.ts';
export { createToolsServer } from './builtin/tools.ts';
export type { BuiltinServer } from './builtin-runtime.ts';
export { createCarriedSecrets } from './carried-secrets.ts';
export { carriedServer, lostEndpoint } from './carried-server.ts';
export { createAskAgentSource } from './door/ask-agent.ts';
export { createMcpDoor } from './door/door.ts';

export { OAUTH_CALLBACK_PATH } from './sign-in.ts';
export type { McpServerSummary } from './tools.ts';

export interface McpOptions {
  db: Db;
  cluster: Cluster;
  /** 32 bytes: encrypts commands, addresses, environment and headers at rest. */
  secretKey: Uint8Array;
  /** Keys that still open what they sealed. */
  previousKeys?: readonly Uint8Array[];
  connector: McpConnector;
  clock: Clock;
  random?: () => number;
  gate: ToolGate;
  /** `MCP_ALLOW_STDIO`. */
  allowStdio: readonly string[];
  /** Why a program of the API may not be given this argument or variable, or null. */
  checkStdioText(text: string): string | null;
  /** Where such programs run. */
  stdioFolder?: string | undefined;
  /** Id and slug of a tenant. */
  tenantNames(tenantId: string): Promise<readonly string[]>;
  /** Why an address may not be called, or null (adapters/guarded-fetch). */
  checkUrl(url: string): string | null;
  /** `MCP_CONFIG`. */
  configFile: string | null;
  builtins: readonly BuiltinServer[];
  showProposal: ShowProposal;
  /** Writes a row of the audit chain: in the given transaction, or in one of its own. */
  audit(entry: McpAuditEntry, tx: Queryable | null): Promise<void>;
  /** Who acts where no token is at hand. */
  callerOf: CallerFor;
  toolLedger: CallsOptions['toolLedger'];
  observeCall: CallsOptions['observeCall'];
  toolPolicies?: NonNullable<CallsOptions['toolPolicies']>;
  logger: RegistryOptions['logger'];
  limits?: RegistryOptions['limits'];
  /** The other nodes, which hear of changes at once; by default nobody. */
  messages?: NodeMessages;
}

export interface McpFeature {
  routes: AnyRoute[];
  /** Tools of all servers, for agents and for the door. */
  toolSource: ToolSource;
  /** `list_mcp_servers`, for the agents. */
  serverTools: ToolSource;
  /** The servers that a person may use, as they are now. */
  visible(caller: Caller): McpServerSummary[];
  calls: Calls;
  /** Reads what is registered and begins to connect; returns before any server has answered. */
  start(): Promise<void>;
  /** Ends all sessions and processes. */
  close(): Promise<void>;
  /** Whether a server is connected; null for one that the tenant does not have. */
  connected(tenantId: string, server: string): boolean | null;
  /**
   * Resolves when the server is connected or has had its time for that since its start; with null, when no server of the
   * tenant is at its first try any more. Nobody may say sooner that a tool is not there.
   */
  ready(tenantId: string, server: string | null, signal: AbortSignal): Promise<void>;
  /** For /ready and /metrics: how many servers are in which state. */
  health(): { connected: number; connecting: number; error: number; disabled: number };
}

/** So long is the first try of a server waited for. */
const FIRST_TRY_MS = 30_000;

/** The MCP gateway, put together. */
export const createMcpFeature = (options: McpOptions): McpFeature => {
  const { clock } = options;
  const box = createSecretBox(options.secretKey, options.previousKeys);
  const store = createMcpStore(options.db, box);
  const pins = createPinBook({
    store,
    clock,
    onHeldBack: (tenantId, server, tool, fingerprint) =>
      void options
        .audit(
          {
            tenantId,
            userId: null,
            actorType: 'system',
            action: 'mcp.tool.held_back',
            subject: `${server}.${tool}`,
            details: { fingerprint },
          },
          null,
        )
        .catch((error: unknown) =>
          options.logger.warn(
            { err: error },
            'that a tool is held back could not be written into the audit chain',
          ),
        ),
  });
  const registry = createRegistry({
    store,
    connector: options.connector,
    clock,
    random: options.random ?? Math.random,
    stdio: {
      allowStdio: options.allowStdio,
      checkStdioText: options.checkStdioText,
      stdioFolder: options.stdioFolder,
    },
    tenantNames: options.tenantNames,
    configFile: options.configFile,
    builtins: options.builtins,
    logger: options.logger,
    onTools: (tenantId, server, tools) => {
      pins.states(tenantId, server, tools).catch((error: unknown) => {
        options.logger.warn(
          { err: error, server: server.name },
          'what was accepted of MCP tools could not be written',
        );
      });
    },
    reloadEveryMs: options.cluster.alone ? null : 10_000,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  });
  const { gate, toolLedger, observeCall } = options;
  const calls = createCalls({
    registry,
    pins,
    schemas: createSchemaChecker(),
    gate,
    toolLedger,
    observeCall,
    ...(options.toolPolicies === undefined ? {} : { toolPolicies: options.toolPolicies }),
    originOf: createOriginOf(options.secretKey),
  });
  const messages = options.messages ?? NO_MESSAGES;
  const tell = (): void => messages.send('mcp.changed', null);
  const leave = messages.receive('mcp.changed', () => {
    pins.forgetAll();
    registry.reload().catch((error: unknown) => {
      options.logger.warn({ err: error }, 'MCP servers could not be read');
    });
  });
  const service = createService({
    store,
    registry: {
      ...registry,
      reload: async () => {
        await registry.reload();
        tell();
      },
    },
    onAccepted: tell,
    calls,
    pins,
    connector: options.connector,
    clock,
    limits: {
      allowStdio: options.allowStdio,
      checkStdioText: options.checkStdioText,
      stdioFolder: options.stdioFolder,
      checkUrl: options.checkUrl,
    },
    tenantNames: options.tenantNames,
    audit: options.audit,
  });
  const signIn = createSignIn({
    registry,
    calls,
    connector: options.connector,
    box,
    clock,
    audit: options.audit,
    callerOf: options.callerOf,
  });
  const visible = (caller: Caller): McpServerSummary[] =>
    registry
      .visible(caller.tenantId)
      .filter((server) => mayUseServer(server.definition.access, caller))
      .map(({ definition, runtime }) => {
        const { status, tools, lastError } = runtime.state();
        return {
          name: definition.name,
          transport: definition.endpoint?.transport ?? 'builtin',
          status,
          toolCount: tools.filter((tool) => mayUseTool(definition.access, caller, tool.name)).length,
          lastError,
        };
      });

  return {
    routes: createMcpRoutes({
      service,
      reading: createReading(calls),
      signIn,
      calls,
      showProposal: options.showProposal,
    }),
    toolSource: { list: (caller) => calls.list(caller) },
    serverTools: mcpServerTools(visible),
    visible,
    calls,
    start: () => registry.start(),
    close: () => {
      leave();
      return registry.close();
    },
    connected(tenantId, server) {
      const found = registry.find(tenantId, server);
      return found === null ? null : found.runtime.state().status === 'connected';
    },
    async ready(tenantId, server, signal) {
      if (server !== null) return registry.find(tenantId, server)?.runtime.firstConnection(signal);
      const all = registry.visible(tenantId);
      await Promise.all(all.map(({ runtime }) => runtime.settled(FIRST_TRY_MS, signal)));
    },
    health() {
      const counts = { connected: 0, connecting: 0, error: 0, disabled: 0 };
      for (const server of registry.all()) counts[server.runtime.state().status]++;
      return counts;
    },
  };
};
