import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify/types/schema.js';
import { isStorable, storable } from '../kernel/storable.ts';

const { validate: isDateTime } = fullFormats['date-time'] as { validate: (text: string) => boolean };

/**
 * Ajv for bodies (no coercion: a number is a number) and for parameters (which arrive as text). Compiled at the first
 * use and kept by schema object, since each route stands under several prefixes.
 */
const createAjv = (coerceTypes: boolean): Ajv => {
  const ajv = new Ajv({
    coerceTypes,
    allErrors: true,
    useDefaults: false,
    removeAdditional: false,
    strict: false,
  });
  // The package's CommonJS default export is the function itself.
  (addFormats as unknown as (target: Ajv) => void)(ajv);
  // The format allows a leap second, which no clock here can hold.
  ajv.addFormat('date-time', (text: string) => isDateTime(text) && !Number.isNaN(Date.parse(text)));
  return ajv;
};

export const createValidatorCompiler = (): FastifySchemaCompiler<object> => {
  const bodies = createAjv(false);
  const parameters = createAjv(true);
  const cache = new WeakMap<object, { body?: ValidateFunction; parameters?: ValidateFunction }>();
  return ({ schema, httpPart }) => {
    const known = cache.get(schema) ?? {};
    cache.set(schema, known);
    const isBody = httpPart === 'body';
    return (data: unknown) => {
      let validate = isBody ? known.body : known.parameters;
      if (validate === undefined) {
        validate = (isBody ? bodies : parameters).compile(schema);
        if (isBody) known.body = validate;
        else known.parameters = validate;
      }
      // Bodies are looked through by their parser; nothing that is stored can be found by such a parameter.
      const bad = isBody ? null : unstorable(data);
      if (bad !== null) return { error: Object.assign(new Error('validation'), { validation: [bad] }) };
      if (validate(data)) return { value: data };
      const error = Object.assign(new Error('validation'), { validation: validate.errors ?? [] });
      return { error };
    };
  };
};

/** Ajv's own form of a fault, for the first parameter that no store can hold. */
const unstorable = (parameters: unknown): Partial<ErrorObject> | null => {
  if (typeof parameters !== 'object' || parameters === null) return null;
  for (const [name, value] of Object.entries(parameters)) {
    const clean = [name, value].flat().every((part) => typeof part !== 'string' || isStorable(part));
    if (!clean) {
      const instancePath = `/${storable(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
      return { keyword: 'text', instancePath, message: 'must be text without NUL and lone surrogates' };
    }
  }
  return null;
};

type Serialize = (data: unknown) => string;

/**
 * Response serialisers, compiled at the first answer and kept by schema object. An answer that is frozen is one that its
 * feature may give out again: its text is kept as long as the object is.
 */
export const createSerializerCompiler = (
  compile: (schema: object) => Serialize,
): FastifySerializerCompiler<object> => {
  const cache = new WeakMap<object, Serialize>();
  return ({ schema }) => {
    const texts = new WeakMap<object, string>();
    return (data: unknown) => {
      const lasting = typeof data === 'object' && data !== null && Object.isFrozen(data) ? data : null;
      const known = lasting === null ? undefined : texts.get(lasting);
      if (known !== undefined) return known;
      let serialize = cache.get(schema);
      if (serialize === undefined) {
        serialize = compile(schema);
        cache.set(schema, serialize);
      }
      const text = serialize(data);
      if (lasting !== null) texts.set(lasting, text);
      return text;
    };
  };
};
