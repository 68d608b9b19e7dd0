import type { ToolSpec } from '../../kernel/model.ts';
import type { AgentTool } from '../../kernel/tools.ts';

/** `pentarch.search_documents` against `pentarch.*`, `*` and the like. */
export const matchesGlob = (name: string, glob: string): boolean => {
  if (glob === '*') return true;
  const parts = glob.split('*');
  if (parts.length === 1) return name === glob;
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  return name.length >= first.length + last.length && name.startsWith(first) && name.endsWith(last);
};

/** The one spelling that every provider takes: letters, digits, `_`, `-`, at most 64. */
export const modelToolName = (tool: Pick<AgentTool, 'server' | 'name'>): string =>
  (tool.server === 'pentarch' ? tool.name : `${tool.server}__${tool.name}`)
    .replaceAll(/[^a-zA-Z0-9_-]/g, '_')
    .slice(0, 64);

interface KnownSpec {
  server: string;
  name: string;
  spec: ToolSpec;
}

/** By schema: sources may make their tools anew for each run, but keep the schemas. */
const specs = new WeakMap<object, KnownSpec>();

const specOf = (tool: AgentTool): ToolSpec => {
  const { server, name, description, inputSchema } = tool;
  const known = specs.get(inputSchema);
  if (known?.server === server && known.name === name && known.spec.description === description)
    return known.spec;
  const spec = { name: modelToolName(tool), description, inputSchema };
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
    may = globs.some((glob) => matchesGlob(name, glob));
    known.set(name, may);
  }
  return may;
};

export type ParsedArguments = { ok: true; value: Record<string, unknown> } | { ok: false; reason: string };

/** Arguments as the model wrote them: empty text counts as none; anything but one object is told back to the model. */
export const parseArguments = (text: string): ParsedArguments => {
  if (text.trim() === '') return { ok: true, value: {} };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { ok: true, value: value as Record<string, unknown> };
    }
    return { ok: false, reason: 'the arguments must be one JSON object' };
  } catch {
    return { ok: false, reason: 'the arguments are not valid JSON; send one JSON object' };
  }
};
