import { MODEL_NAMES, SHORT_NAMES } from './choices.ts';
import { isRecord, recordAt } from './document.ts';
import type { Operation, Schema } from './operation.ts';
import { pascal, singularName, wordsOf } from './words.ts';

/** The types of the document with names, each structure once, ready to be written in any language. */

export type Type =
  | { kind: 'string'; values: readonly string[] }
  | { kind: 'integer' | 'number' | 'boolean' | 'null' | 'unknown' }
  | { kind: 'array' | 'map' | 'nullable'; of: Type }
  | { kind: 'ref'; name: string }
  | { kind: 'union'; of: readonly Type[] };

export interface Field {
  readonly name: string;
  readonly type: Type;
  readonly required: boolean;
  readonly description: string;
}

export interface Model {
  readonly name: string;
  readonly fields: readonly Field[];
}

/** How a list goes on: by `next_cursor` in the body, or by the cursor in `Link: rel="next"` of a bare array. */
export interface Paging {
  readonly item: Type;
  readonly bare: boolean;
}

export interface Method {
  readonly operation: Operation;
  readonly query: Model | null;
  readonly body: Type | null;
  /** Name of the body's model where it is an object. */
  readonly bodyModel: Model | null;
  readonly response: Type | null;
  readonly paging: Paging | null;
}

export interface Api {
  readonly models: readonly Model[];
  /** By resource, in the order of the document. */
  readonly resources: ReadonlyMap<string, readonly Method[]>;
}

const PAGE_FIELDS = 'has_more,items,limit,next_cursor,page,total';

const isObject = (schema: Schema): boolean => Object.keys(recordAt(schema, 'properties')).length > 0;

/** What makes two schemas the same type: texts and bounds do not count. */
const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (!isRecord(value)) return value;
  const { type, enum: values, anyOf, items, properties, required, additionalProperties, format } = value;
  return {
    type,
    values,
    anyOf: shapeOf(anyOf),
    items: shapeOf(items),
    required: Array.isArray(required) ? [...required].sort() : undefined,
    more: isObject(value) ? undefined : shapeOf(additionalProperties),
    format: format === 'uuid' ? undefined : format,
    properties: isRecord(properties)
      ? Object.fromEntries(
          Object.keys(properties)
            .sort()
            .map((key) => [key, shapeOf(properties[key])]),
        )
      : undefined,
  };
};

const keyOf = (schema: Schema): string => JSON.stringify(shapeOf(schema));

/** `listMemoryEntities` → `MemoryEntity`, `getConversation` → `Conversation`. */
const nounOf = (id: string): string => pascal(wordsOf(id).slice(1).join('_'));

const pageItem = (schema: Schema): Schema | null => {
  const properties = recordAt(schema, 'properties');
  if (Object.keys(properties).sort().join(',') !== PAGE_FIELDS) return null;
  return recordAt(properties, 'items', 'items');
};

interface Naming {
  /** Names a structure; the first free candidate is taken. A known structure keeps its name. */
  name(schema: Schema, candidates: readonly string[]): string;
  nameOf(schema: Schema): string | undefined;
  all(): ReadonlyMap<string, Schema>;
}

const createNaming = (): Naming => {
  const byKey = new Map<string, string>();
  const byName = new Map<string, Schema>();
  return {
    nameOf: (schema) => byKey.get(keyOf(schema)),
    all: () => byName,
    name(schema, candidates) {
      const key = keyOf(schema);
      const known = byKey.get(key);
      if (known !== undefined) return known;
      const last = candidates.at(-1) ?? 'Model';
      let name = candidates.find((candidate) => !byName.has(candidate));
      for (let n = 2; name === undefined; n += 1) {
        if (!byName.has(`${last}${n}`)) name = `${last}${n}`;
      }
      byKey.set(key, name);
      byName.set(name, schema);
      return name;
    },
  };
};

/** Names the objects inside a schema: by their field alone where that says enough, else by owner and field. */
const nameNested = (naming: Naming, schema: Schema, owner: string): void => {
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
  for (const [field, inner] of Object.entries(recordAt(schema, 'properties'))) visit(inner, field);
};

const rootsOf = (operations: readonly Operation[]): { schema: Schema; names: string[]; rank: number }[] => {
  const roots: { schema: Schema; names: string[]; rank: number }[] = [];
  for (const { id, body, responses } of operations) {
    const verb = wordsOf(id)[0] ?? '';
    const chosen = MODEL_NAMES[`${id}.response`];
    for (const [n, schema] of responses.entries()) {
      const item = pageItem(schema) ?? (schema.type === 'array' ? recordAt(schema, 'items') : null);
      const target = item ?? schema;
      if (!isObject(target)) continue;
      const noun = item === null ? nounOf(id) : pascal(singularName(nounOf(id)));
      if (n > 0)
        roots.push({
          schema: target,
          names: [MODEL_NAMES[`${id}.alternative`] ?? `${pascal(id)}Alternative`],
          rank: 3,
        });
      else if (chosen !== undefined) roots.push({ schema: target, names: [chosen], rank: 0 });
      else if (item !== null) roots.push({ schema: target, names: [noun, `${noun}Item`], rank: 1 });
      else if (verb === 'get') roots.push({ schema: target, names: [noun, `${noun}Detail`], rank: 2 });
      else if (verb === 'create') roots.push({ schema: target, names: [noun, `Created${noun}`], rank: 3 });
      else roots.push({ schema: target, names: [`${pascal(id)}Result`], rank: 4 });
    }
    if (body !== null && isObject(body)) {
      roots.push({ schema: body, names: [MODEL_NAMES[`${id}.request`] ?? `${pascal(id)}Request`], rank: 5 });
    }
  }
  return roots.sort((a, b) => a.rank - b.rank);
};

const typeOf = (naming: Naming, value: unknown): Type => {
  if (!isRecord(value)) return { kind: 'unknown' };
  if (Array.isArray(value.anyOf)) {
    const parts: Type[] = value.anyOf.map((part) => typeOf(naming, part));
    const rest = parts.filter((part) => part.kind !== 'null');
    const [only] = rest;
    const inner: Type = rest.length === 1 && only !== undefined ? only : { kind: 'union', of: rest };
    return rest.length < parts.length ? { kind: 'nullable', of: inner } : inner;
  }
  switch (value.type) {
    case 'string': {
      const values: unknown = value.enum;
      return { kind: 'string', values: Array.isArray(values) ? values.map(String) : [] };
    }
    case 'integer':
    case 'number':
    case 'boolean':
    case 'null':
      return { kind: value.type };
    case 'array':
      return { kind: 'array', of: typeOf(naming, value.items) };
    case 'object': {
      const name = isObject(value) ? naming.nameOf(value) : undefined;
      if (name !== undefined) return { kind: 'ref', name };
      return { kind: 'map', of: typeOf(naming, value.additionalProperties) };
    }
    default:
      return { kind: 'unknown' };
  }
};

const describe = (schema: unknown): string => {
  const text = recordAt(schema).description;
  if (typeof text === 'string') return text;
  const parts: unknown = recordAt(schema).anyOf;
  return Array.isArray(parts) ? (parts.map(describe).find((part) => part !== '') ?? '') : '';
};

const modelOf = (naming: Naming, name: string, schema: Schema): Model => {
  const required: unknown = schema.required;
  const needed = new Set(Array.isArray(required) ? required : []);
  const fields = Object.entries(recordAt(schema, 'properties')).map(([field, inner]) => ({
    name: field,
    type: typeOf(naming, inner),
    required: needed.has(field),
    description: describe(inner),
  }));
  return { name, fields };
};

const queryOf = (naming: Naming, { id, query }: Operation): Model | null => {
  if (query.length === 0) return null;
  const fields = query.map(({ name, schema, required, description }) => ({
    name,
    type: typeOf(naming, schema),
    required,
    description: description === '' ? describe(schema) : description,
  }));
  return { name: `${pascal(id)}Query`, fields };
};

const responseOf = (naming: Naming, { responses }: Operation): Type | null => {
  const types = responses.map((schema) => typeOf(naming, schema));
  const different = [...new Map(types.map((type) => [JSON.stringify(type), type])).values()];
  const [first] = different;
  if (first === undefined) return null;
  return different.length === 1 ? first : { kind: 'union', of: different };
};

const pagingOf = (naming: Naming, { responses, query }: Operation): Paging | null => {
  const [schema] = responses;
  if (schema === undefined || !query.some(({ name }) => name === 'cursor' || name === 'page')) return null;
  const item = pageItem(schema);
  if (item !== null) return { item: typeOf(naming, item), bare: false };
  return schema.type === 'array' ? { item: typeOf(naming, schema.items), bare: true } : null;
};

export const buildApi = (operations: readonly Operation[]): Api => {
  const naming = createNaming();
  const roots = rootsOf(operations);
  const named = roots.map(({ schema, names }) => ({ schema, name: naming.name(schema, names) }));
  for (const { schema, name } of named) nameNested(naming, schema, name);
  const models = [...naming.all()].map(([name, schema]) => modelOf(naming, name, schema));
  const byName = new Map(models.map((model) => [model.name, model]));
  const resources = new Map<string, Method[]>();
  for (const operation of operations) {
    const body = operation.body === null ? null : typeOf(naming, operation.body);
    const method: Method = {
      operation,
      query: queryOf(naming, operation),
      body,
      bodyModel: body?.kind === 'ref' ? (byName.get(body.name) ?? null) : null,
      response: responseOf(naming, operation),
      paging: pagingOf(naming, operation),
    };
    const list = resources.get(operation.resource);
    if (list === undefined) resources.set(operation.resource, [method]);
    else list.push(method);
  }
  models.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { models, resources };
};
