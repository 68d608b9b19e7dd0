import type { Clock } from '../../kernel/clock.ts';
import type { McpConnector, McpOAuthStore, McpToolInfo } from '../../kernel/mcp.ts';
import { type BuiltinServer, createBuiltinRuntime } from './builtin-runtime.ts';
import { assertStdioAllowed, type EndpointLimits, inFolder, redactorOf } from './endpoint.ts';
import { watchServers } from './file-config.ts';
import type { ServerRuntime } from './runtime.ts';
import type { McpStore, ServerRecord } from './store.ts';
import { createSupervisor, type SupervisorOptions } from './supervisor.ts';
import { DEFAULT_CALL_TIMEOUT_MS, type ServerDefinition } from './types.ts';

/** All servers that are registered, from the three sources, each with what runs it. */
export interface RegisteredServer {
  definition: ServerDefinition;
  runtime: ServerRuntime;
}

export interface Registry {
  /** Reads what is registered and begins to connect; does not wait for any server. */
  start(): Promise<void>;
  /** Brings what runs in line with the store. */
  reload(): Promise<void>;
  close(): Promise<void>;
  find(tenantId: string, name: string): RegisteredServer | null;
  /** Of this tenant and of all tenants, newest first. */
  visible(tenantId: string): readonly RegisteredServer[];
  all(): RegisteredServer[];
  oauthStoreOf(server: RegisteredServer): McpOAuthStore;
}

/** How long a listing that another node has asked for may take. */
const RELIST_MS = 30_000;
/** Slug of the tenant whose administrators are the platform's. */
const PLATFORM_TENANT = 'default';

export interface RegistryOptions {
  store: McpStore;
  connector: McpConnector;
  clock: Clock;
  random(): number;
  stdio: Pick<EndpointLimits, 'allowStdio' | 'checkStdioText' | 'stdioFolder'>;
  /** Id and slug. */
  tenantNames(tenantId: string): Promise<readonly string[]>;
  configFile: string | null;
  builtins: readonly BuiltinServer[];
  logger: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  /** After each listing of a tenant's own server. */
  onTools(tenantId: string, server: ServerDefinition, tools: readonly McpToolInfo[]): void;
  /** How often the store is asked for changes that other nodes made; null where this process is the only one. */
  reloadEveryMs: number | null;
  limits?: Pick<SupervisorOptions, 'startTimeoutMs' | 'pingEveryMs' | 'pingTimeoutMs'>;
}

const keyOf = (tenantId: string | null, name: string): string => `${tenantId ?? '*'}/${name}`;
/** What a runtime was made from: the same again needs no restart. */
const runtimeKey = (definition: ServerDefinition): string => JSON.stringify(definition.endpoint);

const builtinDefinition = (server: BuiltinServer, createdAt: number): ServerDefinition => ({
  name: server.name,
  title: server.title,
  source: 'builtin',
  tenantId: null,
  enabled: true,
  endpoint: null,
  policy: {},
  access: {},
  forAgents: server.forAgents ?? true,
  ownWords: server.ownWords ?? false,
  timeoutMs: DEFAULT_CALL_TIMEOUT_MS,
  createdAt,
});

export const createRegistry = (options: RegistryOptions): Registry => {
  const { store, connector, clock, logger } = options;
  const servers = new Map<string, RegisteredServer>();
  const stopping = new Set<Promise<void>>();
  const builtins = new Map(options.builtins.map((server) => [server.name, server]));
  const startedAt = clock.now();
  let fromFile: ServerDefinition[] = [];
  let fromStore: ServerRecord[] = [];
  /** Of the servers of the API: when each was changed, or its tools were asked for anew. */
  const seenAt = new Map<string, number>();
  let file: { close(): void } | null = null;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let reloading: Promise<void> = Promise.resolve();

  const oauthStoreOf = (tenantId: string | null, name: string): McpOAuthStore => ({
    load: () => store.loadOAuth(tenantId, name),
    save: (text) => store.saveOAuth(tenantId, name, text, clock.now()),
    replace: (before, text) => store.replaceOAuth({ tenantId, server: name, before, text, at: clock.now() }),
  });

  const newRuntime = (definition: ServerDefinition): ServerRuntime => {
    const { endpoint, name, tenantId } = definition;
    const builtin = builtins.get(name);
    if (endpoint === null) {
      if (builtin === undefined) throw new TypeError(`the server ${name} has no endpoint`);
      return createBuiltinRuntime(builtin, () => clock.now());
    }
    return createSupervisor({
      ...options.limits,
      name,
      endpoint: definition.source === 'api' ? inFolder(endpoint, options.stdio.stdioFolder) : endpoint,
      connector,
      oauth:
        endpoint.transport === 'http' && endpoint.oauth !== undefined
          ? oauthStoreOf(tenantId, name)
          : undefined,
      clock,
      random: options.random,
      redact: redactorOf(endpoint),
      assertAllowed: async () => {
        if (definition.source !== 'api' || endpoint.transport !== 'stdio' || tenantId === null) return;
        const tenant = await options.tenantNames(tenantId);
        // Who registered it was asked then; what stands in the platform's own tenant is its administrators'.
        const isPlatform = tenant.includes(PLATFORM_TENANT);
        assertStdioAllowed(options.stdio, endpoint, { tenant, isPlatform });
      },
      onTools: (tools) => {
        if (tenantId !== null) options.onTools(tenantId, definition, tools);
      },
    });
  };

  const stop = (server: RegisteredServer): void => {
    const done = server.runtime.stop().finally(() => stopping.delete(done));
    stopping.add(done);
  };

  /** By tenant, until the servers change: every run asks. */
  const visibles = new Map<string, readonly RegisteredServer[]>();

  const settle = (): void => {
    if (closed) return;
    visibles.clear();
    const named = new Set(fromFile.map((definition) => definition.name));
    const wanted = new Map<string, ServerDefinition>();
    for (const server of builtins.values()) {
      if (!named.has(server.name)) wanted.set(keyOf(null, server.name), builtinDefinition(server, startedAt));
    }
    for (const definition of [...fromFile, ...fromStore]) {
      wanted.set(keyOf(definition.tenantId, definition.name), definition);
    }
    for (const [key, server] of servers) {
      const definition = wanted.get(key);
      const same = definition !== undefined && runtimeKey(definition) === runtimeKey(server.definition);
      if (same) continue;
      servers.delete(key);
      stop(server);
    }
    for (const [key, definition] of wanted) {
      const running = servers.get(key);
      const server = running ?? { definition, runtime: newRuntime(definition) };
      server.definition = definition;
      servers.set(key, server);
      if (definition.enabled) server.runtime.start();
      else if (server.runtime.state().status !== 'disabled') stop(server);
    }
  };

  /** Lists anew where another node has changed a server or was asked to list its tools. */
  const relistChanged = (): void => {
    for (const { tenantId, name, updatedAt } of fromStore) {
      const key = keyOf(tenantId, name);
      const before = seenAt.get(key);
      seenAt.set(key, updatedAt);
      const server = servers.get(key);
      if (before === undefined || before === updatedAt || server?.runtime.state().status !== 'connected')
        continue;
      const call = { signal: AbortSignal.timeout(RELIST_MS), timeoutMs: RELIST_MS };
      server.runtime.relist(call).catch((error: unknown) => {
        logger.info({ err: error, server: name }, 'the tools of an MCP server could not be listed anew');
      });
    }
  };

  const reload = async (own: boolean): Promise<void> => {
    fromStore = await store.servers();
    settle();
    if (!own) return relistChanged();
    for (const { tenantId, name, updatedAt } of fromStore) seenAt.set(keyOf(tenantId, name), updatedAt);
  };

  const find = (tenantId: string, name: string): RegisteredServer | null => {
    const shared = servers.get(keyOf(null, name));
    const own = servers.get(keyOf(tenantId, name));
    // A tenant's server may stand in for a built-in one, never for one of the operator's file.
    return shared !== undefined && (shared.definition.source === 'file' || own === undefined)
      ? shared
      : (own ?? null);
  };

  return {
    async start() {
      if (options.configFile !== null) {
        const { configFile } = options;
        file = watchServers(
          configFile,
          () => clock.now(),
          (reading) => {
            fromFile = reading.servers;
            for (const fault of reading.faults) logger.warn({ fault }, 'MCP_CONFIG: a server is left out');
            settle();
          },
          (fault) => logger.warn({ fault }, 'MCP_CONFIG could not be read; what was read before stays'),
        );
      }
      await reload(true);
      if (options.reloadEveryMs !== null) {
        timer = setInterval(() => {
          reload(false).catch((error: unknown) =>
            logger.warn({ err: error }, 'MCP servers could not be read'),
          );
        }, options.reloadEveryMs);
        timer.unref();
      }
    },
    reload() {
      reloading = reloading.catch(() => {}).then(() => reload(true));
      return reloading;
    },
    async close() {
      closed = true;
      clearInterval(timer);
      file?.close();
      for (const server of servers.values()) stop(server);
      servers.clear();
      visibles.clear();
      await Promise.all(stopping);
    },
    find,
    visible(tenantId) {
      const known = visibles.get(tenantId);
      if (known !== undefined) return known;
      const names = new Set<string>();
      for (const { definition } of servers.values()) {
        if (definition.tenantId === null || definition.tenantId === tenantId) names.add(definition.name);
      }
      const found = [...names]
        .map((name) => find(tenantId, name))
        .filter((server): server is RegisteredServer => server !== null)
        .sort(
          (a, b) =>
            b.definition.createdAt - a.definition.createdAt ||
            (a.definition.name < b.definition.name ? 1 : -1),
        );
      visibles.set(tenantId, found);
      return found;
    },
    all: () => [...servers.values()],
    oauthStoreOf: ({ definition }) => oauthStoreOf(definition.tenantId, definition.name),
  };
};
