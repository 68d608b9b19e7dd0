import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { AppError, conflict, invalid, underField } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { isWholeNano, TOO_FINE } from '../../kernel/money.ts';
import type { ServerNotes } from './audit-notes.ts';
import type { Calls } from './calls.ts';
import { type EndpointInput, type EndpointLimits, endpointOf } from './endpoint.ts';
import { stdioOwnerOf, type TenantNames } from './own-servers.ts';
import type { RegisteredServer, Registry } from './registry.ts';
import { serverNameFault } from './rules.ts';
import type { ServerViews } from './server-views.ts';
import type { McpStore, ServerRecord } from './store.ts';
import { type AccessList, DEFAULT_CALL_TIMEOUT_MS, type ServerPolicy } from './types.ts';

export interface ServerInput extends EndpointInput {
  name: string;
  title?: string | undefined;
  enabled?: boolean | undefined;
  timeout_ms?: number | undefined;
  policy?: ServerPolicy | undefined;
  access?: AccessList | undefined;
  accept_tools?: boolean | undefined;
}

export interface RegistrationOptions {
  store: McpStore;
  registry: Registry;
  calls: Calls;
  clock: Clock;
  limits: EndpointLimits;
  tenantNames: TenantNames;
  noteOf: ServerNotes;
  views: ServerViews;
}

const MAX_SERVERS_PER_TENANT = 100;

/** Throws VALIDATION_ERROR. */
export const checkPrices = (policy: ServerPolicy | undefined): void => {
  const prices = {
    '/policy/default/cost_usd': policy?.default?.cost_usd,
    ...Object.fromEntries(
      Object.entries(policy?.tools ?? {}).map(([glob, part]) => [
        `/policy/tools/${glob.replaceAll('~', '~0').replaceAll('/', '~1')}/cost_usd`,
        part.cost_usd,
      ]),
    ),
  };
  for (const [field, usd] of Object.entries(prices))
    if (usd !== undefined && !isWholeNano(usd)) throw invalid({ field, reason: TOO_FINE });
};

/** Throws VALIDATION_ERROR. */
export const checkServerName = (name: string): void => {
  const fault = serverNameFault(name);
  if (fault !== null) throw invalid({ field: '/name', reason: fault });
};

/** New servers: one by itself, or those of a file. */
export const createRegistrations = (options: RegistrationOptions) => {
  const { store, registry, calls, clock, noteOf, views } = options;

  const checkFree = (caller: Caller, name: string): void => {
    const taken = registry.find(caller.tenantId, name);
    if (taken !== null && taken.definition.source !== 'builtin')
      throw conflict('there is a server of this name', { name });
  };

  const checkRoom = async (caller: Caller, more: number): Promise<void> => {
    const count = (await store.servers()).filter((r) => r.tenantId === caller.tenantId).length;
    if (count + more > MAX_SERVERS_PER_TENANT)
      throw conflict(`a tenant has at most ${MAX_SERVERS_PER_TENANT} servers`);
  };

  const add = async (caller: Caller, input: ServerInput): Promise<RegisteredServer> => {
    checkServerName(input.name);
    checkPrices(input.policy);
    const endpoint = endpointOf(input, options.limits, await stdioOwnerOf(options.tenantNames, caller));
    checkFree(caller, input.name);
    const now = clock.now();
    const record: ServerRecord = {
      id: newId(),
      tenantId: caller.tenantId,
      name: input.name,
      title: input.title ?? null,
      source: 'api',
      enabled: input.enabled ?? true,
      endpoint,
      policy: input.policy ?? {},
      access: input.access ?? {},
      forAgents: true,
      timeoutMs: input.timeout_ms ?? DEFAULT_CALL_TIMEOUT_MS,
      createdBy: caller.userId,
      acceptToolsBy: input.accept_tools === true ? caller.userId : null,
      createdAt: now,
      updatedAt: now,
    };
    await checkRoom(caller, 1);
    const note = noteOf(caller, 'mcp.server.created', input.name, {
      transport: input.transport,
      accept_tools: input.accept_tools ?? false,
    });
    if (!(await store.insert(record, note)))
      throw conflict('there is a server of this name', { name: input.name });
    await registry.reload();
    try {
      return calls.findServer(caller, input.name);
    } catch (error) {
      if (error instanceof AppError && error.code === 'NOT_FOUND')
        throw conflict('the server was removed at the same time', { name: input.name });
      throw error;
    }
  };
  return {
    /** Throws FORBIDDEN (command), VALIDATION_ERROR, CONFLICT (name). */
    create: async (caller: Caller, input: ServerInput) => views.settledItem(caller, await add(caller, input)),

    /** Servers of the shared file form. All are checked before the first is registered. */
    async import(caller: Caller, entries: readonly { key: string; input: ServerInput }[]) {
      const names = new Set<string>();
      const owner = await stdioOwnerOf(options.tenantNames, caller);
      for (const { key, input } of entries) {
        try {
          checkServerName(input.name);
          checkPrices(input.policy);
          endpointOf(input, options.limits, owner);
        } catch (error) {
          throw underField(error, `/mcpServers/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
        }
        checkFree(caller, input.name);
        if (names.has(input.name))
          throw conflict('two servers of the import have this name', { name: input.name });
        names.add(input.name);
      }
      await checkRoom(caller, entries.length);
      const added: RegisteredServer[] = [];
      for (const { input } of entries) added.push(await add(caller, input));
      return Promise.all(added.map((server) => views.settledItem(caller, server)));
    },
  };
};
