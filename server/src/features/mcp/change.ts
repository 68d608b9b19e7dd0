import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { conflict, invalid, notFound } from '../../kernel/errors.ts';
import type { McpOAuthSettings } from '../../kernel/mcp.ts';
import { auditedBy, type ServerNotes, type WriteAudit } from './audit-notes.ts';
import type { Calls } from './calls.ts';
import { type EndpointInput, type EndpointLimits, endpointOf, type OAuthInput } from './endpoint.ts';
import { mcpErrorOf } from './faults.ts';
import { carriedFaults, hasMoved } from './moved.rules.ts';
import { ownRecord, stdioOwnerOf, type TenantNames } from './own-servers.ts';
import type { PinBook } from './pins.ts';
import { checkPrices, type ServerInput } from './register.ts';
import type { Registry } from './registry.ts';
import { FIRST_TRY_MS, type ServerViews } from './server-views.ts';
import type { McpStore, ServerRecord } from './store.ts';

export type ServerPatch = Partial<Omit<ServerInput, 'name' | 'transport' | 'accept_tools'>>;

const oauthInput = (settings: McpOAuthSettings): OAuthInput => ({
  grant: settings.grant,
  client_id: settings.clientId,
  client_secret: settings.clientSecret,
  scope: settings.scope,
});

const definedParts = (patch: ServerPatch): Partial<EndpointInput> => {
  const parts: Partial<EndpointInput> = {};
  if (patch.command !== undefined) parts.command = patch.command;
  if (patch.args !== undefined) parts.args = patch.args;
  if (patch.env !== undefined) parts.env = patch.env;
  if (patch.url !== undefined) parts.url = patch.url;
  if (patch.headers !== undefined) parts.headers = patch.headers;
  if (patch.oauth !== undefined) parts.oauth = patch.oauth;
  return parts;
};

const ENDPOINT_KEYS = ['command', 'args', 'env', 'url', 'headers', 'oauth'] as const;

/** The endpoint as the patch leaves it, before it is checked. */
const patchedEndpoint = (before: ServerRecord['endpoint'], patch: ServerPatch): EndpointInput =>
  before?.transport === 'stdio'
    ? {
        transport: 'stdio',
        command: before.command,
        args: before.args,
        env: before.env,
        ...definedParts(patch),
      }
    : {
        transport: 'http',
        url: before?.url,
        headers: before?.headers,
        oauth: before?.oauth === undefined ? undefined : oauthInput(before.oauth),
        ...definedParts(patch),
      };

export interface ChangeOptions {
  store: McpStore;
  registry: Registry;
  calls: Calls;
  pins: PinBook;
  clock: Clock;
  limits: EndpointLimits;
  tenantNames: TenantNames;
  audit: WriteAudit;
  noteOf: ServerNotes;
  views: ServerViews;
}

/** Lists the tools anew, so long at the most. */
const RELIST_MS = 15_000;

/** What is done to a server that is registered. */
export const createServerChanges = (options: ChangeOptions) => {
  const { store, registry, calls, pins, clock, noteOf, views } = options;

  return {
    async update(caller: Caller, name: string, patch: ServerPatch) {
      checkPrices(patch.policy);
      const record = await ownRecord(options, caller, name);
      const before = record.endpoint;
      const touches = ENDPOINT_KEYS.some((key) => patch[key] !== undefined);
      const merged = patchedEndpoint(before, patch);
      // Checked again even when only switched on: what is allowed may have changed since.
      const endpoint =
        touches || patch.enabled === true
          ? endpointOf(merged, options.limits, await stdioOwnerOf(options.tenantNames, caller))
          : before;
      const carried = carriedFaults(before, patch);
      if (carried.length > 0) throw invalid(...carried);
      const changed: ServerRecord = {
        ...record,
        title: patch.title ?? record.title,
        enabled: patch.enabled ?? record.enabled,
        endpoint,
        policy: patch.policy ?? record.policy,
        access: patch.access ?? record.access,
        timeoutMs: patch.timeout_ms ?? record.timeoutMs,
        updatedAt: clock.now(),
      };
      await store.update(
        changed,
        { forgetSignIn: hasMoved(before, endpoint) },
        noteOf(caller, 'mcp.server.updated', name, { fields: Object.keys(patch).sort() }),
      );
      await registry.reload();
      const server = registry.find(caller.tenantId, name);
      if (server === null) throw notFound('MCP server');
      return views.settledItem(caller, server);
    },

    /** Lists the tools anew, at this node now and at the others soon. Throws CONFLICT (the platform's own), SERVICE_UNAVAILABLE. */
    async refresh(caller: Caller, name: string, signal: AbortSignal) {
      const server = calls.findServer(caller, name);
      const { source, enabled } = server.definition;
      if (source === 'builtin')
        throw conflict('this server is part of the platform: its tools are always there');
      if (!enabled) throw conflict('this server is switched off');
      server.runtime.retry();
      await server.runtime.settled(FIRST_TRY_MS, signal);
      try {
        await server.runtime.relist({ signal, timeoutMs: RELIST_MS });
      } catch (error) {
        throw mcpErrorOf(error, name);
      }
      const note = noteOf(caller, 'mcp.server.refreshed', name);
      if (source === 'api') {
        const record = await ownRecord(options, caller, name);
        await store.update({ ...record, updatedAt: clock.now() }, { forgetSignIn: false }, note);
        await registry.reload();
      } else {
        const audited = { ...auditedBy(caller), action: 'mcp.server.refreshed', subject: name, details: {} };
        await options.audit(audited, null);
      }
      return views.serverItem(caller, calls.findServer(caller, name));
    },

    async remove(caller: Caller, name: string): Promise<void> {
      await ownRecord(options, caller, name);
      if (!(await store.remove(caller.tenantId, name, noteOf(caller, 'mcp.server.deleted', name))))
        throw notFound('MCP server');
      pins.forget(caller.tenantId, name);
      await registry.reload();
    },
  };
};
