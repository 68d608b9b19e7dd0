import { isStorable } from '../../kernel/storable.ts';
import { type Attribute, isObject, named, type Resource, type ResourceKind } from './attributes.ts';
import { foldName, foldText } from './comparing.ts';
import { badRequest } from './refusals.ts';

/** Filters of RFC 7644, section 3.4.2.2, within limits; also what stands in the brackets of a PATCH path. */

export const COMPARISONS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;
export type Comparison = (typeof COMPARISONS)[number];
export type Value = string | number | boolean | null;

export type Filter =
  | { is: 'and' | 'or'; parts: readonly Filter[] }
  | { is: 'not'; part: Filter }
  | { is: 'present'; path: Path }
  | { is: 'compare'; path: Path; by: Comparison; value: Value }
  /** `emails[type eq "work"]`: one value of many fulfils all. */
  | { is: 'within'; path: Path; part: Filter };

/** Lower case. */
export interface Path {
  /** Of an extension; null for the resource's own attributes. */
  schema: string | null;
  name: string;
  sub: string | null;
}

const MAX_CHARACTERS = 2_000;
const MAX_TERMS = 40;
const MAX_DEPTH = 8;

type Token = { is: 'word'; text: string } | { is: 'string'; text: string } | { is: '(' | ')' | '[' | ']' };

const wrong = (detail: string) => badRequest('invalidFilter', detail);

const ENDS_WORD = new Set([' ', '(', ')', '[', ']', '"', '\t', '\n', '\r']);

/** The JSON string that begins at `start`, and where it ends. */
const stringAt = (text: string, start: number): { value: string; end: number } => {
  let end = start + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  if (end >= text.length) throw wrong('a text in the filter has no end');
  let value: string;
  try {
    value = String(JSON.parse(text.slice(start, end + 1)));
  } catch {
    throw wrong('a text in the filter is no JSON string');
  }
  // Escapes within it are not seen where the body is read.
  if (!isStorable(value))
    throw badRequest('invalidValue', 'a text in the filter must be without NUL and lone surrogates');
  return { value, end: end + 1 };
};

const tokensOf = (text: string): Token[] => {
  if (text.length > MAX_CHARACTERS) throw wrong(`the filter is longer than ${MAX_CHARACTERS} characters`);
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const sign = text[at] ?? '';
    if (sign === '(' || sign === ')' || sign === '[' || sign === ']') {
      tokens.push({ is: sign });
      at += 1;
    } else if (sign === '"') {
      const { value, end } = stringAt(text, at);
      tokens.push({ is: 'string', text: value });
      at = end;
    } else if (sign.trim() === '') at += 1;
    else {
      const start = at;
      while (at < text.length && !ENDS_WORD.has(text[at] ?? ' ')) at += 1;
      tokens.push({ is: 'word', text: text.slice(start, at) });
    }
  }
  return tokens;
};

const NAME = /^[a-z$][a-z0-9_$-]{0,63}$/i;

/** `emails.value`, `urn:…:User:department`. Throws where it is none. */
export const pathOf = (text: string): Path => {
  const isUrn = text.toLowerCase().startsWith('urn:');
  // The version in the urn has a dot, so that what follows its last colon is the attribute.
  const colon = isUrn ? text.lastIndexOf(':') : -1;
  const [name = '', sub, ...rest] = text.slice(colon + 1).split('.');
  const fits = NAME.test(name) && (sub === undefined || NAME.test(sub)) && rest.length === 0;
  if (!fits) throw wrong(`${text.slice(0, 80)} names no attribute`);
  return {
    schema: isUrn ? text.slice(0, colon).toLowerCase() : null,
    name: name.toLowerCase(),
    sub: sub?.toLowerCase() ?? null,
  };
};

const literalOf = (token: Token | undefined): Value => {
  if (token?.is === 'string') return token.text;
  if (token?.is === 'word') {
    const word = token.text.toLowerCase();
    if (word === 'true' || word === 'false') return word === 'true';
    if (word === 'null') return null;
    if (/^-?\d{1,15}(\.\d{1,15})?$/.test(word)) return Number(word);
  }
  throw wrong('a comparison lacks its value: a text in double quotes, a number, true, false or null');
};

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #terms = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): Filter {
    const filter = this.#or(0);
    if (this.#at < this.#tokens.length) throw wrong('the filter goes on after its end');
    return filter;
  }

  #isWord(word: string): boolean {
    const token = this.#tokens[this.#at];
    return token?.is === 'word' && token.text.toLowerCase() === word;
  }

  #isSign(sign: '(' | ')' | '[' | ']'): boolean {
    return this.#tokens[this.#at]?.is === sign;
  }

  #expect(sign: ')' | ']'): void {
    if (!this.#isSign(sign)) throw wrong(`the filter lacks ${sign}`);
    this.#at += 1;
  }

  #or(depth: number): Filter {
    return this.#joined('or', depth, () => this.#and(depth));
  }

  #and(depth: number): Filter {
    return this.#joined('and', depth, () => this.#one(depth));
  }

  #joined(is: 'and' | 'or', depth: number, next: () => Filter): Filter {
    if (depth > MAX_DEPTH) throw wrong(`the filter is nested deeper than ${MAX_DEPTH} levels`);
    const parts = [next()];
    while (this.#isWord(is)) {
      this.#at += 1;
      parts.push(next());
    }
    return parts.length === 1 ? (parts[0] as Filter) : { is, parts };
  }

  #one(depth: number): Filter {
    if (this.#isWord('not')) {
      this.#at += 1;
      if (!this.#isSign('(')) throw wrong('not is followed by parentheses');
      return { is: 'not', part: this.#grouped(depth) };
    }
    return this.#isSign('(') ? this.#grouped(depth) : this.#term(depth);
  }

  #grouped(depth: number): Filter {
    this.#at += 1;
    const inner = this.#or(depth + 1);
    this.#expect(')');
    return inner;
  }

  #term(depth: number): Filter {
    this.#terms += 1;
    if (this.#terms > MAX_TERMS) throw wrong(`the filter has more than ${MAX_TERMS} terms`);
    const token = this.#tokens[this.#at];
    if (token?.is !== 'word') throw wrong('the filter lacks the name of an attribute');
    const path = pathOf(token.text);
    this.#at += 1;
    return this.#isSign('[') ? this.#within(path, depth) : this.#tested(path);
  }

  /** `emails[type eq "work"]`, and as Entra ID writes it `emails[type eq "work"].value eq "…"`. */
  #within(path: Path, depth: number): Filter {
    this.#at += 1;
    const part = this.#or(depth + 1);
    this.#expect(']');
    const token = this.#tokens[this.#at];
    if (token?.is !== 'word' || !token.text.startsWith('.')) return { is: 'within', path, part };
    this.#at += 1;
    return {
      is: 'within',
      path,
      part: { is: 'and', parts: [part, this.#tested(pathOf(token.text.slice(1)))] },
    };
  }

  #tested(path: Path): Filter {
    if (this.#isWord('pr')) {
      this.#at += 1;
      return { is: 'present', path };
    }
    const operator = this.#tokens[this.#at];
    const by = COMPARISONS.find((word) => operator?.is === 'word' && operator.text.toLowerCase() === word);
    if (by === undefined) throw wrong(`${path.name} is followed by no operator that is known`);
    const value = literalOf(this.#tokens[this.#at + 1]);
    this.#at += 2;
    return { is: 'compare', path, by, value };
  }
}

/** Throws invalidFilter. */
export const parseFilter = (text: string): Filter => new Parser(tokensOf(text)).whole();

const field = (resource: Resource, name: string): unknown =>
  Object.entries(resource).find(([key]) => key.toLowerCase() === name)?.[1];

const listed = (value: unknown): unknown[] =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];

const holderOf = (resource: Resource, path: Path): Resource => {
  if (path.schema === null) return resource;
  const extension = field(resource, path.schema);
  return isObject(extension) ? extension : resource;
};

/** Values of a path: those of a complex attribute without a part are their `value`. */
const valuesAt = (resource: Resource, path: Path): unknown[] =>
  listed(field(holderOf(resource, path), path.name)).flatMap((value) =>
    isObject(value) ? listed(field(value, path.sub ?? 'value')) : path.sub === null ? [value] : [],
  );

/** RFC 7643, section 2.2: an identifier counts as it is written, other texts whatever their case. */
const IS_EXACT = new Set(['id', 'externalid', '$ref']);

const compareTexts = (left: string, by: Comparison, right: string): boolean => {
  switch (by) {
    case 'eq':
      return left === right;
    case 'ne':
      return left !== right;
    case 'co':
      return left.includes(right);
    case 'sw':
      return left.startsWith(right);
    case 'ew':
      return left.endsWith(right);
    case 'gt':
      return left > right;
    case 'ge':
      return left >= right;
    case 'lt':
      return left < right;
    case 'le':
      return left <= right;
  }
};

const fulfils = (found: unknown, by: Comparison, value: Value, exact: boolean): boolean => {
  // Entra writes booleans as texts.
  const wanted = typeof found === 'boolean' ? String(value).toLowerCase() : String(value);
  const text = String(found);
  if (exact) return compareTexts(text, by, wanted);
  // Names are the same here that are the same where people are created.
  return by === 'eq'
    ? foldName(text) === foldName(wanted)
    : compareTexts(foldText(text), by, foldText(wanted));
};

const compares = (values: readonly unknown[], by: Comparison, value: Value, exact: boolean): boolean => {
  if (value === null) return by === 'eq' ? values.length === 0 : by === 'ne' && values.length > 0;
  if (by === 'ne') return !values.some((found) => fulfils(found, 'eq', value, exact));
  return values.some((found) => fulfils(found, by, value, exact));
};

export const matches = (filter: Filter, resource: Resource): boolean => {
  switch (filter.is) {
    case 'and':
      return filter.parts.every((part) => matches(part, resource));
    case 'or':
      return filter.parts.some((part) => matches(part, resource));
    case 'not':
      return !matches(filter.part, resource);
    case 'present':
      return (
        valuesAt(resource, filter.path).length > 0 ||
        listed(field(holderOf(resource, filter.path), filter.path.name)).some(
          (value) => filter.path.sub === null && isObject(value) && Object.keys(value).length > 0,
        )
      );
    case 'compare':
      return compares(
        valuesAt(resource, filter.path),
        filter.by,
        filter.value,
        IS_EXACT.has(filter.path.sub ?? filter.path.name),
      );
    case 'within':
      return listed(field(holderOf(resource, filter.path), filter.path.name)).some(
        (value) => isObject(value) && matches(filter.part, value),
      );
  }
};

/** Texts that attributes must equal for the filter to hold, by their names in lower case: by these a store can look. */
export const equalities = (filter: Filter): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  const parts = filter.is === 'and' ? filter.parts : [filter];
  for (const part of parts) {
    if (part.is !== 'compare' || part.by !== 'eq' || typeof part.value !== 'string') continue;
    if (part.path.schema?.includes(':extension:') === true) continue;
    found.set(part.path.sub === null ? part.path.name : `${part.path.name}.${part.path.sub}`, part.value);
  }
  return found;
};

/** The attribute that a path names, where the kind has it. */
export const attributeAt = (
  kind: ResourceKind,
  path: Path,
): { attribute: Attribute; extension: boolean } | null => {
  const inExtension = kind.extension !== undefined && path.schema === kind.extension.schema.toLowerCase();
  if (path.schema !== null && !inExtension && path.schema !== kind.schema.toLowerCase()) return null;
  const attribute = named(inExtension ? (kind.extension?.attributes ?? []) : kind.attributes, path.name);
  return attribute === undefined ? null : { attribute, extension: inExtension };
};
