import { Type } from 'typebox';
import type { ModelMessage } from '../../kernel/model.ts';
import { Strict } from '../../kernel/schema.ts';
import type { AgentTool } from '../../kernel/tools.ts';

/** Tools on demand: how they are described, looked for by words and meaning, and told. */

const NAME = 'find_tools';

export const isFindTools = (tool: Pick<AgentTool, 'server' | 'name'>): boolean =>
  tool.server === 'pentarch' && tool.name === NAME;

export const FIND_TOOLS_INPUT = Strict({
  query: Type.String({ minLength: 1, maxLength: 500, description: 'What shall be done, in English' }),
});

/** The tool without what it does: for the page that tells of all tools. */
export const findToolsBase: Omit<AgentTool, 'call'> = {
  server: 'pentarch',
  name: NAME,
  description:
    'Finds further tools and adds them to this run. Use it before you say that something cannot be done.',
  inputSchema: Object.fromEntries(Object.entries(FIND_TOOLS_INPUT)),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  permission: 'chat:write',
  taint: [],
};

const MAX_AREAS = 30;
const MAX_SERVERS = 20;

/** `list_tasks` and `create_task` are both about tasks; of one word, the name says what it does. */
const areaOf = (name: string): string => {
  if (name === 'delegate') return 'other agents';
  const [, ...about] = name.split('_');
  const last = about.at(-1);
  if (last === undefined || last.endsWith('s')) return last ?? name;
  return `${last}s`;
};

const bounded = (items: readonly string[], most: number): string[] =>
  items.length <= most ? [...items] : [...items.slice(0, most), `${items.length - most} more`];

/** What can be found: areas of the platform's own tools, and servers with the number of theirs. No words of their authors. */
const whatThereIs = (tools: readonly AgentTool[]): string => {
  const own = tools.filter(({ server }) => server === 'pentarch');
  const areas = [...new Set(own.map(({ name }) => areaOf(name)))];
  const servers = new Map<string, number>();
  for (const { server } of tools)
    if (server !== 'pentarch') servers.set(server, (servers.get(server) ?? 0) + 1);
  const named = [...servers].map(([name, count]) => `${name} (${count})`);
  const parts = [
    ...(areas.length === 0 ? [] : [`for ${bounded(areas, MAX_AREAS).join(', ')}`]),
    ...(named.length === 0 ? [] : [`of the servers ${bounded(named, MAX_SERVERS).join(', ')}`]),
  ];
  return parts.length === 0 ? '' : ` There are tools ${parts.join('; ')}.`;
};

/** As a model is told of it, with what there is besides. A schema of its own: what is known of a tool is kept by it. */
export const findToolsTool = (finder: AgentTool, others: readonly AgentTool[]): AgentTool => ({
  ...finder,
  description: `${findToolsBase.description}${whatThereIs(others)}`,
  inputSchema: { ...finder.inputSchema },
});

const ADDED = 'Added: ';

/** What a call of `find_tools` answers; `namesAdded` reads the names back. */
export const addedText = (names: readonly string[]): string =>
  `${ADDED}${names.join(', ')}\nThey can be called now.`;

export const namesAdded = ({ name, content }: Extract<ModelMessage, { role: 'tool' }>): string[] => {
  if (name !== NAME || !content.startsWith(ADDED)) return [];
  return (content.slice(ADDED.length).split('\n', 1)[0] ?? '').split(', ');
};

/** Tools that one call adds at most. */
export const MAX_FOUND = 5;
/** From this likeness of meaning on a tool fits without a word in common. */
const LIKE = 0.35;
/** A tool that fits less than this part of the best one is left out. */
const NEAR_BEST = 0.4;
const IN_NAME = 3;

/** Words of a text in lower case; a plain plural counts as its singular. */
const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []).map((word) =>
    word.length > 3 && word.endsWith('s') ? word.slice(0, -1) : word,
  );

/** What of a tool is looked through. */
export const textOfTool = ({ server, name, description }: AgentTool): string =>
  `${server === 'pentarch' ? '' : `${server} `}${name.replaceAll('_', ' ')}: ${description}`.slice(0, 600);

interface Fit {
  tool: AgentTool;
  score: number;
}

/** By words, 0–1: rare ones count more, those of a name more than those of a description. */
const byWords = (query: string, tools: readonly AgentTool[]): number[] => {
  const wanted = [...new Set(wordsOf(query))];
  const known = tools.map(({ server, name, description }) => ({
    name: new Set(wordsOf(`${server === 'pentarch' ? '' : server} ${name.replaceAll('_', ' ')}`)),
    text: new Set(wordsOf(description)),
  }));
  const weights = wanted.map((word) => {
    const holding = known.filter(({ name, text }) => name.has(word) || text.has(word)).length;
    return holding === 0 ? 0 : Math.log(1 + tools.length / holding);
  });
  const scores = known.map(({ name, text }) =>
    wanted.reduce((all, word, i) => {
      const hit = name.has(word) ? IN_NAME : text.has(word) ? 1 : 0;
      return all + hit * (weights[i] ?? 0);
    }, 0),
  );
  const best = Math.max(0, ...scores);
  return best === 0 ? scores : scores.map((score) => score / best);
};

const dot = (a: Float32Array, b: Float32Array): number => {
  let all = 0;
  for (let i = 0; i < a.length; i++) all += (a[i] ?? 0) * (b[i] ?? 0);
  return all;
};

/** The tools that fit best, best first; of equal ones the first. `meanings` is null where nobody could say. */
export const fittingTools = (
  query: string,
  tools: readonly AgentTool[],
  meanings: { query: Float32Array; tools: readonly Float32Array[] } | null,
): AgentTool[] => {
  const words = byWords(query, tools);
  const fits = tools
    .map((tool, i): Fit => {
      const vector = meanings?.tools[i];
      const like = meanings === null || vector === undefined ? 0 : Math.max(0, dot(meanings.query, vector));
      const lexical = words[i] ?? 0;
      return { tool, score: lexical > 0 || like >= LIKE ? lexical / 2 + like : 0 };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  const best = fits[0]?.score ?? 0;
  return fits
    .filter(({ score }) => score >= best * NEAR_BEST)
    .slice(0, MAX_FOUND)
    .map(({ tool }) => tool);
};
