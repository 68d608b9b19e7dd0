import { linearPattern } from '../linear-pattern.ts';
import { isRecord, type Json, recordAt } from './models.ts';

/** Examples made from the schemas: the same for the same schema, and valid against it. */

const ID = '018f3f3a-7b7a-7000-8000-000000000001';
const TIME = '2026-01-15T09:30:00.000Z';
const MAX_DEPTH = 6;

const BY_FORMAT: Readonly<Record<string, string>> = {
  uuid: ID,
  'date-time': TIME,
  date: TIME.slice(0, 10),
  email: 'ada@example.com',
  uri: 'https://example.com/',
  binary: 'The bytes of the file',
};

const BY_FIELD: Readonly<Record<string, string>> = {
  agent_id: 'research',
  content: 'Trains in second class are booked by each traveller.',
  description: 'What it is for',
  display_name: 'Ada Lovelace',
  email: 'ada@example.com',
  filename: 'travel-policy.txt',
  input: 'What does our travel policy say about trains?',
  message: 'What does our travel policy say about trains?',
  model: 'builtin',
  name: 'travel',
  prompt: 'What does our travel policy say about trains?',
  query: 'travel policy trains',
  text: 'Trains in second class are booked by each traveller.',
  title: 'Travel policy',
  url: 'https://example.com/hook',
};

/** Tried in turn where no other text fits the schema's bounds. */
const FALLBACKS = ['example', 'Example-1', TIME, '1', 'a', 'A1b2-C3d4', ID, 'https://example.com/', ''];

const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

const fits = (schema: Json, text: string): boolean => {
  if (text.length < (number(schema.minLength) ?? 0)) return false;
  if (text.length > (number(schema.maxLength) ?? Number.POSITIVE_INFINITY)) return false;
  if (typeof schema.pattern !== 'string') return true;
  const linear = linearPattern(schema.pattern);
  return linear.ok && linear.compiled.matcher(text).find();
};

const textFor = (schema: Json, field: string): string | undefined => {
  const byFormat = typeof schema.format === 'string' ? BY_FORMAT[schema.format] : undefined;
  if (typeof schema.format === 'string') return byFormat;
  const least = 'x'.repeat(Math.min(number(schema.minLength) ?? 0, 256));
  const time = field.endsWith('_at') ? TIME : undefined;
  const id = /(^|_)id$/.test(field) ? ID : undefined;
  const texts = [BY_FIELD[field], time, id, field, ...FALLBACKS, least];
  return texts.find((text) => text !== undefined && text !== '' && fits(schema, text)) ?? undefined;
};

const numberFor = (schema: Json): number => {
  const least = number(schema.minimum) ?? (number(schema.exclusiveMinimum) ?? 0) + 1;
  return Math.min(Math.max(least, 1), number(schema.maximum) ?? Number.POSITIVE_INFINITY);
};

/** Members without a name of their own that an object must have. */
const filled = (schema: Json, made: Json): Json => {
  const least = number(schema.minProperties) ?? 0;
  if (Object.keys(made).length >= least) return made;
  const optional = Object.entries(recordAt(schema, 'properties'));
  const all = { ...made };
  for (const [name, inner] of optional) {
    if (Object.keys(all).length >= least) break;
    const value = exampleOf(inner, name, 1);
    if (value !== undefined) all[name] ??= value;
  }
  return all;
};

const objectFor = (schema: Json, depth: number): Json | undefined => {
  const required = new Set(Array.isArray(schema.required) ? schema.required.map(String) : []);
  const fields = Object.entries(recordAt(schema, 'properties'));
  const asked = fields.filter(([name]) => required.has(name));
  // A request that asks for nothing shows the first of what it takes.
  const shown = asked.length > 0 || depth > 0 ? asked : fields.slice(0, 1);
  const made: Json = {};
  for (const [name, inner] of shown) {
    const value = exampleOf(inner, name, depth + 1);
    if (value === undefined && required.has(name)) return undefined;
    if (value !== undefined) made[name] = value;
  }
  return filled(schema, made);
};

const listFor = (schema: Json, field: string, depth: number): unknown[] | undefined => {
  const least = number(schema.minItems) ?? 0;
  if (least === 0 && depth >= MAX_DEPTH) return [];
  const item = exampleOf(schema.items, field.replace(/s$/, ''), depth + 1);
  if (item === undefined) return least === 0 ? [] : undefined;
  return least > 1 ? undefined : [item];
};

const isNull = (schema: unknown): boolean => recordAt(schema).type === 'null';

/** Undefined where no value can be made that certainly holds. */
export const exampleOf = (schema: unknown, field = '', depth = 0): unknown => {
  if (!isRecord(schema)) return undefined;
  if ('const' in schema) return schema.const;
  if ('default' in schema) return schema.default;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (Array.isArray(schema.anyOf)) {
    const part = schema.anyOf.find((inner) => !isNull(inner));
    return exampleOf(part, field, depth) ?? (schema.anyOf.some(isNull) ? null : undefined);
  }
  switch (schema.type) {
    case 'string':
      return textFor(schema, field);
    case 'integer':
    case 'number':
      return numberFor(schema);
    case 'boolean':
      return false;
    case 'null':
      return null;
    case 'array':
      return listFor(schema, field, depth);
    case 'object':
      return objectFor(schema, depth);
    default:
      return {};
  }
};
