import { injectionSigns, textsIn } from '../../kernel/text-signs.ts';

/**
 * Whether a tool's text is meant for the model instead of the reader, and names made to be taken for another. A sign
 * holds a tool back until a person has looked; permissions and gates stand behind it.
 */

const MAX_CHARACTERS = 20_000;

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
    ...textsIn(tool.inputSchema),
    ...textsIn(tool.outputSchema),
  ].some((text) => injectionSigns(text.slice(0, MAX_CHARACTERS), 'tool').length > 0);

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
