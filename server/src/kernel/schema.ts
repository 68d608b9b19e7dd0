import { type Static, type TSchema, Type } from 'typebox';

/**
 * Helpers over TypeBox for forms that come out badly in OpenAPI when written raw. Every wire type of the
 * platform is built from `Type` and these.
 */

/** A closed set of words: `{type: string, enum: [...]}`. */
export const StringEnum = <const T extends readonly string[]>(
  values: T,
  options: Record<string, unknown> = {},
) => Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options });

/** What a text must be, in words, by its pattern: nobody reads a pattern in an error. */
export const PATTERN_WORDS = new Map([['\\S', 'must not be blank']]);

const textOf = (pattern: string, words: string, limits: { minLength?: number; maxLength: number }) => {
  PATTERN_WORDS.set(pattern, words);
  return Type.String({ ...limits, pattern });
};

/** One address and nothing that a mail server would read as more. */
export const Email = textOf(
  '^[^\\s@<>"(),:;\\\\]+@[^\\s@<>"(),:;\\\\]+$',
  'must be an e-mail address, such as name@example.com',
  { minLength: 3, maxLength: 320 },
);

/** A name in addresses. */
export const Slug = textOf(
  '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$',
  'must have small letters, digits and - only, with a letter or digit at both ends',
  { maxLength: 63 },
);

/** A value or null, in the OpenAPI 3.1 form. */
export const Nullable = <T extends TSchema>(schema: T, options: Record<string, unknown> = {}) =>
  Type.Unsafe<Static<T> | null>({ anyOf: [schema, { type: 'null' }], ...options });

/** An object that refuses unknown fields (a request). */
export const Strict = <T extends Record<string, TSchema>>(
  properties: T,
  options: Record<string, unknown> = {},
) => Type.Object(properties, { additionalProperties: false, ...options });

/** An object of any fields, handed through as it is. */
export const AnyObject = (options: Record<string, unknown> = {}) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, ...options });

/** Any JSON value, handed through as it is. */
export const AnyValue = (options: Record<string, unknown> = {}) => Type.Unsafe<unknown>({ ...options });

export const Timestamp = () =>
  Type.String({ format: 'date-time', description: 'ISO 8601 UTC with milliseconds' });
export const Uuid = (description?: string) =>
  Type.String({ format: 'uuid', ...(description ? { description } : {}) });
export const Usd = (description = 'US dollars, exact to 1e-9') => Type.Number({ description });

/** The list envelope of the contract, section 1. */
export const Page = <T extends TSchema>(item: T) =>
  Type.Object({
    items: Type.Array(item),
    page: Type.Integer(),
    limit: Type.Integer(),
    total: Type.Integer(),
    has_more: Type.Boolean(),
    next_cursor: Nullable(Type.String()),
  });

/** Query parameters of every list. */
export const PageQuery = {
  page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Page number, from 1 (default 1)' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, description: 'Items per page (default 20)' }),
  ),
  cursor: Type.Optional(
    Type.String({ maxLength: 512, description: 'next_cursor of the answer before, in place of page' }),
  ),
};

const SHOWN_ONCE = 'x-shown-once';

/** A secret that the first answer alone shows: what is kept for a replay is without it (http/shown-once.ts). */
export const ShownOnce = (description: string) => Type.String({ description, [SHOWN_ONCE]: true });
export const isShownOnce = (schema: object): boolean => SHOWN_ONCE in schema;
/** Beside a secret: what a replay says of itself. */
export const secretWithheld = () =>
  Type.Optional(
    Type.Boolean({
      description:
        'True in a replay under an Idempotency-Key: the secret was shown in the first answer and is kept nowhere; make another one',
    }),
  );
