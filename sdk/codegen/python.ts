import { pascal } from '../../server/src/http/document/words.ts';
import { SLOW } from './choices.ts';
import type { Api, Field, Method, Model, Type } from './models.ts';
import { snake } from './words.ts';

/** Python: TypedDicts, and two classes for each resource, blocking and with asyncio. */

const HEAD = '# Generated from api/openapi.json by sdk/codegen. Do not edit.\n';

const RESERVED = new Set(
  (
    'and as assert async await break class continue def del elif else except finally for from global if import in ' +
    'is lambda nonlocal not or pass raise return try while with'
  ).split(' '),
);

const safe = (name: string): string => (RESERVED.has(name) ? `${name}_` : name);

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
  text === '' ? '' : `${indent}"""${text.replaceAll('\\', '\\\\').replaceAll('"""', "'''")}"""\n`;

const fieldText = ({ name, type, description }: Field): string => {
  if (RESERVED.has(name))
    throw new Error(`a field is named ${name}: write it in the functional form of TypedDict`);
  return `    ${name}: ${typeText(type)}\n${docText(description, '    ')}`;
};

/** `NotRequired` is of Python 3.11: what must be there stands in a class of its own. */
const modelText = ({ name, fields }: Model): string => {
  const needed = fields.filter((field) => field.required);
  const rest = fields.filter((field) => !field.required);
  const body = (list: readonly Field[]): string =>
    list.length === 0 ? '    pass\n' : list.map(fieldText).join('');
  if (rest.length === 0) return `class ${name}(TypedDict):\n${body(needed)}`;
  if (needed.length === 0) return `class ${name}(TypedDict, total=False):\n${body(rest)}`;
  return `class _${name}(TypedDict):\n${body(needed)}\n\nclass ${name}(_${name}, total=False):\n${body(rest)}`;
};

const writeModels = (api: Api): string =>
  [
    HEAD,
    'from __future__ import annotations\n',
    'from typing import Any, Literal, TypedDict\n\n',
    api.models.map(modelText).join('\n\n'),
  ].join('\n');

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
  readonly run: string;
  readonly awaited: boolean;
}

const shapeOf = (method: Method, asynchronous: boolean): Shape => {
  const { operation, response, paging } = method;
  if (paging !== null) {
    const item = typeText(paging.item, 'builtins.list', 'm.');
    if (paging.bare) return { returns: `builtins.list[${item}]`, run: 'json', awaited: true };
    return { returns: `Page[${item}]`, run: 'page', awaited: true };
  }
  switch (operation.responseKind) {
    case 'stream':
      return { returns: asynchronous ? 'AsyncChatStream' : 'ChatStream', run: 'stream', awaited: false };
    case 'none':
      return { returns: 'None', run: 'none', awaited: true };
    case 'text':
      return { returns: 'str', run: 'text', awaited: true };
    case 'bytes':
      return { returns: 'bytes', run: 'content', awaited: true };
    case 'json':
      return {
        returns: response === null ? 'Any' : typeText(response, 'builtins.list', 'm.'),
        run: 'json',
        awaited: true,
      };
  }
};

const methodText = (method: Method, asynchronous: boolean): string => {
  const { operation, paging } = method;
  const { parameters, call } = partsOf(method);
  const name = safe(snake(operation.name));
  const { returns, run, awaited } = shapeOf(method, asynchronous);
  const waits = asynchronous && awaited;
  const inner = `${waits ? 'await ' : ''}self._http.${run}(${call}, options)`;
  // The types are those of the document; the server checks its answers against it.
  const result = run === 'json' ? `cast("${returns.replaceAll('"', "'")}", ${inner})` : inner;
  const text =
    `    ${waits ? 'async ' : ''}def ${name}(\n        ${parameters},\n    ) -> ${returns}:\n` +
    docText(operation.summary, '        ') +
    `        ${run === 'none' ? '' : 'return '}${result}\n`;
  if (paging === null) return text;
  const iterator = `${asynchronous ? 'AsyncIterator' : 'Iterator'}[${typeText(paging.item, 'builtins.list', 'm.')}]`;
  return (
    `${text}\n    def ${name}_all(\n        ${parameters},\n    ) -> ${iterator}:\n` +
    `        """Every item of \`${name}\`, page by page."""\n` +
    `        return self._http.${paging.bare ? 'all_bare' : 'all'}(${call}, options)\n`
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
  ]);
