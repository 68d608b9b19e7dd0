import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Along } from '../../db/db.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { McpToolInfo } from '../../kernel/mcp.ts';
import type { McpStore, NewPin, ToolPin } from './store.ts';
import { isSuspicious } from './suspicion.rules.ts';
import type { ServerDefinition } from './types.ts';

/**
 * What was accepted of each tool, by tenant. The first listing of a server of the operator's file is accepted with it, and of
 * one that a person has registered where they said so, but for tools whose text looks like an instruction. Any other
 * tool is `new` and may be used; one that is not what was accepted any more is `changed` and held back.
 */
export interface PinState {
  pinned: 'accepted' | 'changed' | 'new';
  /** Not to be called, and not shown to agents. */
  held: boolean;
  suspicious: boolean;
  fingerprint: string;
}

const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([key, inner]) => [key, canonical(inner)]),
  );
};

/** All that a model or a gate reads of a tool, as JSON; the order of keys does not count. */
const definitionOf = (tool: McpToolInfo): string =>
  JSON.stringify(
    canonical({
      name: tool.name,
      title: tool.title,
      description: tool.description,
      inputSchema: tool.inputSchema,
      outputSchema: tool.outputSchema,
      annotations: tool.annotations,
    }),
  );

export const fingerprintOf = (tool: McpToolInfo): string =>
  createHash('sha256').update(definitionOf(tool)).digest('base64url');

/** What was accepted of a tool, or first seen of it. */
export type PinnedTool = Pick<
  McpToolInfo,
  'title' | 'description' | 'inputSchema' | 'outputSchema' | 'annotations'
>;

interface Judged {
  fingerprint: string;
  suspicious: boolean;
}

/** Whose pins are asked for, and on whose word its first listing is accepted. */
export type PinnedServer = Pick<ServerDefinition, 'name' | 'source' | 'acceptToolsBy'>;

export interface PinBook {
  /** State of each tool for the tenant; what is seen for the first time is written down. */
  states(
    tenantId: string,
    server: PinnedServer,
    tools: readonly McpToolInfo[],
  ): Promise<ReadonlyMap<string, PinState>>;
  accept(
    tenantId: string,
    server: string,
    tool: McpToolInfo,
    acceptedBy: string,
    note?: Along,
  ): Promise<void>;
  /** What is pinned of these tools, by name. */
  pinned(
    tenantId: string,
    server: string,
    tools: readonly string[],
  ): Promise<ReadonlyMap<string, PinnedTool>>;
  forget(tenantId: string, server: string): void;
  /** Another node has changed something. */
  forgetAll(): void;
}

/** Pins of other nodes' operators are seen after so long. */
const FRESH_MS = 15_000;

export const createPinBook = (options: {
  store: McpStore;
  clock: Clock;
  /** Called once for each change that is seen. */
  onHeldBack(tenantId: string, server: string, tool: string, fingerprint: string): void;
}): PinBook => {
  const { store, clock } = options;
  interface Known {
    at: number;
    pins: Promise<Map<string, ToolPin>>;
    /** What the pins say of the listing that was asked for last; made anew when either changes. */
    view: { tools: readonly McpToolInfo[]; states: ReadonlyMap<string, PinState> } | null;
  }
  const known = new LRUCache<string, Known>({ max: 10_000 });
  /** A listing keeps its objects until the server sends another: each is hashed once. */
  const judged = new WeakMap<McpToolInfo, Judged>();
  const reported = new LRUCache<string, true>({ max: 10_000 });
  const keyOf = (tenantId: string, server: string): string => `${tenantId}/${server}`;

  const judge = (tool: McpToolInfo): Judged => {
    let found = judged.get(tool);
    if (found === undefined) {
      found = { fingerprint: fingerprintOf(tool), suspicious: isSuspicious(tool) };
      judged.set(tool, found);
    }
    return found;
  };

  const load = (tenantId: string, server: string): Promise<Map<string, ToolPin>> => {
    const key = keyOf(tenantId, server);
    const held = known.get(key);
    if (held !== undefined && clock.now() - held.at < FRESH_MS) return held.pins;
    const pins = store.pins(tenantId, server).then((rows) => new Map(rows.map((row) => [row.tool, row])));
    pins.catch(() => known.delete(key));
    known.set(key, { at: clock.now(), pins, view: null });
    return pins;
  };

  return {
    async states(tenantId, { name: server, source, acceptToolsBy = null }, tools) {
      const byFile = source !== 'api';
      const key = keyOf(tenantId, server);
      const held = known.get(key);
      if (held?.view?.tools === tools && clock.now() - held.at < FRESH_MS) return held.view.states;
      const pins = await load(tenantId, server);
      const first = pins.size === 0;
      const unseen: NewPin[] = [];
      for (const tool of tools) {
        if (pins.has(tool.name)) continue;
        const { fingerprint, suspicious } = judge(tool);
        unseen.push({
          tool: tool.name,
          fingerprint,
          ...(first && !suspicious && (byFile || acceptToolsBy !== null)
            ? { status: 'accepted', acceptedBy: acceptToolsBy }
            : { status: 'new', acceptedBy: null }),
          definition: definitionOf(tool),
        });
      }
      if (unseen.length > 0) {
        for (const { definition: _, ...pin } of unseen) pins.set(pin.tool, pin);
        await store.addPins(tenantId, server, unseen, clock.now());
      }
      const states = new Map<string, PinState>();
      for (const tool of tools) {
        const pin = pins.get(tool.name);
        if (pin === undefined) continue;
        const { fingerprint, suspicious } = judge(tool);
        const changed = pin.fingerprint !== fingerprint;
        const accepted = pin.status === 'accepted' && (byFile || pin.acceptedBy !== null);
        if (changed) {
          const change = `${keyOf(tenantId, server)}/${tool.name}/${fingerprint}`;
          if (!reported.has(change)) {
            reported.set(change, true);
            options.onHeldBack(tenantId, server, tool.name, fingerprint);
          }
        }
        states.set(tool.name, {
          pinned: changed ? 'changed' : accepted ? 'accepted' : 'new',
          held: changed || (suspicious && !accepted),
          suspicious,
          fingerprint,
        });
      }
      const entry = known.get(key);
      // Something else may have been read or accepted while this was worked out.
      if (entry !== undefined && (await entry.pins) === pins) entry.view = { tools, states };
      return states;
    },
    async accept(tenantId, server, tool, acceptedBy, note) {
      const { fingerprint } = judge(tool);
      const pin = {
        tool: tool.name,
        fingerprint,
        definition: definitionOf(tool),
        acceptedBy,
        at: clock.now(),
      };
      await store.acceptPin(tenantId, server, pin, note);
      const pins = await load(tenantId, server);
      pins.set(tool.name, { tool: tool.name, fingerprint, status: 'accepted', acceptedBy });
      const entry = known.get(keyOf(tenantId, server));
      if (entry !== undefined) entry.view = null;
    },
    async pinned(tenantId, server, tools) {
      const kept = await store.pinned(tenantId, server, tools);
      // Written by definitionOf.
      return new Map([...kept].map(([tool, text]) => [tool, JSON.parse(text) as PinnedTool]));
    },
    forgetAll() {
      known.clear();
    },
    forget(tenantId, server) {
      known.delete(keyOf(tenantId, server));
    },
  };
};
