import type { Caller } from '../../kernel/caller.ts';
import { AppError, conflict, notFound } from '../../kernel/errors.ts';
import type { ServerNotes } from './audit-notes.ts';
import type { Calls } from './calls.ts';
import type { PinBook } from './pins.ts';
import { FIRST_TRY_MS, type ServerViews } from './server-views.ts';
import type { ToolViews } from './tool-views.ts';
import { isUnaccepted, type VisibleTool } from './visible-tools.ts';

export interface AcceptanceOptions {
  calls: Calls;
  pins: PinBook;
  noteOf: ServerNotes;
  serverViews: Pick<ServerViews, 'serverItem'>;
  toolViews: ToolViews;
  /** A changed tool has been accepted. */
  onAccepted(): void;
}

/** Tools as an operator looks at them and accepts them. */
export const createAcceptance = (options: AcceptanceOptions) => {
  const { calls, pins, noteOf } = options;
  const { others, toolItem } = options.toolViews;

  return {
    async tools(caller: Caller, serverName: string, signal: AbortSignal) {
      const server = calls.findServer(caller, serverName);
      await server.runtime.settled(FIRST_TRY_MS, signal);
      const state = server.runtime.state();
      if (state.status !== 'connected' && state.tools.length === 0) {
        throw new AppError('SERVICE_UNAVAILABLE', `the MCP server ${serverName} is not connected`, {
          details: { server: serverName, status: state.status, reason: state.lastError },
          retryAfterS: 5,
        });
      }
      const around = others(caller);
      const tools = await calls.toolsOf(caller, server);
      const changed = tools.filter((tool) => tool.pin.pinned === 'changed').map((tool) => tool.info.name);
      const before = await pins.pinned(caller.tenantId, serverName, changed);
      return tools.map((tool) => toolItem(tool, around, before.get(tool.info.name)));
    },

    /** `fingerprint`: what the operator has seen; another present one is a CONFLICT. */
    async accept(caller: Caller, serverName: string, toolName: string, fingerprint: string | undefined) {
      const server = calls.findServer(caller, serverName);
      const tool = await calls.toolOf(caller, server, toolName);
      if (tool === null) throw notFound('tool');
      if (fingerprint !== undefined && fingerprint !== tool.pin.fingerprint) {
        throw conflict('the tool has changed since', { fingerprint: tool.pin.fingerprint });
      }
      const note = noteOf(caller, 'mcp.tool.accepted', `${serverName}.${toolName}`, {
        fingerprint: tool.pin.fingerprint,
      });
      await pins.accept(caller.tenantId, serverName, tool.info, caller.userId, note);
      options.onAccepted();
      const around = others(caller);
      const now = await calls.toolOf(caller, server, toolName);
      return toolItem(now ?? tool, around, undefined);
    },

    /**
     * All that are new, or those of `fingerprints` as they were looked at: what has changed or looks like an order to the
     * model is accepted by its name alone.
     */
    async acceptAll(caller: Caller, serverName: string, fingerprints: Record<string, string> | undefined) {
      const server = calls.findServer(caller, serverName);
      const tools = await calls.toolsOf(caller, server);
      const asked = (tool: VisibleTool): boolean =>
        fingerprints === undefined
          ? isUnaccepted(tool) && !tool.pin.held
          : Object.hasOwn(fingerprints, tool.info.name);
      const chosen = tools.filter(asked);
      for (const [name, fingerprint] of Object.entries(fingerprints ?? {})) {
        const tool = chosen.find(({ info }) => info.name === name);
        if (tool === undefined) throw notFound(`tool ${name}`);
        if (tool.pin.fingerprint !== fingerprint)
          throw conflict(`the tool ${name} has changed since`, { fingerprint: tool.pin.fingerprint });
      }
      for (const { info, pin } of chosen) {
        const note = noteOf(caller, 'mcp.tool.accepted', `${serverName}.${info.name}`, {
          fingerprint: pin.fingerprint,
        });
        await pins.accept(caller.tenantId, serverName, info, caller.userId, note);
      }
      options.onAccepted();
      return options.serverViews.serverItem(caller, server);
    },
  };
};
