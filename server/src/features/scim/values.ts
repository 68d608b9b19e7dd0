import { type Attribute, isObject, named, type Resource, type ResourceKind } from './attributes.ts';
import { badRequest } from './refusals.ts';

/** What comes, in the form of the attributes: names as the schema spells them, nothing that it does not have. */

const MAX_TEXT = 1_024;
const MAX_VALUES = 50;
/** People of one group. */
export const MAX_MEMBERS = 20_000;

const wrong = (attribute: Attribute, must: string) =>
  badRequest('invalidValue', `${attribute.name} must be ${must}`);

const textOf = (attribute: Attribute, value: unknown): string | undefined => {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') throw wrong(attribute, 'a text');
  if ([...value].length > MAX_TEXT) throw wrong(attribute, `a text of at most ${MAX_TEXT} characters`);
  return value === '' ? undefined : value;
};

const flagOf = (attribute: Attribute, value: unknown): boolean => {
  if (typeof value === 'boolean') return value;
  // Entra's older dialect.
  const word = typeof value === 'string' ? value.toLowerCase() : '';
  if (word === 'true' || word === 'false') return word === 'true';
  throw wrong(attribute, 'true or false');
};

const complexOf = (attribute: Attribute, value: unknown): Resource | undefined => {
  // A text in place of an object is its value.
  const given = isObject(value) ? value : attribute.multiValued === true ? { value } : null;
  if (given === null) throw wrong(attribute, 'an object');
  const kept = keep(attribute.subAttributes ?? [], given);
  return Object.keys(kept).length === 0 ? undefined : kept;
};

const singleOf = (attribute: Attribute, value: unknown): unknown => {
  if (attribute.type === 'complex') return complexOf(attribute, value);
  return attribute.type === 'boolean' ? flagOf(attribute, value) : textOf(attribute, value);
};

/** One of many is primary: the last that says so. */
export const onePrimary = (values: readonly Resource[]): Resource[] => {
  const last = values.findLastIndex((value) => value.primary === true);
  return values.map((value, i) =>
    value.primary === true && i !== last ? { ...value, primary: false } : value,
  );
};

const isResource = (value: unknown): value is Resource => isObject(value);

export const manyOf = (attribute: Attribute, value: unknown): Resource[] | undefined => {
  const most = attribute.name === 'members' ? MAX_MEMBERS : MAX_VALUES;
  const given = Array.isArray(value) ? value : [value];
  if (given.length > most) throw badRequest('invalidValue', `${attribute.name} takes at most ${most} values`);
  const kept = given.map((one) => complexOf(attribute, one)).filter(isResource);
  return kept.length === 0 ? undefined : onePrimary(kept);
};

/** A value as it is kept; undefined for none. Throws invalidValue. */
export const valueFor = (attribute: Attribute, value: unknown): unknown => {
  if (value === null || value === undefined) return undefined;
  return attribute.multiValued === true ? manyOf(attribute, value) : singleOf(attribute, value);
};

/** The known attributes of an object, without those that a client only reads. */
export const keep = (attributes: readonly Attribute[], given: Resource): Resource => {
  const kept: Resource = {};
  for (const [key, value] of Object.entries(given)) {
    const attribute = named(attributes, key);
    if (attribute === undefined || attribute.mutability === 'readOnly') continue;
    const found = valueFor(attribute, value);
    if (found !== undefined) kept[attribute.name] = found;
  }
  return kept;
};

/** A whole resource as a client sends it. Throws invalidValue where a required attribute lacks. */
export const resourceOf = (kind: ResourceKind, given: Resource): Resource => {
  const kept = keep(kind.attributes, given);
  const { extension } = kind;
  if (extension !== undefined) {
    const folded = extension.schema.toLowerCase();
    const part = Object.entries(given).find(([key]) => key.toLowerCase() === folded)?.[1];
    const own = isObject(part) ? keep(extension.attributes, part) : {};
    if (Object.keys(own).length > 0) kept[extension.schema] = own;
  }
  return withRequired(kind, kept);
};

export const withRequired = (kind: ResourceKind, resource: Resource): Resource => {
  for (const attribute of kind.attributes) {
    const value = resource[attribute.name];
    const isMissing = value === undefined || (typeof value === 'string' && value.trim() === '');
    if (attribute.required === true && isMissing)
      throw badRequest('invalidValue', `${attribute.name} is required`);
  }
  return resource;
};
