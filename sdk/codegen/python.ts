import { pascal } from '../../server/src/http/document/words.ts';
import { SLOW } from './choices.ts';
import type { Alias, Api, Field, Method, Model, Type } from './models.ts';
import { snake } from './words.ts';

/** Python: classes of what is answered, TypedDicts of what is sent, and two classes for each resource, blocking and with asyncio. */

const HEAD = '# Generated from api/openapi.json by sdk/codegen. Do not edit.\n';

const RESERVED = new Set(
  (
    'and as assert async await break class continue def del elif else except finally for from global if import in ' +
    'is lambda nonlocal not or pass raise return try while with'
  ).split(' '),
);

const safe = (name: string): string => (RESERVED.has(name) ? `${name}_` : name);

/** Methods of dictionaries and of `Record`: a field of this name is an attribute with `_` behind it. */
const TAKEN = new Set(
  'clear copy fromkeys get items keys pop popitem setdefault to_dict update values'.split(' '),
);

const attribute = (name: string): string => (TAKEN.has(name) ? `${name}_` : safe(name));

/** In a class with a method `list` the plain name would mean that method. */
const typeText = (type: Type, list = 'list', prefix = ''): string => {
  const inner = (of: Type): string => typeText(of, list, prefix);
  switch (type.kind) {
    case 'string':
      return type.values.length === 0
        ? 'str'
        : `Literal[${type.values.map((value) => `"${value}"`).join(', ')}]`;
    case 'integer':
      return 'int';
    case 'number':
      return 'float';
    case 'boolean':
      return 'bool';
    case 'null':
      return 'None';
    case 'unknown':
      return 'Any';
    case 'array':
      return `${list}[${inner(type.of)}]`;
    case 'map':
      return `dict[str, ${inner(type.of)}]`;
    case 'nullable':
      return `${inner(type.of)} | None`;
    case 'ref':
      return prefix + type.name;
    case 'union':
      return type.of.map(inner).join(' | ');
  }
};

const docText = (text: string, indent: string): string =>
  text === ''
    ? ''
    : `${indent}"""${text.replaceAll('\\', '\\\\').replaceAll('"""', "'''").replace(/"$/, '\\"')}"""\n`;

const fieldText = ({ name, type, description }: Field): string => {
  if (RESERVED.has(name))
    throw new Error(`a field is named ${name}: write it in the functional form of TypedDict`);
  return `    ${name}: ${typeText(type)}\n${docText(description, '    ')}`;
};

/** `NotRequired` is of Python 3.11: what must be there stands in a class of its own. */
const sentText = ({ name, fields }: Model): string => {
  const needed = fields.filter((field) => field.required);
  const rest = fields.filter((field) => !field.required);
  const body = (list: readonly Field[]): string =>
    list.length === 0 ? '    pass\n' : list.map(fieldText).join('');
  if (rest.length === 0) return `class ${name}(TypedDict):\n${body(needed)}`;
  if (needed.length === 0) return `class ${name}(TypedDict, total=False):\n${body(rest)}`;
  return `class _${name}(TypedDict):\n${body(needed)}\n\nclass ${name}(_${name}, total=False):\n${body(rest)}`;
};

/** What may be absent reads as None. */
const attributeText = ({ name, type, required, description }: Field): string => {
  const text = typeText(type);
  const open = required || type.kind === 'nullable' || text === 'Any' || text === 'None';
  return `    ${attribute(name)}: ${open ? text : `${text} | None`}\n${docText(description, '    ')}`;
};

/** Whether the model can stand where one with this field is meant: what may be absent may be missing. */
const holds = (model: Model, { name, type, required }: Field): boolean => {
  const own = model.fields.find((field) => field.name === name);
  if (own === undefined) return !required;
  return JSON.stringify(own.type) === JSON.stringify(type) && (own.required || !required);
};

/** Fewer fields in common can be chance. */
const MIN_BASE_FIELDS = 3;

/** A `ConversationDetail` with every field of a `Conversation` is one: the largest such model is its base. */
const baseOf = (model: Model, answered: readonly Model[]): Model | null => {
  const bases = answered.filter(
    ({ name, fields }) =>
      name !== model.name &&
      model.name.includes(name) &&
      fields.length >= MIN_BASE_FIELDS &&
      fields.every((field) => holds(model, field)),
  );
  return bases.sort((a, b) => b.fields.length - a.fields.length)[0] ?? null;
};

/** Each with its base before it. */
const answeredTexts = (answered: readonly Model[]): string[] => {
  const written = new Map<string, string>();
  const write = (model: Model): void => {
    if (written.has(model.name)) return;
    const base = baseOf(model, answered);
    if (base !== null) write(base);
    const own = model.fields.filter(({ name }) => base?.fields.every((field) => field.name !== name) ?? true);
    const head = `class ${model.name}(${base?.name ?? 'Record'}):\n    __slots__ = ()\n`;
    written.set(model.name, head + own.map(attributeText).join(''));
  };
  answered.forEach(write);
  return [...written.values()];
};

/** How a value turns into models; null where it holds none. */
const shapeText = (type: Type, prefix = ''): string | null => {
  const wrapped = (of: Type, open: string, close: string): string | null => {
    const inner = shapeText(of, prefix);
    return inner === null ? null : `${open}${inner}${close}`;
  };
  switch (type.kind) {
    case 'ref':
      return prefix + type.name;
    case 'nullable':
      return shapeText(type.of, prefix);
    case 'array':
      return wrapped(type.of, '[', ']');
    case 'map':
      return wrapped(type.of, '{"*": ', '}');
    case 'union': {
      const parts = type.of.map((part) => shapeText(part, prefix)).filter((part) => part !== null);
      return parts.length === 0 ? null : `(${parts.join(', ')},)`;
    }
    default:
      return null;
  }
};

const boundText = ({ name, fields }: Model): string => {
  const shapes = fields.flatMap((field) => {
    const shape = shapeText(field.type);
    return shape === null ? [] : [`"${field.name}": ${shape}`];
  });
  const optional = fields.filter(({ required }) => !required).map((field) => `"${field.name}"`);
  if (shapes.length + optional.length === 0) return '';
  return `bind(${name}, {${shapes.join(', ')}}, [${optional.join(', ')}])\n`;
};

const writeModels = (api: Api): string => {
  const all = [...api.models, ...api.others].sort((a, b) => (a.name < b.name ? -1 : 1));
  const answered = all.filter(({ name }) => api.answered.has(name));
  const sent = all.filter(({ name }) => !api.answered.has(name));
  const alias = ({ name, type }: Alias): string => `${name}: TypeAlias = "${typeText(type)}"\n`;
  return [
    HEAD,
    'from __future__ import annotations\n',
    `from typing import Any, Literal, ${api.aliases.length === 0 ? '' : 'TypeAlias, '}TypedDict\n`,
    'from .._record import Record, bind\n\n',
    [...sent.map(sentText), ...answeredTexts(answered)].join('\n\n'),
    ...(api.aliases.length === 0 ? [] : [`\n${api.aliases.map(alias).join('')}`]),
    `\n${answered.map(boundText).join('')}`,
  ].join('\n');
};

/** `pentarch.models`: every name of the generated file, said one by one so that checkers know them. */
const writeModelNames = (api: Api): string => {
  const names = [...api.models, ...api.others, ...api.aliases].map(({ name }) => name);
  const sorted = names.sort();
  return [
    HEAD,
    '"""Every named component of the API: what is answered as classes, what is sent as TypedDicts."""\n',
    'from ._generated.models import (',
    ...sorted.map((name) => `    ${name},`),
    ')\n',
    '__all__ = [',
    ...sorted.map((name) => `    "${name}",`),
    ']\n',
  ].join('\n');
};

interface Parts {
  readonly parameters: string;
  readonly call: string;
}

const optionalText = ({ name, type, required }: Field): string => {
  const text = typeText(type, 'builtins.list', 'm.');
  return required ? `${safe(name)}: ${text}` : `${safe(name)}: ${text} | NotGiven = NOT_GIVEN`;
};

const partsOf = ({ operation, query, body, bodyModel }: Method): Parts => {
  const taken = new Set([...(bodyModel?.fields ?? []), ...(query?.fields ?? [])].map((field) => field.name));
  const pathName = (name: string): string => (taken.has(name) ? `${safe(snake(name))}_` : safe(snake(name)));
  const positional = ['self', ...operation.pathParameters.map((name) => `${pathName(name)}: str`)];
  const named: string[] = [];
  const path = operation.path.replace(
    /\{([^}]+)\}/g,
    (_all, name: string) => `{_segment(${pathName(name)})}`,
  );
  const call = [`"${operation.method}"`, `${path.includes('{') ? 'f' : ''}"${path}"`];
  const byNeed = (fields: readonly Field[]): Field[] => [
    ...fields.filter((field) => field.required),
    ...fields.filter((field) => !field.required),
  ];
  const given = (fields: readonly Field[]): string =>
    `given(${fields.map(({ name }) => `${safe(name)}=${safe(name)}`).join(', ')})`;
  if (query !== null) {
    named.push(...byNeed(query.fields).map(optionalText));
    call.push(`query=${given(query.fields)}`);
  }
  if (operation.bodyKind === 'ndjson') {
    positional.push('lines: str');
    call.push('raw=_lines(lines)');
  } else if (bodyModel !== null) {
    named.unshift(...byNeed(bodyModel.fields).map(optionalText));
    call.push(`json=${given(bodyModel.fields)}`);
  } else if (body !== null) {
    positional.push(`body: ${typeText(body, 'builtins.list', 'm.')}`);
    call.push('json=body');
  }
  if (SLOW.has(operation.id)) call.push('slow=True');
  const all = [...positional, '*', ...named, 'options: CallOptions | None = None'];
  return { parameters: all.join(',\n        '), call: `Call(${call.join(', ')})` };
};

interface Shape {
  readonly returns: string;
  /** The method of the connection. */
  readonly run: string;
  /** What makes models of the answer. */
  readonly kind: string | null;
  readonly awaited: boolean;
}

/** The items of pages are models: their class makes them. */
const itemOf = (type: Type): string => {
  if (type.kind !== 'ref') throw new Error('a list has items that are no model');
  return `m.${type.name}`;
};

const shapeOf = ({ operation, response, paging }: Method, asynchronous: boolean): Shape => {
  if (paging !== null) {
    const item = itemOf(paging.item);
    return paging.bare
      ? { returns: `builtins.list[${item}]`, run: 'models', kind: item, awaited: true }
      : { returns: `Page[${item}]`, run: 'page', kind: item, awaited: true };
  }
  const plain = (returns: string, run: string): Shape => ({ returns, run, kind: null, awaited: true });
  switch (operation.responseKind) {
    case 'stream':
      return { ...plain(asynchronous ? 'AsyncChatStream' : 'ChatStream', 'stream'), awaited: false };
    case 'none':
      return plain('None', 'none');
    case 'text':
      return plain('str', 'text');
    case 'bytes':
      return plain('bytes', 'content');
    case 'json': {
      if (response === null) return plain('Any', 'json');
      const returns = typeText(response, 'builtins.list', 'm.');
      if (response.kind === 'ref') return { returns, run: 'model', kind: returns, awaited: true };
      return { returns, run: 'json', kind: shapeText(response, 'm.'), awaited: true };
    }
  }
};

const methodText = (method: Method, asynchronous: boolean): string => {
  const { operation, paging } = method;
  const { parameters, call } = partsOf(method);
  const name = safe(snake(operation.name));
  const { returns, run, kind, awaited } = shapeOf(method, asynchronous);
  const waits = asynchronous && awaited;
  const told = run === 'json' || kind === null ? '' : `${kind}, `;
  const inner = `${waits ? 'await ' : ''}self._http.${run}(${told}${call}, options)`;
  const shaped = kind === null ? inner : `shaped(${kind}, ${inner})`;
  // The types are those of the document; the server checks its answers against it.
  const result = run === 'json' ? `cast("${returns.replaceAll('"', "'")}", ${shaped})` : inner;
  const text =
    `    ${waits ? 'async ' : ''}def ${name}(\n        ${parameters},\n    ) -> ${returns}:\n` +
    docText(operation.summary, '        ') +
    `        ${run === 'none' ? '' : 'return '}${result}\n`;
  if (paging === null) return text;
  const item = itemOf(paging.item);
  return (
    `${text}\n    def ${name}_all(\n        ${parameters},\n    ) -> ${asynchronous ? 'AsyncIterator' : 'Iterator'}[${item}]:\n` +
    `        """Every item of \`${name}\`, page by page."""\n` +
    `        return self._http.${paging.bare ? 'all_bare' : 'all'}(${item}, ${call}, options)\n`
  );
};

const classText = (name: string, methods: readonly Method[], asynchronous: boolean): string => {
  const head = `class ${asynchronous ? 'Async' : ''}${pascal(name)}:\n`;
  const init = `    def __init__(self, http: ${asynchronous ? 'AsyncHttp' : 'Http'}) -> None:\n        self._http = http\n`;
  return [head + init, ...methods.map((method) => methodText(method, asynchronous))].join('\n');
};

const allText = (api: Api, asynchronous: boolean): string => {
  const prefix = asynchronous ? 'Async' : '';
  return [
    `class ${prefix}AllResources:`,
    `    def __init__(self, http: ${prefix}Http) -> None:`,
    ...[...api.resources.keys()].map(
      (name) => `        self.${snake(name)} = ${prefix}${pascal(name)}(http)`,
    ),
    '',
  ].join('\n');
};

const writeResources = (api: Api): string => {
  const classes = [...api.resources].flatMap(([name, methods]) => [
    classText(name, methods, false),
    classText(name, methods, true),
  ]);
  return [
    HEAD,
    'from __future__ import annotations\n',
    'import builtins',
    'from typing import Any, AsyncIterator, Iterator, Literal, cast',
    'from urllib.parse import quote\n',
    'from .._core import NOT_GIVEN, Call, CallOptions, NotGiven, Raw, given',
    'from .._http import AsyncChatStream, AsyncHttp, ChatStream, Http, Page',
    'from .._record import shaped',
    'from . import models as m\n\n',
    'def _segment(value: str) -> str:\n    return quote(value, safe="")\n\n',
    'def _lines(text: str) -> Raw:',
    '    data = text.encode()',
    '    return Raw("application/x-ndjson", lambda: [data], len(data))\n\n',
    [...classes, allText(api, false), allText(api, true)].join('\n\n'),
  ].join('\n');
};

export const writePython = (api: Api): Map<string, string> =>
  new Map([
    ['sdk/python/src/pentarch/_generated/models.py', writeModels(api)],
    ['sdk/python/src/pentarch/_generated/resources.py', writeResources(api)],
    ['sdk/python/src/pentarch/models.py', writeModelNames(api)],
  ]);
