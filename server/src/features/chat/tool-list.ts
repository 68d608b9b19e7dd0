import type { Caller } from '../../kernel/caller.ts';
import type { AgentTool, ToolSource } from '../../kernel/tools.ts';
import type { EffectiveAgent } from '../agents/index.ts';
import { isFindTools } from './tool-finding.ts';
import { mayUse, modelToolName, withDistinctNames } from './tools.rules.ts';

/** Every agent may hand on a part of its task, and look for its own tools. */
export const isDelegate = (tool: Pick<AgentTool, 'server' | 'name'>): boolean =>
  tool.server === 'pentarch' && tool.name === 'delegate';

interface ToolList {
  /** The lists of the sources, in order, that these tools were picked from. */
  lists: readonly (readonly AgentTool[])[];
  tools: readonly AgentTool[];
}

/** By caller (an object that stands as long as its rights) and agent. */
const toolLists = new WeakMap<readonly ToolSource[], WeakMap<Caller, Map<string, ToolList>>>();

/** What this caller may use through this agent. The same list while nothing changes: each run asks for it. */
export const toolsOf = async (
  sources: readonly ToolSource[],
  caller: Caller,
  agent: EffectiveAgent,
): Promise<readonly AgentTool[]> => {
  const { id } = agent.definition;
  const byCaller = toolLists.get(sources) ?? new WeakMap<Caller, Map<string, ToolList>>();
  toolLists.set(sources, byCaller);
  const byAgent = byCaller.get(caller) ?? new Map<string, ToolList>();
  byCaller.set(caller, byAgent);
  const known = byAgent.get(id);
  const lists = await Promise.all(
    sources.map((source, i) => (source.fixed && known?.lists[i]) || source.list(caller, id)),
  );
  if (known?.lists.length === lists.length && lists.every((list, i) => list === known.lists[i]))
    return known.tools;
  const tools = withDistinctNames(
    lists
      .flat()
      .filter(
        (tool) =>
          (isDelegate(tool) || isFindTools(tool) || mayUse(agent.definition.tools, tool)) &&
          caller.permissions.has(tool.permission),
      ),
  );
  byAgent.set(id, { lists, tools });
  return tools;
};

interface Awaited {
  sources: readonly ToolSource[];
  tenantId: string;
  list(): Promise<readonly AgentTool[]>;
  /** Names of the calls that the run has asked for. */
  asked: readonly string[];
  signal: AbortSignal;
}

/** What may be the server's in the name that a model calls a tool by. */
const serversIn = (name: string): string[] =>
  [...name.matchAll(/__/g)].map(({ index }) => name.slice(0, index));

/**
 * The tools of a run that goes on after a restart. Every server gets its first try; one of which the run has asked something gets
 * all the time that a start may take.
 */
export const toolsWhenReady = async ({
  sources,
  tenantId,
  list,
  asked,
  signal,
}: Awaited): Promise<readonly AgentTool[]> => {
  const ready = (server: string | null) =>
    Promise.all(sources.map((source) => source.ready?.(tenantId, server, signal)));
  await ready(null);
  const tools = await list();
  const missing = asked.filter((name) => !tools.some((tool) => modelToolName(tool) === name));
  if (missing.length === 0) return tools;
  await Promise.all(missing.flatMap(serversIn).map(ready));
  return list();
};
