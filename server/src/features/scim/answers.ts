import { isObject, type Resource } from './attributes.ts';
import { type Filter, matches, type Path, pathOf } from './filter.ts';
import { badRequest } from './refusals.ts';

/** Lists and parts of resources (RFC 7644, sections 3.4.2 and 3.9). */

export interface ListQuery {
  filter?: string | undefined;
  startIndex?: string | undefined;
  count?: string | undefined;
  attributes?: string | undefined;
  excludedAttributes?: string | undefined;
}

export interface Parts {
  attributes?: string | undefined;
  excludedAttributes?: string | undefined;
}

export const MAX_COUNT = 200;
const DEFAULT_COUNT = 100;
const MAX_NAMED = 50;
/** Rows that a filter is asked about which no index answers. */
const MAX_SCANNED = 50_000;
const SCAN = 500;

const integer = (name: string, text: string | undefined, otherwise: number): number => {
  if (text === undefined || text === '') return otherwise;
  if (!/^-?\d{1,9}$/.test(text)) throw badRequest('invalidValue', `${name} must be a whole number`);
  return Number(text);
};

/** RFC 7644, section 3.4.2.4: what is too small counts as the smallest, and no answer holds more than `MAX_COUNT`. */
export const pageOf = (query: ListQuery): { startIndex: number; count: number } => ({
  startIndex: Math.max(1, integer('startIndex', query.startIndex, 1)),
  count: Math.min(MAX_COUNT, Math.max(0, integer('count', query.count, DEFAULT_COUNT))),
});

export const listAnswer = (
  resources: readonly Resource[],
  totalResults: number,
  startIndex: number,
): Resource => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
  totalResults,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
});

/** Resources that a filter finds, page by page, in the order of the store. Throws tooMany. */
export const scan = async <Row>(
  read: (offset: number, limit: number) => Promise<Row[]>,
  shown: (rows: Row[]) => Promise<Resource[]>,
  filter: Filter,
): Promise<Resource[]> => {
  const found: Resource[] = [];
  for (let offset = 0; ; offset += SCAN) {
    if (offset >= MAX_SCANNED) throw badRequest('tooMany', 'this filter would look at too many resources');
    const rows = await read(offset, SCAN);
    for (const resource of await shown(rows)) if (matches(filter, resource)) found.push(resource);
    if (rows.length < SCAN) return found;
  }
};

const namesOf = (text: string): Path[] => {
  const names = text.split(',').map((name) => name.trim());
  if (names.length > MAX_NAMED)
    throw badRequest('invalidValue', `at most ${MAX_NAMED} attributes can be named`);
  return names.filter((name) => name !== '').map(pathOf);
};

const ALWAYS = new Set(['id', 'schemas']);

const isNamed = (paths: readonly Path[], schema: string | null, name: string): Path[] =>
  paths.filter(
    (path) =>
      path.name === name &&
      (schema === null ? path.schema?.includes(':extension:') !== true : path.schema === schema),
  );

const onlyParts = (value: unknown, subs: ReadonlySet<string>, keep: boolean): unknown => {
  const cut = (one: unknown): unknown =>
    isObject(one)
      ? Object.fromEntries(Object.entries(one).filter(([key]) => subs.has(key.toLowerCase()) === keep))
      : one;
  return Array.isArray(value) ? value.map(cut) : cut(value);
};

/** One level of attributes: with those that are named, or without them. */
const select = (
  resource: Resource,
  paths: readonly Path[],
  schema: string | null,
  keep: boolean,
): Resource => {
  const entries = Object.entries(resource).flatMap(([key, value]): [string, unknown][] => {
    const name = key.toLowerCase();
    if (schema === null && ALWAYS.has(name)) return [[key, value]];
    if (schema === null && name.startsWith('urn:')) {
      if (!isObject(value)) return [];
      const whole = paths.some((path) => `${path.schema}:${path.name}` === name);
      const inner = whole ? (keep ? value : {}) : select(value, paths, name, keep);
      return Object.keys(inner).length === 0 ? [] : [[key, inner]];
    }
    const found = isNamed(paths, schema, name);
    if (found.length === 0) return keep ? [] : [[key, value]];
    const subs = new Set(found.flatMap((path) => (path.sub === null ? [] : [path.sub])));
    const isWhole = found.some((path) => path.sub === null);
    if (isWhole) return keep ? [[key, value]] : [];
    return [[key, onlyParts(value, subs, keep)]];
  });
  return Object.fromEntries(entries);
};

/** The attributes that are asked for. Throws where both are asked. */
export const partsOf = ({ attributes, excludedAttributes }: Parts): ((resource: Resource) => Resource) => {
  if (attributes !== undefined && attributes !== '') {
    if (excludedAttributes !== undefined && excludedAttributes !== '')
      throw badRequest('invalidValue', 'attributes and excludedAttributes cannot be asked for together');
    const paths = namesOf(attributes);
    return (resource) => select(resource, paths, null, true);
  }
  if (excludedAttributes === undefined || excludedAttributes === '') return (resource) => resource;
  const paths = namesOf(excludedAttributes);
  return (resource) => select(resource, paths, null, false);
};

/** Whether an attribute need not be read at all. */
export const leavesOut = ({ attributes, excludedAttributes }: Parts, name: string): boolean => {
  const isIn = (text: string | undefined): boolean =>
    text !== undefined && text !== '' && namesOf(text).some((path) => path.name === name);
  return isIn(excludedAttributes) || (attributes !== undefined && attributes !== '' && !isIn(attributes));
};
