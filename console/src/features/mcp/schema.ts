/** A form out of a JSON Schema: what a tool says of its arguments, as fields; what no field can say is edited as JSON. */

type Json = Readonly<Record<string, unknown>>;

interface Common {
  title: string;
  description: string;
}
export type Field = Common &
  (
    | { kind: 'text'; long: boolean }
    | { kind: 'number'; whole: boolean; min: number | undefined; max: number | undefined }
    | { kind: 'boolean' }
    | { kind: 'choice'; options: readonly (string | number | boolean)[] }
    | { kind: 'list'; item: Field; initial: unknown }
    | { kind: 'object'; properties: readonly Property[] }
    | { kind: 'json' }
  );
export interface Property {
  name: string;
  required: boolean;
  initial: unknown;
  field: Field;
}

const MAX_DEPTH = 5;
const LONG_NAMES = /content|text|body|query|prompt|message|description|code/i;

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** Follows `#/…` within the schema; anything else stays unknown. */
const resolve = (schema: Json, root: Json): Json => {
  let current = schema;
  for (let hops = 0; hops < 10 && typeof current.$ref === 'string'; hops++) {
    const path = current.$ref.match(/^#\/(.+)$/)?.[1]?.split('/') ?? [];
    let target: unknown = path.length === 0 ? undefined : root;
    for (const step of path) {
      const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
      target = isRecord(target) && Object.hasOwn(target, key) ? target[key] : undefined;
    }
    if (!isRecord(target)) return {};
    const { $ref: _, ...beside } = current;
    current = { ...target, ...beside };
  }
  return current;
};

/** `T | null` in either of its two spellings is an optional T. */
const withoutNull = (schema: Json, root: Json): Json => {
  const union = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(union)) {
    const real = union.filter((one) => isRecord(one) && one.type !== 'null');
    const [only] = real;
    if (real.length === 1 && isRecord(only)) {
      const { anyOf: _a, oneOf: _o, ...beside } = schema;
      return { ...resolve(only, root), ...beside };
    }
  }
  if (Array.isArray(schema.type)) {
    const real = schema.type.filter((one) => one !== 'null');
    if (real.length === 1) return { ...schema, type: real[0] };
  }
  return schema;
};

const isScalar = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);

const fieldOf = (given: unknown, root: Json, name: string, depth: number): Field => {
  const schema = isRecord(given) ? withoutNull(resolve(given, root), root) : {};
  const common = { title: textOf(schema.title) || name, description: textOf(schema.description) };
  const json: Field = { ...common, kind: 'json' };
  const options = schema.const === undefined ? schema.enum : [schema.const];
  if (Array.isArray(options)) {
    const scalar = options.filter(isScalar);
    return scalar.length > 0 && scalar.length === options.filter((one) => one !== null).length
      ? { ...common, kind: 'choice', options: scalar }
      : json;
  }
  if (Array.isArray(schema.anyOf) || Array.isArray(schema.oneOf) || Array.isArray(schema.allOf)) return json;
  switch (schema.type) {
    case 'string': {
      const maxLength = numberOf(schema.maxLength);
      const plain = schema.format === undefined && schema.pattern === undefined;
      return {
        ...common,
        kind: 'text',
        long: plain && (maxLength === undefined ? LONG_NAMES.test(name) : maxLength > 1_000),
      };
    }
    case 'number':
    case 'integer':
      return {
        ...common,
        kind: 'number',
        whole: schema.type === 'integer',
        min: numberOf(schema.minimum),
        max: numberOf(schema.maximum),
      };
    case 'boolean':
      return { ...common, kind: 'boolean' };
    case 'array': {
      if (depth >= MAX_DEPTH || !isRecord(schema.items)) return json;
      const item = fieldOf(schema.items, root, 'Item', depth + 1);
      return item.kind === 'json' ? json : { ...common, kind: 'list', item, initial: initialOf(item) };
    }
    case 'object': {
      if (depth >= MAX_DEPTH || !isRecord(schema.properties)) return json;
      const required = Array.isArray(schema.required) ? schema.required : [];
      const properties = Object.entries(schema.properties).map(([key, inner]): Property => {
        const field = fieldOf(inner, root, key, depth + 1);
        const must = required.includes(key);
        const preset = isRecord(inner) ? resolve(inner, root).default : undefined;
        return {
          name: key,
          required: must,
          field,
          initial: preset === undefined || preset === null ? (must ? initialOf(field) : undefined) : preset,
        };
      });
      return { ...common, kind: 'object', properties };
    }
    default:
      return json;
  }
};

/** What a required field begins with; undefined is not sent. */
const initialOf = (field: Field): unknown => {
  if (field.kind === 'object') return initialObject(field.properties);
  if (field.kind === 'list') return [];
  if (field.kind === 'boolean') return false;
  if (field.kind === 'choice') return field.options[0];
  return undefined;
};

export const initialObject = (properties: readonly Property[]): Record<string, unknown> =>
  Object.fromEntries(
    properties.flatMap(({ name, initial }) => (initial === undefined ? [] : [[name, initial]])),
  );

/** Fields of a tool's arguments; null where only JSON can say them. */
export const argumentFields = (inputSchema: Json): readonly Property[] | null => {
  const schema = { type: 'object', properties: {}, ...inputSchema };
  const field = fieldOf(schema, schema, 'arguments', 0);
  return field.kind === 'object' ? field.properties : null;
};

/** The object with one key set, or taken away with undefined. */
export const withKey = (value: unknown, key: string, next: unknown): Record<string, unknown> => {
  const { [key]: _, ...others } = isRecord(value) ? value : {};
  return next === undefined ? others : { ...others, [key]: next };
};

export const keyOf = (value: unknown, key: string): unknown => (isRecord(value) ? value[key] : undefined);
