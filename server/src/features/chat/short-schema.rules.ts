/**
 * A schema as a model is told of it: without what it cannot use. The whole schema is what a call is held to, and a fault says what
 * did not fit, so that nothing is lost but tokens.
 */

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Bounds of a text say little before it is written; a name of the schema's author says nothing. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$comment',
  'title',
  'maxLength',
  'maxItems',
  'examples',
]);

/** Keywords whose values are schemas by name: what stands in them are no keywords. */
const BY_NAME: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions']);
const NESTED: ReadonlySet<string> = new Set([
  'items',
  'additionalProperties',
  'not',
  'anyOf',
  'oneOf',
  'allOf',
]);

const isIdle = (key: string, value: unknown): boolean =>
  LEFT_OUT.has(key) ||
  (key === 'additionalProperties' && value === false) ||
  ((key === 'minLength' || key === 'minItems') && value === 1) ||
  (key === 'pattern' && value === '\\S');

const shortValue = (key: string, value: unknown): unknown => {
  if (BY_NAME.has(key) && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, short(inner)]));
  if (!NESTED.has(key)) return value;
  return Array.isArray(value) ? value.map(short) : short(value);
};

const short = (schema: unknown): unknown =>
  isObject(schema)
    ? Object.fromEntries(
        Object.entries(schema)
          .filter(([key, value]) => !isIdle(key, value))
          .map(([key, value]) => [key, shortValue(key, value)]),
      )
    : schema;

export const shortSchema = (schema: Record<string, unknown>): Record<string, unknown> =>
  short(schema) as Record<string, unknown>;
