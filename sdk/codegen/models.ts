import { isRecord, recordAt } from '../../server/src/http/document/models.ts';
import { pascal } from '../../server/src/http/document/words.ts';
import { readOperations, resolved } from './document.ts';
import type { Operation, Schema } from './operation.ts';

/** The components of the document as types, ready to be written in any language. */

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

/** A component that is no object with fields of its own, such as one of several. */
export interface Alias {
  readonly name: string;
  readonly type: Type;
}

export interface Api {
  readonly models: readonly Model[];
  /** Names of models that answers hold; the others are what is sent. No model is both. */
  readonly answered: ReadonlySet<string>;
  /** Components that no operation of the clients reaches: those of other doors, errors, pages. */
  readonly others: readonly Model[];
  readonly aliases: readonly Alias[];
  /** By resource, in the order of the document. */
  readonly resources: ReadonlyMap<string, readonly Method[]>;
}

const PAGE_FIELDS = 'has_more,items,limit,next_cursor,page,total';

const isPage = (schema: Schema): boolean =>
  Object.keys(recordAt(schema, 'properties')).sort().join(',') === PAGE_FIELDS;

/** The components that the clients have as models: those that an operation of theirs reaches. */
interface Reading {
  readonly document: unknown;
  readonly reached: Map<string, Schema>;
}

const nameOf = (schema: Schema): string | undefined => {
  const { $ref: ref } = schema;
  return typeof ref === 'string' ? ref.slice(ref.lastIndexOf('/') + 1) : undefined;
};

const itemsOf = (reading: Reading, schema: Schema): unknown => {
  const whole = resolved(reading.document, schema);
  if (isPage(whole)) return recordAt(whole, 'properties', 'items').items;
  return whole.type === 'array' ? whole.items : null;
};

const refTo = (reading: Reading, name: string, schema: Schema): Type => {
  const whole = resolved(reading.document, schema);
  if (!reading.reached.has(name)) {
    reading.reached.set(name, whole);
    for (const inner of Object.values(recordAt(whole, 'properties'))) typeOf(reading, inner);
  }
  return { kind: 'ref', name };
};

const typeOf = (reading: Reading, value: unknown): Type => {
  if (!isRecord(value)) return { kind: 'unknown' };
  const name = nameOf(value);
  if (name !== undefined) return refTo(reading, name, value);
  if (Array.isArray(value.anyOf)) {
    const parts: Type[] = value.anyOf.map((part) => typeOf(reading, part));
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
      return { kind: 'array', of: typeOf(reading, value.items) };
    case 'object':
      return { kind: 'map', of: typeOf(reading, value.additionalProperties) };
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

const modelOf = (reading: Reading, name: string, schema: Schema): Model => {
  const required: unknown = schema.required;
  const needed = new Set(Array.isArray(required) ? required : []);
  const fields = Object.entries(recordAt(schema, 'properties')).map(([field, inner]) => ({
    name: field,
    type: typeOf(reading, inner),
    required: needed.has(field),
    description: describe(inner),
  }));
  return { name, fields };
};

const queryOf = (reading: Reading, { id, query }: Operation): Model | null => {
  if (query.length === 0) return null;
  const fields = query.map(({ name, schema, required, description }) => ({
    name,
    type: typeOf(reading, schema),
    required,
    description: description === '' ? describe(schema) : description,
  }));
  return { name: `${pascal(id)}Query`, fields };
};

const responseOf = (reading: Reading, { responses }: Operation, paged: boolean): Type | null => {
  // Of a page the clients have the items; the envelope is theirs.
  if (paged) return null;
  const types = responses.map((schema) => typeOf(reading, schema));
  const different = [...new Map(types.map((type) => [JSON.stringify(type), type])).values()];
  const [first] = different;
  if (first === undefined) return null;
  return different.length === 1 ? first : { kind: 'union', of: different };
};

const pagingOf = (reading: Reading, { responses, query }: Operation): Paging | null => {
  const [schema] = responses;
  if (schema === undefined || !query.some(({ name }) => name === 'cursor' || name === 'page')) return null;
  const item = itemsOf(reading, schema);
  if (item === null) return null;
  return { item: typeOf(reading, item), bare: schema.type === 'array' };
};

/** A body written in choices.ts is a model too. */
const bodyOf = (reading: Reading, { id, body }: Operation): Type | null => {
  if (body === null) return null;
  if (nameOf(body) === undefined && Object.keys(recordAt(body, 'properties')).length > 0)
    return refTo(reading, `${pascal(id)}Request`, body);
  return typeOf(reading, body);
};

const methodOf = (reading: Reading, operation: Operation): Omit<Method, 'bodyModel'> => {
  const paging = pagingOf(reading, operation);
  return {
    operation,
    query: queryOf(reading, operation),
    body: bodyOf(reading, operation),
    response: responseOf(reading, operation, paging !== null),
    paging,
  };
};

/** Adds the names of the models that a type holds, through any number of others. */
const addReached = (models: ReadonlyMap<string, Model>, type: Type | null, names: Set<string>): void => {
  switch (type?.kind) {
    case 'ref':
      if (names.has(type.name)) return;
      names.add(type.name);
      for (const field of models.get(type.name)?.fields ?? []) addReached(models, field.type, names);
      return;
    case 'array':
    case 'map':
    case 'nullable':
      return addReached(models, type.of, names);
    case 'union':
      for (const part of type.of) addReached(models, part, names);
  }
};

/** What is sent is named so; everything else of the document is answered. */
const SENT = /(Request|Form)$|Request[A-Z]/;

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);

/** The components of the document that no operation of the clients reaches. */
const othersOf = (reading: Reading): { others: Model[]; aliases: Alias[] } => {
  const known = new Set(reading.reached.keys());
  const others: Model[] = [];
  const aliases: Alias[] = [];
  for (const [name, schema] of Object.entries(recordAt(reading.document, 'components', 'schemas'))) {
    if (known.has(name)) continue;
    const whole = recordAt(schema);
    if (whole.properties === undefined) aliases.push({ name, type: typeOf(reading, whole) });
    else others.push(modelOf(reading, name, whole));
  }
  return { others: others.sort(byName), aliases: aliases.sort(byName) };
};

export const buildApi = (document: unknown): Api => {
  const reading: Reading = { document, reached: new Map() };
  const methods = readOperations(document).map((operation) => methodOf(reading, operation));
  const models = [...reading.reached].map(([name, schema]) => modelOf(reading, name, schema));
  const named = new Map(models.map((model) => [model.name, model]));
  const answered = new Set<string>();
  for (const { response, paging } of methods) {
    addReached(named, response, answered);
    addReached(named, paging?.item ?? null, answered);
  }
  const { others, aliases } = othersOf(reading);
  for (const { name } of others) if (!SENT.test(name)) answered.add(name);
  const resources = new Map<string, Method[]>();
  for (const found of methods) {
    const { body, operation } = found;
    const method = { ...found, bodyModel: body?.kind === 'ref' ? (named.get(body.name) ?? null) : null };
    const list = resources.get(operation.resource);
    if (list === undefined) resources.set(operation.resource, [method]);
    else list.push(method);
  }
  models.sort(byName);
  return { models, answered, others, aliases, resources };
};
