import { AppError } from '../../kernel/errors.ts';
import { type Attribute, isObject, named, type Resource, type ResourceKind } from './attributes.ts';
import { attributeAt, type Filter, matches, type Path, parseFilter, pathOf } from './filter.ts';
import { badRequest } from './refusals.ts';
import { manyOf, onePrimary, valueFor, withRequired } from './values.ts';

/**
 * PATCH of RFC 7644, section 3.5.2, as directories send it: operations in capitals, paths with filters, values under whole or
 * dotted names without a path, and values of one that is not there yet. What the schema does not have is passed over.
 */

type Op = 'add' | 'replace' | 'remove';

interface Operation {
  op: Op;
  path: string | null;
  value: unknown;
}

interface Target {
  path: Path;
  filter: Filter | null;
}

const MAX_OPERATIONS = 1_000;
/** Values of lists that all operations of one request look at, each of them at all: some two seconds of work. */
const MAX_LOOKED_AT = 400_000;

const operationOf = (given: unknown): Operation => {
  const entries = isObject(given)
    ? new Map(Object.entries(given).map(([k, v]) => [k.toLowerCase(), v]))
    : null;
  const op = String(entries?.get('op') ?? '').toLowerCase();
  if (entries === null || (op !== 'add' && op !== 'replace' && op !== 'remove'))
    throw badRequest('invalidSyntax', 'an operation is an object with op: add, replace or remove');
  const path = entries.get('path');
  if (path !== undefined && path !== null && typeof path !== 'string')
    throw badRequest('invalidPath', 'path must be a text');
  return {
    op,
    path: path === undefined || path === null || path === '' ? null : path,
    value: entries.get('value'),
  };
};

/** Throws invalidSyntax. */
export const operationsOf = (body: Resource): Operation[] => {
  const found = Object.entries(body).find(([key]) => key.toLowerCase() === 'operations')?.[1];
  if (!Array.isArray(found) || found.length === 0)
    throw badRequest('invalidSyntax', 'Operations must be a list with at least one operation');
  if (found.length > MAX_OPERATIONS)
    throw badRequest('tooMany', `Operations takes at most ${MAX_OPERATIONS} operations`);
  return found.map(operationOf);
};

/** `emails[type eq "work"].value`. */
const targetOf = (text: string): Target => {
  try {
    const open = text.indexOf('[');
    if (open < 0) return { path: pathOf(text), filter: null };
    const close = text.lastIndexOf(']');
    const after = text.slice(close + 1);
    if (close < open || !(after === '' || after.startsWith('.'))) throw new SyntaxError(text);
    return {
      path: pathOf(`${text.slice(0, open)}${after}`),
      filter: parseFilter(text.slice(open + 1, close)),
    };
  } catch (error) {
    if (error instanceof AppError && error.details.scim_type === 'invalidValue') throw error;
    throw badRequest('invalidPath', `${text.slice(0, 120)} is no path`);
  }
};

const without = (resource: Resource, name: string): Resource =>
  Object.fromEntries(Object.entries(resource).filter(([key]) => key !== name));

const withValue = (resource: Resource, name: string, value: unknown): Resource =>
  value === undefined ? without(resource, name) : { ...resource, [name]: value };

const listOf = (value: unknown): Resource[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Two values are one where value and type are. */
const identity = (value: Resource): string => `${String(value.value)} ${String(value.type ?? '')}`;

const setMany = (attribute: Attribute, op: Op, before: readonly Resource[], given: unknown): Resource[] => {
  const values = given === undefined || given === null ? [] : (manyOf(attribute, given) ?? []);
  if (op === 'replace') return values;
  if (op === 'remove') {
    if (given === undefined || given === null) return [];
    const gone = new Set(values.map((value) => String(value.value)));
    return before.filter((value) => !gone.has(String(value.value)));
  }
  const fresh = new Map(values.map((value) => [identity(value), value]));
  const primary = values.some((value) => value.primary === true);
  const kept = before
    .filter((value) => !fresh.has(identity(value)))
    .map((value) => (primary && value.primary === true ? { ...value, primary: false } : value));
  return [...kept, ...fresh.values()];
};

/** What a value must be that a filter would find: `type eq "work"` is {type: "work"}. */
const madeBy = (filter: Filter, attribute: Attribute): Resource => {
  const parts = filter.is === 'and' ? filter.parts : [filter];
  const made: Resource = {};
  for (const part of parts) {
    const known =
      part.is === 'compare' && part.by === 'eq' && part.path.sub === null
        ? named(attribute.subAttributes ?? [], part.path.name)
        : undefined;
    if (known !== undefined && part.is === 'compare') made[known.name] = valueFor(known, part.value);
  }
  return made;
};

const setPart = (attribute: Attribute, sub: string | null, before: Resource, value: unknown): Resource => {
  if (sub === null) {
    const [given] = value === undefined || value === null ? [] : (manyOf(attribute, value) ?? []);
    return { ...before, ...given };
  }
  const part = named(attribute.subAttributes ?? [], sub);
  if (part === undefined || part.mutability === 'readOnly') return before;
  return withValue(before, part.name, valueFor(part, value));
};

const isEmpty = (value: Resource): boolean => value.value === undefined;

/** Changes of those values of a list that a filter finds; without one of all. */
const setWithin = (
  attribute: Attribute,
  { op, value }: Operation,
  { path, filter }: Target,
  before: readonly Resource[],
): Resource[] => {
  const isMeant = (one: Resource): boolean => filter === null || matches(filter, one);
  if (op === 'remove') {
    if (path.sub === null) return before.filter((one) => !isMeant(one));
    return before
      .map((one) => (isMeant(one) ? setPart(attribute, path.sub, one, undefined) : one))
      .filter((one) => !isEmpty(one));
  }
  if (before.some(isMeant)) {
    return before.map((one) => (isMeant(one) ? setPart(attribute, path.sub, one, value) : one));
  }
  const made = setPart(attribute, path.sub, filter === null ? {} : madeBy(filter, attribute), value);
  return [...before, made];
};

const setAttribute = (
  attribute: Attribute,
  operation: Operation,
  target: Target,
  before: unknown,
): unknown => {
  const { op, value } = operation;
  const { path, filter } = target;
  if (attribute.multiValued === true) {
    const list = listOf(before);
    const next =
      filter === null && path.sub === null
        ? setMany(attribute, op, list, value)
        : setWithin(attribute, operation, target, list);
    const kept = manyOf(
      attribute,
      next.filter((one) => !isEmpty(one)),
    );
    return kept === undefined ? undefined : onePrimary(kept);
  }
  if (filter !== null) throw badRequest('invalidPath', `${attribute.name} has no values to choose from`);
  if (path.sub !== null) {
    const part = setPart(
      attribute,
      path.sub,
      isObject(before) ? before : {},
      op === 'remove' ? undefined : value,
    );
    return Object.keys(part).length === 0 ? undefined : part;
  }
  if (op === 'remove') return undefined;
  const kept = valueFor(attribute, value);
  return isObject(kept) && isObject(before) ? { ...before, ...kept } : kept;
};

/** One attribute by its path. `told`: the client has named it, so that one which is only read is refused. */
const applyAt = (kind: ResourceKind, resource: Resource, operation: Operation, told: boolean): Resource => {
  const target = targetOf(operation.path ?? '');
  const found = attributeAt(kind, target.path);
  if (found === null) return resource;
  const { attribute, extension } = found;
  if (attribute.mutability === 'readOnly') {
    if (told) throw badRequest('mutability', `${attribute.name} is only read`);
    return resource;
  }
  if (!extension)
    return withValue(
      resource,
      attribute.name,
      setAttribute(attribute, operation, target, resource[attribute.name]),
    );
  const schema = kind.extension?.schema ?? '';
  const part = isObject(resource[schema]) ? resource[schema] : {};
  const next = withValue(
    part,
    attribute.name,
    setAttribute(attribute, operation, target, part[attribute.name]),
  );
  return withValue(resource, schema, Object.keys(next).length === 0 ? undefined : next);
};

const isSchema = (kind: ResourceKind, key: string): boolean =>
  [kind.schema, kind.extension?.schema].some((schema) => schema?.toLowerCase() === key.toLowerCase());

/** Without a path: each value under its name, its dotted name, or within its schema. */
const applyAll = (kind: ResourceKind, resource: Resource, { op, value }: Operation): Resource => {
  if (op === 'remove') throw badRequest('noTarget', 'remove needs a path');
  if (!isObject(value)) throw badRequest('invalidValue', 'without a path the value must be an object');
  let next = resource;
  for (const [key, inner] of Object.entries(value)) {
    if (isSchema(kind, key) && isObject(inner)) {
      for (const [name, part] of Object.entries(inner))
        next = applyAt(kind, next, { op, path: `${key}:${name}`, value: part }, false);
    } else if (key.toLowerCase() !== 'schemas' && key.toLowerCase() !== 'meta') {
      next = applyAt(kind, next, { op, path: key, value: inner }, false);
    }
  }
  return next;
};

/** The whole extension by its urn. */
const applyExtension = (kind: ResourceKind, resource: Resource, operation: Operation): Resource => {
  const schema = kind.extension?.schema ?? '';
  const cleared = operation.op === 'add' ? resource : without(resource, schema);
  if (operation.op === 'remove') return cleared;
  return applyAll(kind, cleared, { ...operation, path: null, value: { [schema]: operation.value } });
};

/** Throws invalidPath, invalidValue, mutability, noTarget. */
export const patched = (kind: ResourceKind, before: Resource, operations: readonly Operation[]): Resource => {
  let next = before;
  let lookedAt = 0;
  for (const operation of operations) {
    for (const value of Object.values(next)) if (Array.isArray(value)) lookedAt += value.length;
    if (lookedAt > MAX_LOOKED_AT)
      throw badRequest('tooMany', 'these operations are too many for lists that long: send them in parts');
    if (operation.path === null) next = applyAll(kind, next, operation);
    else if (operation.path.toLowerCase() === kind.extension?.schema.toLowerCase())
      next = applyExtension(kind, next, operation);
    else next = applyAt(kind, next, operation, true);
  }
  return withRequired(kind, next);
};
