import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** JSON Schemas that servers declare, compiled at the first use and kept as long as their object. */
export type SchemaVerdict =
  | { ok: true }
  | { ok: false; faults: readonly ErrorObject[] }
  /** The schema itself cannot be used. */
  | { ok: false; unusable: string };

export interface SchemaChecker {
  check(schema: Record<string, unknown>, value: unknown): SchemaVerdict;
}

const MAX_SCHEMA_CHARACTERS = 512 * 1024;

/** Draft 2020-12 unless the schema names an older one, as the protocol says. */
const isOlderDraft = (schema: Record<string, unknown>): boolean =>
  typeof schema.$schema === 'string' && /draft-0[4-7]/.test(schema.$schema);

export const createSchemaChecker = (): SchemaChecker => {
  const settings = {
    strict: false,
    allErrors: true,
    addUsedSchema: false,
    validateFormats: true,
    // What a schema says about unknown formats must not fail the tool.
    logger: false,
  } as const;
  const current = new Ajv2020(settings);
  const older = new Ajv(settings);
  for (const ajv of [current, older]) {
    // The package's CommonJS default export is the function itself.
    (addFormats as unknown as (target: unknown) => void)(ajv);
  }
  const compiled = new WeakMap<object, ValidateFunction | { unusable: string }>();

  const compile = (schema: Record<string, unknown>): ValidateFunction | { unusable: string } => {
    const ajv = isOlderDraft(schema) ? older : current;
    try {
      if (JSON.stringify(schema).length > MAX_SCHEMA_CHARACTERS)
        return { unusable: 'the schema is too large' };
      return ajv.compile(schema);
    } catch (error) {
      return { unusable: error instanceof Error ? error.message.slice(0, 200) : String(error) };
    } finally {
      // Ajv keeps every schema for ever; servers may send new ones as often as they like.
      ajv.removeSchema(schema);
    }
  };

  return {
    check(schema, value) {
      let validate = compiled.get(schema);
      if (validate === undefined) {
        validate = compile(schema);
        compiled.set(schema, validate);
      }
      if (!(validate instanceof Function)) return { ok: false, unusable: validate.unusable };
      return validate(value) ? { ok: true } : { ok: false, faults: validate.errors ?? [] };
    },
  };
};
