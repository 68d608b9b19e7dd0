import type { Caller } from '../../kernel/caller.ts';
import { conflict, notFound } from '../../kernel/errors.ts';
import type { Registry } from './registry.ts';
import { mayUseServer, type StdioOwner } from './rules.ts';
import type { McpStore, ServerRecord } from './store.ts';

/** Id and slug. */
export type TenantNames = (tenantId: string) => Promise<readonly string[]>;

/** Of the API alone: what the file says is changed in the file. */
export const ownRecord = async (
  { store, registry }: { store: McpStore; registry: Registry },
  caller: Caller,
  name: string,
): Promise<ServerRecord> => {
  const record = (await store.servers()).find((r) => r.tenantId === caller.tenantId && r.name === name);
  if (record !== undefined) return record;
  const shared = registry.find(caller.tenantId, name);
  if (shared === null || !mayUseServer(shared.definition.access, caller)) throw notFound('MCP server');
  throw conflict(
    shared.definition.source === 'file'
      ? 'this server is in the configuration file and is changed there'
      : 'this server is part of the platform; the setting MCP_BUILTIN turns it off',
  );
};

/** For whom a program of the API would run. */
export const stdioOwnerOf = async (tenantNames: TenantNames, caller: Caller): Promise<StdioOwner> => ({
  tenant: await tenantNames(caller.tenantId),
  isPlatform: caller.platformAdmin,
});
