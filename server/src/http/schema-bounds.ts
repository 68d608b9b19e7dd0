import { type Dialect, dialectOf } from './foreign-schema.ts';
import { linearPattern } from './linear-pattern.ts';

/**
 * What keeps a schema from being checked wholly and in short time, found before it is compiled or anything is spent.
 * For answers, which must not pass unchecked; schemas of tools are not held to it.
 */
export interface UncheckedKeyword {
  keyword: string;
  at: string;
  advice: string;
}

/** A subschema counts one, a definition that is referred to four: what they take to compile. */
const MAX_COMPILE_COST = 300;
const REFERENCE_COST = 3;
/** Ways through references and alternatives that one value may have to be tried in. */
const MAX_PATHS = 1_000;

/** Instructions of all expressions together. */
const MAX_PATTERN_COST = 5_000;
/** A class of Unicode is one instruction, and takes as long to prepare as many. */
const UNICODE_CLASS_COST = 200;

/** Held against the same value. */
const IN_PLACE = {
  one: ['not', 'if', 'then', 'else'],
  many: ['allOf', 'anyOf', 'oneOf', 'dependentSchemas', 'dependencies'],
} as const;
/** Held against parts of the value. */
const OF_PARTS = {
  one: [
    'additionalProperties',
    'items',
    'additionalItems',
    'contains',
    'propertyNames',
    'unevaluatedItems',
    'unevaluatedProperties',
  ],
  many: ['properties', 'patternProperties', 'prefixItems', 'items'],
} as const;
const SINCE_2019 = [
  'minContains',
  'maxContains',
  'dependentRequired',
  'dependentSchemas',
  'unevaluatedItems',
  'unevaluatedProperties',
];
/** Words of other drafts, which would be read as if they were not there. */
const NOT_IN: Record<Dialect, readonly string[]> = {
  '04': ['prefixItems', ...SINCE_2019],
  '07': ['prefixItems', ...SINCE_2019],
  '2019': ['prefixItems'],
  '2020': [],
};
const NOT_FOLLOWED = ['$dynamicRef', '$recursiveRef'];

type Schema = Record<string, unknown>;
interface Edge {
  keyword: string;
  to: Schema;
  at: string;
  inPlace: boolean;
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Thrown out of the walk, which is recursive. */
class Unchecked extends Error {
  readonly found: UncheckedKeyword;
  constructor(keyword: string, at: string, advice: string) {
    super(advice);
    this.found = { keyword, at: at === '' ? '/' : at, advice };
  }
}

const pointerPart = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

const anchored = (root: Schema, name: string): unknown => {
  const rest: unknown[] = [root];
  for (let at = rest.pop(); at !== undefined; at = rest.pop()) {
    if (typeof at !== 'object' || at === null) continue;
    if (isSchema(at) && at.$anchor === name) return at;
    rest.push(...Object.values(at));
  }
  return undefined;
};

const referred = (root: Schema, ref: unknown): unknown => {
  if (typeof ref !== 'string') return undefined;
  const own = typeof root.$id === 'string' ? root.$id.replace(/#$/, '') : '';
  const local = ref.startsWith(`${own}#`) ? ref.slice(own.length) : ref;
  if (local === '#') return root;
  if (!local.startsWith('#')) return undefined;
  if (!local.startsWith('#/')) return anchored(root, local.slice(1));
  let at: unknown = root;
  for (const part of local.slice(2).split('/')) {
    let key: string;
    try {
      key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    } catch {
      return undefined;
    }
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Schema)[key];
  }
  return at;
};

const edgesOf = (schema: Schema, at: string): Edge[] => {
  const edges: Edge[] = [];
  for (const [kind, inPlace] of [
    [IN_PLACE, true],
    [OF_PARTS, false],
  ] as const) {
    for (const keyword of kind.one) {
      const to = schema[keyword];
      if (isSchema(to)) edges.push({ keyword, to, at: `${at}/${keyword}`, inPlace });
    }
    for (const keyword of kind.many) {
      const all = schema[keyword];
      // A single schema under `items` is one of the above.
      if (typeof all !== 'object' || all === null || (keyword === 'items' && !Array.isArray(all))) continue;
      for (const [key, to] of Object.entries(all)) {
        if (isSchema(to)) edges.push({ keyword, to, at: `${at}/${keyword}/${pointerPart(key)}`, inPlace });
      }
    }
  }
  return edges;
};

/** What an expression costs to prepare. */
const patternCost = (keyword: string, pattern: string, at: string): number => {
  const read = linearPattern(pattern);
  if (!read.ok) throw new Unchecked(keyword, at, read.advice);
  return read.compiled.programSize() + (pattern.split('\\p').length - 1) * UNICODE_CLASS_COST;
};

const patternsOf = (schema: Schema): [string, string][] => [
  ...(typeof schema.pattern === 'string' ? [['pattern', schema.pattern] as [string, string]] : []),
  ...Object.keys(isSchema(schema.patternProperties) ? schema.patternProperties : {}).map(
    (pattern): [string, string] => ['patternProperties', pattern],
  ),
];

const checkOwnKeywords = (schema: Schema, at: string, isRoot: boolean, dialect: Dialect): void => {
  const strange = NOT_IN[dialect].find((keyword) => schema[keyword] !== undefined);
  if (strange !== undefined)
    throw new Unchecked(strange, at, 'is no keyword of the draft that $schema names: leave $schema out');
  if (dialect === '2020' && schema.prefixItems !== undefined && schema.additionalItems !== undefined)
    throw new Unchecked('additionalItems', at, 'says nothing beside prefixItems: use items');
  for (const keyword of NOT_FOLLOWED) {
    if (schema[keyword] !== undefined) throw new Unchecked(keyword, at, 'is not followed: use $ref');
  }
  for (const keyword of ['$id', 'id']) {
    if (!isRoot && typeof schema[keyword] === 'string')
      throw new Unchecked(keyword, at, 'is taken at the top alone: leave it out and refer by #/$defs/…');
  }
};

/** What of this schema cannot be checked; null where all of it can. The schema is not nested deeply. */
export const uncheckedKeyword = (root: Schema): UncheckedKeyword | null => {
  const dialect = dialectOf(root);
  const paths = new Map<Schema, number>();
  const open = new Set<Schema>();
  const later: { schema: Schema; at: string }[] = [{ schema: root, at: '' }];
  const targets = new Set<Schema>();
  let cost = 0;
  let patterns = 0;

  const reference = (schema: Schema, at: string): Edge[] => {
    if (schema.$ref === undefined) return [];
    const to = referred(root, schema.$ref);
    if (typeof to === 'boolean') return [];
    if (!isSchema(to))
      throw new Unchecked('$ref', at, 'must lead to a schema within this one, like #/$defs/name');
    if (!targets.has(to)) cost += REFERENCE_COST;
    targets.add(to);
    return [{ keyword: '$ref', to, at: `${at}/$ref`, inPlace: true }];
  };

  const visit = (schema: Schema, at: string): number => {
    const known = paths.get(schema);
    if (known !== undefined) return known;
    open.add(schema);
    cost += 1;
    if (cost > MAX_COMPILE_COST)
      throw new Unchecked('the schema', at, 'has too many parts to be checked in time: ask for less at once');
    checkOwnKeywords(schema, at, schema === root, dialect);
    for (const [keyword, pattern] of patternsOf(schema)) {
      patterns += patternCost(keyword, pattern, at);
      if (patterns > MAX_PATTERN_COST)
        throw new Unchecked(keyword, at, 'is one expression too many, or too large: use shorter repeats');
    }
    let ways = 1;
    for (const edge of [...reference(schema, at), ...edgesOf(schema, at)]) {
      if (!edge.inPlace) {
        later.push({ schema: edge.to, at: edge.at });
        continue;
      }
      if (open.has(edge.to))
        throw new Unchecked(
          edge.keyword,
          at,
          'refers to itself without end: refer from within properties or items',
        );
      ways += visit(edge.to, edge.at);
      if (ways > MAX_PATHS)
        throw new Unchecked(
          edge.keyword,
          at,
          'multiplies into too many ways to try: name fewer alternatives',
        );
    }
    open.delete(schema);
    paths.set(schema, ways);
    return ways;
  };

  try {
    for (let next = later.pop(); next !== undefined; next = later.pop()) visit(next.schema, next.at);
    return null;
  } catch (error) {
    if (error instanceof Unchecked) return error.found;
    throw error;
  }
};
