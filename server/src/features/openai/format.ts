import { type AnswerForm, unusableSchema } from '../chat/index.ts';
import { refusal } from './refusal.rules.ts';

/** `response_format`: what the whole answer has to be. */

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** A named schema of a client, at the place where it stands in the request. Throws VALIDATION_ERROR. */
export const readSchema = (at: string, name: unknown, schema: unknown): AnswerForm => {
  if (typeof name !== 'string' || !NAME.test(name))
    throw refusal(`${at}.name`, 'a name has 1 to 64 of the characters a–z A–Z 0–9 _ -', 'invalid_value');
  if (!isRecord(schema)) throw refusal(`${at}.schema`, 'schema must be a JSON Schema', 'invalid_value');
  const reason = unusableSchema(schema);
  if (reason !== null) throw refusal(`${at}.schema`, `the schema ${reason}`, 'invalid_json_schema');
  return { name, schema };
};

/** Null for plain text. Throws VALIDATION_ERROR. */
export const readFormat = (format: unknown): AnswerForm | null => {
  if (format === undefined || format === null) return null;
  const type = isRecord(format) ? format.type : undefined;
  if (type === 'text') return null;
  if (type === 'json_object') return { name: 'answer', schema: null };
  const inner = isRecord(format) ? format.json_schema : undefined;
  if (type !== 'json_schema' || !isRecord(inner))
    throw refusal(
      'response_format',
      'response_format must be {"type": "text"}, {"type": "json_object"} or {"type": "json_schema", "json_schema": {"name", "schema"}}',
      'invalid_value',
    );
  return readSchema('response_format.json_schema', inner.name, inner.schema);
};
