import type { ToolSpec } from './port.ts';
import { MAX_REQUEST, type PickContext, RULES } from './request-table.ts';

/**
 * Pure: the tool that a message asks for by one of the written rules. Only tools that are offered count, and where no
 * rule fits, none is picked: the built-in model does not guess.
 */

export type Pick =
  | { tool: string; args: Record<string, unknown>; weak: boolean }
  /** A rule fits, but something is missing: what to ask for. */
  | { ask: string };

/** `scan this text: …` may carry a long one. */
const MAX_SCAN_UNITS = 50_000;

const propertiesOf = (tool: ToolSpec): ReadonlySet<string> => {
  const { properties } = tool.inputSchema;
  return new Set(typeof properties === 'object' && properties !== null ? Object.keys(properties) : []);
};

const OPENING = /^(?:(?:hey|hi|hello|ok|okay|please|bitte|zeus|pentarch)\b[,!. ]*)+/i;
const COURTESY =
  /^(?:(?:can|could|would|will) you (?:please )?|i(?:'d| would) like (?:you )?to |i want (?:you )?to |let's )/i;

export const pickTool = (message: string, tools: readonly ToolSpec[], context: PickContext): Pick | null => {
  if (tools.length === 0) return null;
  const text = message.trim().replace(OPENING, '').replace(COURTESY, '').trim();
  const long = text.length > MAX_REQUEST;
  if (text === '' || text.length > MAX_SCAN_UNITS) return null;
  const offered = new Map(tools.map((tool) => [tool.name, tool]));
  for (const rule of RULES) {
    if (long && rule.long !== true) continue;
    const tool = offered.get(rule.tool);
    if (tool === undefined) continue;
    const match = rule.of.exec(rule.long === true ? text.slice(0, 200) : text);
    if (match === null) continue;
    const found = rule.args(match, text, context);
    if (found === null) continue;
    if (typeof found === 'string') return { ask: found };
    const known = propertiesOf(tool);
    // A tool of another release may lack a field: what it does not know is left out.
    const args = Object.fromEntries(
      Object.entries(found).filter(
        ([name, value]) => value !== undefined && (known.size === 0 || known.has(name)),
      ),
    );
    return { tool: rule.tool, args, weak: rule.weak === true };
  }
  return null;
};

const ZONE = /\btime ?zone (?:is |= ?|: ?)?([A-Z][A-Za-z]{1,30}(?:\/[A-Z][A-Za-z_+-]{1,30}){1,2}|UTC)\b/;
const NOW = /\bIt is (\d{4}-\d{2}-\d{2}T[\d:.]+Z)\./;

/** What the system prompt says of the present time and the person's zone. */
export const contextOf = (systemPrompt: string, now: number): PickContext => {
  const said = NOW.exec(systemPrompt)?.[1];
  const at = said === undefined ? Number.NaN : Date.parse(said);
  return { now: Number.isNaN(at) ? now : at, zone: ZONE.exec(systemPrompt)?.[1] ?? 'UTC' };
};
