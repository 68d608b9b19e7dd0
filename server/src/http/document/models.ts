import { pascal, singularName, wordsOf } from './words.ts';

/**
 * Named components: every object of the document gets a name and stands once under `components/schemas`; what was written in
 * place refers to it. Validation and serialisation go by the routes' own schemas and know nothing of this.
 */

export type Json = Record<string, unknown>;

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const recordAt = (value: unknown, ...keys: readonly string[]): Json => {
  let at: unknown = value;
  for (const key of keys) at = isRecord(at) ? at[key] : undefined;
  return isRecord(at) ? at : {};
};

/** What a route calls its bodies, where the name of the operation says less. */
export interface ModelNames {
  request?: string;
  /** Of the first answer; of an item, for a list. */
  response?: string;
  /** Of a second form of the answer. */
  alternative?: string;
}

/** Inner objects whose field says enough without its owner. */
const SHORT_NAMES: ReadonlySet<string> = new Set([
  'Budget',
  'Citation',
  'Observation',
  'Policy',
  'ServerInfo',
  'Tally',
  'ToolCall',
  'Usage',
  'Vote',
]);

const PAGE_FIELDS = 'has_more,items,limit,next_cursor,page,total';
const JSON_TYPE = 'application/json';
const METHODS: ReadonlySet<string> = new Set(['get', 'post', 'put', 'patch', 'delete']);

const isObject = (schema: Json): boolean => Object.keys(recordAt(schema, 'properties')).length > 0;

const isPage = (schema: Json): boolean =>
  Object.keys(recordAt(schema, 'properties')).sort().join(',') === PAGE_FIELDS;

/** What an object says of itself stands beside the reference: it makes no other schema. */
const withoutText = ({ description: _, ...schema }: Json): Json => schema;
const keyOf = (schema: Json): string => JSON.stringify(withoutText(schema));

/** `listMemoryEntities` → `MemoryEntity`, `getConversation` → `Conversation`. */
const nounOf = (id: string): string => pascal(wordsOf(id).slice(1).join('_'));

interface Naming {
  /** Names a schema; the first free candidate is taken. A known schema keeps its name. */
  name(schema: Json, candidates: readonly string[]): string;
  nameOf(schema: Json): string | undefined;
  all(): ReadonlyMap<string, Json>;
}

const createNaming = (taken: ReadonlySet<string>): Naming => {
  const byKey = new Map<string, string>();
  const byName = new Map<string, Json>();
  const isFree = (name: string): boolean => !byName.has(name) && !taken.has(name);
  return {
    nameOf: (schema) => byKey.get(keyOf(schema)),
    all: () => byName,
    name(schema, candidates) {
      const key = keyOf(schema);
      const known = byKey.get(key);
      if (known !== undefined) return known;
      const last = candidates.at(-1) ?? 'Model';
      let name = candidates.find(isFree);
      for (let n = 2; name === undefined; n += 1) {
        if (isFree(`${last}${n}`)) name = `${last}${n}`;
      }
      byKey.set(key, name);
      byName.set(name, schema);
      return name;
    },
  };
};

/** Names the objects inside a schema: by their field alone where that says enough, else by owner and field. */
const nameNested = (naming: Naming, schema: Json, owner: string): void => {
  const visit = (inner: unknown, field: string): void => {
    if (!isRecord(inner)) return;
    if (isObject(inner)) {
      if (naming.nameOf(inner) !== undefined) return;
      const short = pascal(field);
      const names = SHORT_NAMES.has(short) ? [short, `${owner}${short}`] : [`${owner}${short}`];
      nameNested(naming, inner, naming.name(inner, names));
      return;
    }
    visit(inner.items, singularName(field));
    visit(inner.additionalProperties, singularName(field));
    if (Array.isArray(inner.anyOf)) for (const part of inner.anyOf) visit(part, field);
  };
  if (isObject(schema))
    for (const [field, inner] of Object.entries(recordAt(schema, 'properties'))) visit(inner, field);
  else visit(schema, '');
};

interface Root {
  schema: Json;
  names: string[];
  rank: number;
}

interface Operation {
  id: string;
  /** JSON first; forms and uploads too. */
  bodies: { schema: Json; type: string }[];
  answers: Json[];
  names: ModelNames;
  /** Of a door of others, whose names give way to our own. */
  foreign: boolean;
}

const FOREIGN_RANK = 10;

const answerRoots = ({ id, answers, names }: Operation): Root[] => {
  const verb = wordsOf(id)[0] ?? '';
  return answers.flatMap((schema, n): Root[] => {
    const item = isPage(schema)
      ? recordAt(schema, 'properties', 'items', 'items')
      : schema.type === 'array'
        ? recordAt(schema, 'items')
        : null;
    const target = item ?? schema;
    if (!isObject(target)) return [{ schema: target, names: [`${pascal(id)}Result`], rank: 4 }];
    const noun = item === null ? nounOf(id) : pascal(singularName(nounOf(id)));
    if (n > 0) return [{ schema: target, names: [names.alternative ?? `${pascal(id)}Alternative`], rank: 3 }];
    if (names.response !== undefined) return [{ schema: target, names: [names.response], rank: 0 }];
    if (item !== null) return [{ schema: target, names: [noun, `${noun}Item`], rank: 1 }];
    if (verb === 'get') return [{ schema: target, names: [noun, `${noun}Detail`], rank: 2 }];
    if (verb === 'create') return [{ schema: target, names: [noun, `Created${noun}`], rank: 3 }];
    return [{ schema: target, names: [`${pascal(id)}Result`], rank: 4 }];
  });
};

const rootsOf = (operation: Operation): Root[] => {
  const { id, bodies, names, foreign } = operation;
  const roots = answerRoots(operation);
  for (const { schema, type } of bodies) {
    const isJson = type === JSON_TYPE;
    const name = isJson ? (names.request ?? `${pascal(id)}Request`) : `${pascal(id)}Form`;
    roots.push({ schema, names: [name], rank: isJson ? 5 : 6 });
  }
  return roots.map((root) => ({ ...root, rank: root.rank + (foreign ? FOREIGN_RANK : 0) }));
};

const jsonOf = (content: unknown): Json => recordAt(content, 'content', JSON_TYPE, 'schema');
const bodiesOf = (operation: unknown): Operation['bodies'] =>
  Object.entries(recordAt(operation, 'requestBody', 'content')).flatMap(([type, media]) => {
    const schema = recordAt(media, 'schema');
    return Object.keys(schema).length > 0 ? [{ schema, type }] : [];
  });

/** So that the order in which routes are declared gives no name. */
const byName = (value: Json): [string, unknown][] =>
  Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));

/** Each operation once: the second copy under `/v2` has the schemas of the first. */
const operationsOf = (paths: unknown, names: ReadonlyMap<string, ModelNames>): Operation[] =>
  byName(recordAt(paths)).flatMap(([path, methods]) =>
    byName(recordAt(methods)).flatMap(([method, operation]) => {
      const id = recordAt(operation).operationId;
      if (!METHODS.has(method) || typeof id !== 'string' || id.endsWith('V2')) return [];
      const answers = Object.entries(recordAt(operation, 'responses'))
        .filter(([status]) => status.startsWith('2'))
        .map(([, answer]) => jsonOf(answer))
        .filter((schema) => Object.keys(schema).length > 0);
      const different = new Map(answers.map((schema) => [JSON.stringify(schema), schema]));
      return [
        {
          id,
          bodies: bodiesOf(operation),
          answers: [...different.values()],
          names: names.get(id) ?? {},
          foreign: !/^\/(api\/v1|v2)\//.test(path),
        },
      ];
    }),
  );

const reference = (name: string, schema: Json): Json => ({
  $ref: `#/components/schemas/${name}`,
  ...(schema.description === undefined ? {} : { description: schema.description }),
});

/** A copy in which every named object is a reference. */
const referring = (naming: Naming, value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((inner) => referring(naming, inner));
  if (!isRecord(value)) return value;
  const name = isObject(value) ? naming.nameOf(value) : undefined;
  return name === undefined ? fieldsReferring(naming, value) : reference(name, value);
};

const fieldsReferring = (naming: Naming, schema: Json): Json =>
  Object.fromEntries(Object.entries(schema).map(([key, inner]) => [key, referring(naming, inner)]));

/** Pages are named after their items, which by now have a name. */
const namePages = (naming: Naming, operations: readonly Operation[]): void => {
  for (const { answers } of operations)
    for (const schema of answers.filter(isPage)) {
      const item = naming.nameOf(recordAt(schema, 'properties', 'items', 'items'));
      naming.name(schema, [`${item ?? 'Item'}Page`]);
    }
};

export interface Named {
  /** With references in place of objects. */
  paths: Json;
  /** The schemas by name, with references inside. */
  schemas: Record<string, Json>;
  /** The same without references. */
  whole: ReadonlyMap<string, Json>;
}

/** Gives names to the objects of all bodies and answers. `taken`: names that the document has already. */
export const nameModels = (
  paths: Json,
  names: ReadonlyMap<string, ModelNames>,
  taken: ReadonlySet<string>,
): Named => {
  const naming = createNaming(taken);
  const operations = operationsOf(paths, names);
  const roots = operations.flatMap(rootsOf).sort((a, b) => a.rank - b.rank);
  const objects = roots.filter(({ schema }) => isObject(schema));
  const named = objects.map(({ schema, names: words }) => ({ schema, name: naming.name(schema, words) }));
  for (const { schema, name } of named) nameNested(naming, schema, name);
  for (const { schema, names: words } of roots)
    if (!isObject(schema)) nameNested(naming, schema, words[0] ?? '');
  namePages(naming, operations);
  const schemas = [...naming.all()].map(
    ([name, schema]) => [name, fieldsReferring(naming, withoutText(schema))] as const,
  );
  return {
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, methods]) => [path, referring(naming, methods)]),
    ),
    schemas: Object.fromEntries(schemas),
    whole: naming.all(),
  };
};
