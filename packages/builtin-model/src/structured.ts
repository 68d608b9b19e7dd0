/**
 * An answer of the built-in model in the form of a JSON Schema. It has quoted text and nothing else, so it fills what that text
 * says (a text, a list of its sentences, its one number, a value that it names) and leaves the rest out: nothing is made up.
 */

type Schema = Readonly<Record<string, unknown>>;

/** Not to be told from what is at hand. */
const UNKNOWN = Symbol('unknown');

const MAX_DEPTH = 8;
/** Names of the field that a whole answer belongs into, the likeliest first. */
const ANSWER_NAMES = ['answer', 'content', 'text', 'response', 'reply', 'result', 'message', 'summary'];

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const withoutMarks = (text: string): string => text.replaceAll(/ ?\[\d{1,3}\]/g, '').trim();

/** Marks alone belong to the sentence before them. */
const MARKS_ALONE = /^(?:\[\d{1,3}\]\s*)+$/;

const sentencesOf = (text: string): string[] => {
  const sentences: string[] = [];
  for (const part of text.split(/(?<=[.!?\]])\s+|\n+/).map((piece) => piece.trim())) {
    const last = sentences.length - 1;
    if (last >= 0 && MARKS_ALONE.test(part)) sentences[last] += ` ${part}`;
    else if (part !== '') sentences.push(part);
  }
  return sentences;
};

const typesOf = (schema: Schema): string[] =>
  [schema.type].flat().filter((type): type is string => typeof type === 'string');

/** A definition of the same schema in place of a reference to it. */
const resolved = (schema: Schema, root: Schema): Schema => {
  const ref = schema.$ref;
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return schema;
  let at: unknown = root;
  for (const part of ref.slice(2).split('/'))
    at = isSchema(at) ? at[part.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
  return isSchema(at) ? at : schema;
};

const namedIn = (text: string, values: readonly unknown[]): unknown => {
  const said = ` ${text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, ' ')} `;
  const named = values.filter(
    (value) =>
      typeof value === 'string' &&
      value !== '' &&
      said.includes(
        ` ${value
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
          .trim()} `,
      ),
  );
  return named.length === 1 ? named[0] : UNKNOWN;
};

const numberIn = (text: string, whole: boolean): unknown => {
  const found = new Set(
    (withoutMarks(text).match(/(?<![\p{L}\d.,-])-?\d+(?:\.\d+)?(?![\d,]|\.\d)/gu) ?? []).map(Number),
  );
  const [only] = found;
  return found.size === 1 && only !== undefined && (!whole || Number.isInteger(only)) ? only : UNKNOWN;
};

const textFor = (schema: Schema, text: string): unknown =>
  schema.format === undefined &&
  schema.pattern === undefined &&
  (typeof schema.maxLength !== 'number' || text.length <= schema.maxLength)
    ? text
    : UNKNOWN;

/** The field that gets the whole text; the others of its kind would only say the same. */
const mainField = (properties: Schema, root: Schema): string | undefined => {
  const texts = Object.keys(properties).filter((name) => {
    const field = properties[name];
    const schema = isSchema(field) ? resolved(field, root) : {};
    return typesOf(schema).includes('string') && schema.enum === undefined && schema.const === undefined;
  });
  return ANSWER_NAMES.find((name) => texts.includes(name)) ?? (texts.length === 1 ? texts[0] : undefined);
};

const fill = (asked: Schema, text: string, root: Schema, depth: number): unknown => {
  if (depth > MAX_DEPTH) return UNKNOWN;
  const schema = resolved(asked, root);
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return namedIn(text, schema.enum);
  const types = typesOf(schema);
  const choices = [schema.anyOf, schema.oneOf].find(Array.isArray);
  if (types.length === 0 && choices !== undefined) {
    const given = choices.filter(isSchema).map((choice) => fill(choice, text, root, depth + 1));
    return given.find((value) => value !== UNKNOWN) ?? (given.includes(null) ? null : UNKNOWN);
  }
  const value = fillType(schema, types, { text, root, depth });
  return value === UNKNOWN && types.includes('null') ? null : value;
};

const fillType = (
  schema: Schema,
  types: readonly string[],
  { text, root, depth }: { text: string; root: Schema; depth: number },
): unknown => {
  if (types.includes('object') || isSchema(schema.properties)) return fillObject(schema, text, root, depth);
  if (types.includes('string')) return textFor(schema, text);
  if (types.includes('integer')) return numberIn(text, true);
  if (types.includes('number')) return numberIn(text, false);
  if (types.includes('array')) {
    const { items } = schema;
    if (!isSchema(items)) return UNKNOWN;
    const filled = sentencesOf(text).map((sentence) => fill(items, sentence, root, depth + 1));
    const known = filled.filter((value) => value !== UNKNOWN);
    return typeof schema.maxItems === 'number' ? known.slice(0, schema.maxItems) : known;
  }
  return types.length === 1 && types[0] === 'null' ? null : UNKNOWN;
};

const fillObject = (schema: Schema, text: string, root: Schema, depth: number): unknown => {
  const properties = isSchema(schema.properties) ? schema.properties : {};
  const required: unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const main = mainField(properties, root);
  const filled: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(properties)) {
    if (!isSchema(field)) continue;
    const types = typesOf(resolved(field, root));
    const isText = types.includes('string') && resolved(field, root).enum === undefined;
    const value =
      isText && name !== main
        ? types.includes('null')
          ? null
          : UNKNOWN
        : fill(field, text, root, depth + 1);
    if (value !== UNKNOWN) filled[name] = value;
    else if (required.includes(name)) throw new CannotFill(name);
  }
  if (Object.keys(properties).length === 0 && schema.additionalProperties !== false) filled.answer = text;
  return filled;
};

/** A field that has to be there and of which the answer says nothing. */
export class CannotFill extends Error {
  readonly field: string;

  constructor(field: string) {
    super(
      `the built-in model quotes text and cannot tell the value of ${JSON.stringify(field.slice(0, 100))}`,
    );
    this.field = field;
  }
}

/** JSON that fits the schema as far as this model can tell. Throws `CannotFill`. */
export const structuredAnswer = (schema: Schema, text: string): string => {
  const value = fill(schema, text, schema, 0);
  if (value === UNKNOWN) throw new CannotFill('');
  return JSON.stringify(value);
};
