import { globMatches } from '../../kernel/glob.ts';
import type { ToolChoice, ToolSpec } from '../../kernel/model.ts';
import { storableDeep } from '../../kernel/storable.ts';
import { spelledName } from '../../kernel/tool-names.ts';
import type { AgentTool } from '../../kernel/tools.ts';
import { shortSchema } from './short-schema.rules.ts';

/**
 * Tools of the client's program, which it runs itself (the OpenAI-compatible API). They are offered to the agent's model
 * beside its own. A call of one is handed over: the own calls of the same answer are carried out, and the run ends with
 * the finish reason `tool_calls`. The results come with a run of their own, which goes on with the prompt of this one.
 */
export interface ClientTools {
  tools: readonly ToolSpec[];
  /** One of them has to be called: own tools are not offered then. */
  choice?: Exclude<ToolChoice, 'none'>;
  /** At most one of them is called in an answer. */
  single?: true;
}

/** A tool's name for the model: the platform's own without a server before it. */
export const modelToolName = (tool: Pick<AgentTool, 'server' | 'name'>): string =>
  spelledName(tool.server === 'pentarch' ? tool.name : `${tool.server}__${tool.name}`);

/** Without tools that a model could not tell from an earlier one (a server may choose its names so). */
export const withDistinctNames = (tools: readonly AgentTool[]): readonly AgentTool[] => {
  const names = new Set<string>();
  return tools.filter((tool) => {
    const name = modelToolName(tool);
    if (names.has(name)) return false;
    names.add(name);
    return true;
  });
};

interface KnownSpec {
  server: string;
  name: string;
  spec: ToolSpec;
}

/** By schema: sources may make their tools anew for each run, but keep the schemas. */
const specs = new WeakMap<object, KnownSpec>();

/** How the model is told of one tool: the same object as long as the tool is the same. */
export const specOf = (tool: AgentTool): ToolSpec => {
  const { server, name, description, inputSchema } = tool;
  const known = specs.get(inputSchema);
  if (known?.server === server && known.name === name && known.spec.description === description)
    return known.spec;
  const spec = { name: modelToolName(tool), description, inputSchema: shortSchema(inputSchema) };
  specs.set(inputSchema, { server, name, spec });
  return spec;
};

const MAX_LISTS = 64;
/** The lists in use, the newest last: one for each agent and set of permissions. */
let lists: (readonly ToolSpec[])[] = [];

const sameList = (tools: readonly AgentTool[]): readonly ToolSpec[] => {
  const list = tools.map(specOf);
  const known = lists.find(
    (other) => other.length === list.length && other.every((spec, i) => spec === list[i]),
  );
  if (known !== undefined) return known;
  lists = [...lists.slice(1 - MAX_LISTS), list];
  return list;
};

const listed = new WeakMap<readonly AgentTool[], readonly ToolSpec[]>();

/**
 * How the model is told of tools. The same tools give the same objects and the same list, run after run, so that what
 * is measured and written of them (more than the conversation, mostly) can be kept by them.
 */
export const toolSpecs = (tools: readonly AgentTool[]): readonly ToolSpec[] => {
  let list = listed.get(tools);
  if (list === undefined) {
    list = sameList(tools);
    listed.set(tools, list);
  }
  return list;
};

const MAX_NAMES = 10_000;
const allowed = new WeakMap<readonly string[], Map<string, boolean>>();

/** May the agent that names its tools by these globs use the tool? Answers are kept, since each run asks for all. */
export const mayUse = (globs: readonly string[], tool: AgentTool): boolean => {
  let known = allowed.get(globs);
  if (known === undefined) {
    known = new Map();
    allowed.set(globs, known);
  }
  const name = `${tool.server}.${tool.name}`;
  let may = known.get(name);
  if (may === undefined) {
    if (known.size >= MAX_NAMES) known.clear();
    may = globs.some((glob) => globMatches(glob, name));
    known.set(name, may);
  }
  return may;
};

type ParsedArguments = { ok: true; value: Record<string, unknown> } | { ok: false; reason: string };

/** Arguments as the model wrote them: empty text counts as none; anything but one object is told back to the model. */
export const parseArguments = (text: string): ParsedArguments => {
  if (text.trim() === '') return { ok: true, value: {} };
  try {
    const value: unknown = storableDeep(JSON.parse(text));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { ok: true, value: value as Record<string, unknown> };
    }
    return { ok: false, reason: 'the arguments must be one JSON object' };
  } catch {
    return { ok: false, reason: 'the arguments are not valid JSON; send one JSON object' };
  }
};
