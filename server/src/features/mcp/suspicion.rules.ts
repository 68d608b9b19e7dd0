import { bounded, PIECE, pieces } from '../../kernel/bounded.ts';

/**
 * Signs that a tool's text is meant for the model instead of the reader, and names made to be taken for another. A sign
 * holds a tool back until a person has looked; the wall behind it is permissions and gates.
 */

const SIGNS: readonly RegExp[] = [
  /\b(ignore|disregard|forget|override)\b.{0,40}\b(previous|prior|above|earlier|system|all)\b.{0,30}\b(instructions?|prompts?|rules|messages?)\b/is,
  /<\s*(?:\/\s*)?(important|system|instructions?|secret|admin)\s*>/i,
  /\b(do not|don't|never)\b.{0,30}\b(tell|mention|inform|reveal|show)\b.{0,30}\b(the )?(user|human|operator)\b/is,
  bounded(
    PIECE,
    /\b(before|after|instead of|whenever)\b.{0,60}\b(using|calling|this tool|any tool|other tools?)\b.{0,80}\b(you must|must first|always|first)\b.{0,60}\b(call|read|send|invoke|run|use)\b/is,
  ),
  bounded(
    PIECE,
    /\byou must\b.{0,40}\b(call|invoke|send|read|include|pass)\b.{0,80}\b(tool|file|secret|password|token|key|contents?)\b/is,
  ),
  /(~\/|\/home\/|\/root\/|\/etc\/)?\.?(ssh\/id_|aws\/credentials|env\b.{0,20}\b(contents?|file)|mcp\.json)/i,
  // Zero-width and bidirectional marks, and the tag block: text that a reader does not see.
  /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\ufeff]|[\u{e0000}-\u{e007f}]/u,
];

/** All texts of a tool that reach a model: descriptions of the tool and of its parameters. */
const textsOf = (value: unknown, depth = 0): string[] => {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth > 12) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...textsOf(inner, depth + 1)]);
};

export const isSuspicious = (tool: {
  name: string;
  title: string | null;
  description: string;
  inputSchema: Record<string, unknown>;
  outputSchema?: Record<string, unknown> | null | undefined;
}): boolean =>
  [
    tool.name,
    tool.title ?? '',
    tool.description,
    ...textsOf(tool.inputSchema),
    ...textsOf(tool.outputSchema),
  ].some((text) =>
    pieces(text.slice(0, 20_000)).some(({ text: piece }) => SIGNS.some((sign) => sign.test(piece))),
  );

/** Letters of other scripts, and digits, that look like Latin ones. */
const LOOKS_LIKE: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'l',
  '3': 'e',
  '5': 's',
  '|': 'l',
  i: 'l',
  а: 'a',
  е: 'e',
  о: 'o',
  р: 'p',
  с: 'c',
  у: 'y',
  х: 'x',
  ѕ: 's',
  і: 'l',
  ј: 'j',
  ԁ: 'd',
  ո: 'n',
  ο: 'o',
  α: 'a',
  ν: 'v',
  ι: 'l',
  ρ: 'p',
};

/** Two names with one skeleton can be taken for each other. */
export const skeletonOf = (name: string): string =>
  [...name.normalize('NFKC').toLowerCase()]
    .filter((c) => /[\p{L}\p{N}|]/u.test(c))
    .map((c) => LOOKS_LIKE[c] ?? c)
    .join('')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w');

export type NameWarning = 'identical_name' | 'lookalike_name';

/** All tools that one caller sees, by name and by skeleton, so that each name is looked up instead of compared. */
export interface NameIndex {
  /** Servers that have a tool of the name. */
  servers: ReadonlyMap<string, ReadonlySet<string>>;
  /** Names that share a skeleton. */
  names: ReadonlyMap<string, ReadonlySet<string>>;
}

const addTo = (sets: Map<string, Set<string>>, key: string, value: string): void => {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([value]));
  else set.add(value);
};

/** `skeleton`: one that remembers, where the same names come again. */
export const indexNames = (
  tools: Iterable<{ server: string; name: string }>,
  skeleton: (name: string) => string = skeletonOf,
): NameIndex => {
  const servers = new Map<string, Set<string>>();
  const names = new Map<string, Set<string>>();
  for (const { server, name } of tools) {
    addTo(servers, name, server);
    addTo(names, skeleton(name), name);
  }
  return { servers, names };
};

/** What is odd about the name of a tool of `server` beside the other tools that the same caller sees. */
export const nameWarnings = (
  server: string,
  { name, doubled }: { name: string; doubled?: boolean | undefined },
  around: NameIndex,
  skeleton: (name: string) => string = skeletonOf,
): NameWarning[] => {
  const found: NameWarning[] = [];
  const holders = around.servers.get(name);
  const elsewhere = holders !== undefined && holders.size > (holders.has(server) ? 1 : 0);
  if (doubled === true || elsewhere) found.push('identical_name');
  const alike = around.names.get(skeleton(name));
  if (alike !== undefined && alike.size > (alike.has(name) ? 1 : 0)) found.push('lookalike_name');
  return found;
};
