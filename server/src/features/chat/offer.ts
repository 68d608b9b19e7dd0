import { globMatches } from '../../kernel/glob.ts';
import type { ModelMessage, ModelRef } from '../../kernel/model.ts';
import { estimateTokens } from '../../kernel/tokens.ts';
import type { AgentTool } from '../../kernel/tools.ts';
import type { EffectiveAgent } from '../agents/index.ts';
import { findToolsTool, isFindTools, namesAdded } from './tool-finding.ts';
import { isDelegate } from './tool-list.ts';
import { modelToolName, specOf } from './tools.rules.ts';

/**
 * Which of its tools a model is told with a call. Where they are many, those that the agent names and handing on go along; the
 * others are found by `find_tools`, which itself is told then. All of them can be called at any time: what may be called is
 * decided by rights, schema and gate, never by what was told.
 */
interface Offer {
  agent: Pick<EffectiveAgent, 'definition' | 'allTools'>;
  model: ModelRef;
  /** All that the caller may use through the agent. */
  tools: readonly AgentTool[];
  /** Most tokens of the tools that are told at once; 0: as many as there are. */
  maxTokens: number;
}

const tokensOf = (tool: AgentTool): number => estimateTokens(JSON.stringify(specOf(tool)));

const sum = (tools: readonly AgentTool[]): number => tools.reduce((all, tool) => all + tokensOf(tool), 0);

/** What the agent names, in its order, then handing on; what it has by a pattern for all is never sent unasked. */
const inOrder = (tools: readonly AgentTool[], globs: readonly string[]): AgentTool[] => {
  const named = globs
    .filter((glob) => glob !== '*')
    .flatMap((glob) => tools.filter((tool) => globMatches(glob, `${tool.server}.${tool.name}`)));
  return [...new Set([...named, ...tools.filter(isDelegate)])];
};

/** Those that fit, with the one that finds the rest; all of them where the rest would save less than that one costs. */
const choose = (tools: readonly AgentTool[], globs: readonly string[], maxTokens: number): AgentTool[] => {
  const others = tools.filter((tool) => !isFindTools(tool));
  const finder = tools.find(isFindTools);
  if (finder === undefined || maxTokens === 0) return others;
  if (sum(others) <= maxTokens + tokensOf(findToolsTool(finder, others))) return others;
  let left = maxTokens;
  const fitting = inOrder(others, globs).filter((tool) => {
    const tokens = tokensOf(tool);
    if (tokens > left) return false;
    left -= tokens;
    return true;
  });
  const rest = others.filter((tool) => !fitting.includes(tool));
  return [...fitting, findToolsTool(finder, rest)];
};

const chosen = new WeakMap<readonly AgentTool[], Map<number, readonly AgentTool[]>>();

/** What goes along with the first call of each run: the same list as long as the tools are the same. */
const firstOf = ({ agent, model, tools, maxTokens }: Offer): readonly AgentTool[] => {
  // The built-in model reads no prompt: it picks from all, and that costs nothing.
  const limit = agent.allTools || model.provider === 'builtin' ? 0 : maxTokens;
  const byLimit = chosen.get(tools) ?? new Map<number, readonly AgentTool[]>();
  chosen.set(tools, byLimit);
  let list = byLimit.get(limit);
  if (list === undefined) {
    list = choose(tools, agent.definition.tools, limit);
    byLimit.set(limit, list);
  }
  return list;
};

/** Tools that have been found in these messages, and those that were called without having been told. */
const inMessages = (messages: readonly ModelMessage[]): string[] =>
  messages.flatMap((message) => {
    if (message.role === 'assistant') return (message.toolCalls ?? []).map(({ name }) => name);
    return message.role === 'tool' ? namesAdded(message) : [];
  });

/**
 * The tools that go along with a call. What a run has found stands in its messages, so that it is the same after a restart; it
 * comes behind the others, in the order of its finding.
 */
export const offeredTools = (offer: Offer, messages: readonly ModelMessage[]): readonly AgentTool[] => {
  const first = firstOf(offer);
  if (messages.length === 0) return first;
  const names = inMessages(messages);
  if (names.length === 0) return first;
  const told = new Set(first.map(modelToolName));
  const byName = new Map(offer.tools.map((tool) => [modelToolName(tool), tool]));
  const more = [...new Set(names)].flatMap((name) => {
    const tool = told.has(name) ? undefined : byName.get(name);
    return tool === undefined || isFindTools(tool) ? [] : [tool];
  });
  return more.length === 0 ? first : [...first, ...more];
};
