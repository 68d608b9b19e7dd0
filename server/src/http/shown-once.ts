import type { TSchema } from 'typebox';
import { isShownOnce } from '../kernel/schema.ts';

/** Secrets in answers: what is kept for a replay is the answer without them (contract, section 1: `Idempotency-Key`). */

interface Field {
  /** Names of the objects that hold it, from the outside. */
  path: readonly string[];
  /** Whether an answer may be without it. */
  optional: boolean;
  nullable: boolean;
}

interface ObjectSchema {
  properties?: Record<string, TSchema>;
  required?: readonly string[];
  anyOf?: readonly TSchema[];
}

/** Fields of an answer that `ShownOnce` marks, in objects within objects; lists hold none. */
export const shownOnceFields = (schema: TSchema | null | undefined): readonly Field[] => {
  const found: Field[] = [];
  const look = (at: ObjectSchema, path: readonly string[]): void => {
    for (const [name, field] of Object.entries(at.properties ?? {})) {
      const inner = field as ObjectSchema;
      const choices = [inner, ...((inner.anyOf ?? []) as ObjectSchema[])];
      const here = [...path, name];
      if (choices.some((choice) => isShownOnce(choice)))
        found.push({
          path: here,
          optional: !(at.required ?? []).includes(name),
          nullable: choices.length > 1,
        });
      else look(inner, here);
    }
  };
  if (schema) look(schema as ObjectSchema, []);
  return found;
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The answer's body as it is kept: without its secrets (left out, null or empty, as its form allows) and with
 * `secret_withheld`, so that a replay says what it lacks. The same text where it holds none.
 */
export const withoutSecrets = (body: string, fields: readonly Field[]): string => {
  if (fields.length === 0 || body === '') return body;
  const whole: unknown = JSON.parse(body);
  if (!isRecord(whole)) return body;
  let held = false;
  for (const { path, optional, nullable } of fields) {
    let at: unknown = whole;
    for (const name of path.slice(0, -1)) at = isRecord(at) ? at[name] : undefined;
    const name = path.at(-1) ?? '';
    if (!isRecord(at) || typeof at[name] !== 'string') continue;
    held = true;
    if (optional) delete at[name];
    else at[name] = nullable ? null : '';
  }
  return held ? JSON.stringify({ ...whole, secret_withheld: true }) : body;
};
