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

const specs = new WeakMap<object, ToolSpec>();

/**
 * One object for each tool, run after run, so that what is measured and written of it can be kept by it. Sources may
 * make their tools anew for each run, but keep the schemas.
 */
const specOf = (tool: AgentTool): ToolSpec => {
  const name = modelToolName(tool);
  const known = specs.get(tool.inputSchema);
  if (known !== undefined && known.name === name && known.description === tool.description) return known;
  const spec = { name, description: tool.description, inputSchema: tool.inputSchema };
  specs.set(tool.inputSchema, spec);
  return spec;
};

export const toolSpecs = (tools: readonly AgentTool[]): ToolSpec[] => tools.map(specOf);

export const mayUse = (globs: readonly string[], tool: AgentTool): boolean =>
  globs.some((glob) => matchesGlob(`${tool.server}.${tool.name}`, glob));

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
