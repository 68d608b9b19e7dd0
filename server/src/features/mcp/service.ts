import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { notFound } from '../../kernel/errors.ts';
import type { McpConnector } from '../../kernel/mcp.ts';
import { createAcceptance } from './accept-tools.ts';
import { createServerNotes, type WriteAudit } from './audit-notes.ts';
import type { Calls } from './calls.ts';
import { createServerChanges } from './change.ts';
import { createConnectionTest } from './connection-test.ts';
import type { EndpointLimits } from './endpoint.ts';
import type { TenantNames } from './own-servers.ts';
import type { PinBook } from './pins.ts';
import { createRegistrations } from './register.ts';
import type { Registry } from './registry.ts';
import { createServerViews } from './server-views.ts';
import type { McpStore } from './store.ts';
import { createToolViews } from './tool-views.ts';
import type { LogLine } from './types.ts';

/** Registering and looking at servers. */

export interface McpServiceOptions {
  store: McpStore;
  registry: Registry;
  calls: Calls;
  pins: PinBook;
  connector: McpConnector;
  clock: Clock;
  limits: EndpointLimits;
  tenantNames: TenantNames;
  audit: WriteAudit;
  /** A changed tool has been accepted. */
  onAccepted(): void;
}

export const createService = (options: McpServiceOptions) => {
  const { calls } = options;
  const noteOf = createServerNotes(options.audit);
  const views = createServerViews(options);
  const toolViews = createToolViews(views);

  return {
    servers: (caller: Caller) =>
      Promise.all(views.visibleServers(caller).map((server) => views.serverItem(caller, server))),
    ...createRegistrations({ ...options, noteOf, views }),
    ...createServerChanges({ ...options, noteOf, views }),
    test: createConnectionTest(options),
    ...createAcceptance({ ...options, noteOf, serverViews: views, toolViews }),

    logs(caller: Caller, name: string): readonly LogLine[] {
      const server = calls.findServer(caller, name);
      // What a server of all tenants prints may speak of any of them.
      if (server.definition.tenantId === null && !caller.platformAdmin) throw notFound('MCP server');
      return server.runtime.logs();
    },
  };
};

export type McpService = ReturnType<typeof createService>;
