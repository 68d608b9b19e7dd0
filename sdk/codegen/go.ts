import { SLOW } from './choices.ts';
import type { Api, Field, Method, Model, Type } from './models.ts';
import { goLocal, goName } from './words.ts';

/** Go: structs, and one type of methods for each resource; in the form that gofmt gives. */

const HEAD = '// Code generated from api/openapi.json by sdk/codegen. DO NOT EDIT.\n\npackage pentarch\n';

const RESERVED = new Set(
  (
    'break case chan const continue default defer else fallthrough for func go goto if import interface map package ' +
    'range return select struct switch type var ctx query body options c'
  ).split(' '),
);

const local = (name: string): string => {
  const text = goLocal(name);
  return RESERVED.has(text) ? `${text}Value` : text;
};

const typeText = (type: Type): string => {
  switch (type.kind) {
    case 'string':
      return 'string';
    case 'integer':
      return 'int64';
    case 'number':
      return 'float64';
    case 'boolean':
      return 'bool';
    case 'null':
    case 'unknown':
    case 'union':
      return 'any';
    case 'array':
      return `[]${typeText(type.of)}`;
    case 'map':
      return `map[string]${typeText(type.of)}`;
    case 'nullable': {
      const inner = typeText(type.of);
      return /^(\[\]|map|any)/.test(inner) ? inner : `*${inner}`;
    }
    case 'ref':
      return goName(type.name);
  }
};

const valuesOf = (type: Type): readonly string[] => {
  if (type.kind === 'string') return type.values;
  return type.kind === 'nullable' || type.kind === 'array' ? valuesOf(type.of) : [];
};

const comment = (text: string, indent: string): string[] =>
  text === '' ? [] : text.split('\n').map((line) => `${indent}// ${line}`.trimEnd());

/** Columns of consecutive lines are aligned, as gofmt does; a comment starts anew. */
const aligned = (lines: readonly (string | readonly string[])[]): string[] => {
  const out: string[] = [];
  let group: (readonly string[])[] = [];
  const flush = (): void => {
    const widths = [0, 1].map((n) => Math.max(0, ...group.map((cells) => [...(cells[n] ?? '')].length)));
    for (const cells of group) {
      const text = cells
        .map((cell, n) => (n < cells.length - 1 ? cell.padEnd(widths[n] ?? 0) : cell))
        .join(' ');
      out.push(`\t${text}`);
    }
    group = [];
  };
  for (const line of lines) {
    if (typeof line === 'string') {
      flush();
      out.push(line);
    } else group.push(line);
  }
  flush();
  return out;
};

const fieldLines = (field: Field, sent: boolean): (string | string[])[] => {
  const { name, type, required, description } = field;
  const values = valuesOf(type);
  const note =
    values.length === 0
      ? description
      : `${description === '' ? '' : `${description}. `}One of: ${values.join(', ')}.`;
  const base = typeText(type);
  const plain = /^(\[\]|map|any)/.test(base);
  let text = base;
  let tag = name;
  if (!required) {
    tag += plain ? ',omitzero' : ',omitempty';
    if (type.kind === 'nullable' && sent && !plain) text = `*Nullable[${typeText(type.of)}]`;
    else if (!plain && !base.startsWith('*')) text = `*${base}`;
  }
  return [...comment(note, '\t'), [goName(name), text, `\`json:"${tag}"\``]];
};

/** Models that a body holds: only there does it matter whether null is sent or nothing. */
const sentModels = (api: Api): Set<string> => {
  const byName = new Map(api.models.map((model) => [model.name, model]));
  const found = new Set<string>();
  const visit = (type: Type): void => {
    if (type.kind === 'ref' && !found.has(type.name)) {
      found.add(type.name);
      for (const field of byName.get(type.name)?.fields ?? []) visit(field.type);
    } else if (type.kind === 'array' || type.kind === 'map' || type.kind === 'nullable') visit(type.of);
    else if (type.kind === 'union') type.of.forEach(visit);
  };
  for (const methods of api.resources.values())
    for (const { body } of methods) if (body !== null) visit(body);
  return found;
};

const modelText = ({ name, fields }: Model, sent: boolean): string => {
  const type = goName(name);
  if (fields.length === 0) return `// ${type} has no fields.\ntype ${type} struct{}\n`;
  const lines = aligned(fields.flatMap((field) => fieldLines(field, sent)));
  return [`// ${type} is a model of the API.`, `type ${type} struct {`, ...lines, '}', ''].join('\n');
};

/** An answer that may be one of several: all of their fields. */
const outcomeName = ({ operation }: Method): string => `${goName(operation.id)}Outcome`;

const outcomeText = (method: Method): string[] => {
  const { response } = method;
  if (response?.kind !== 'union') return [];
  const name = outcomeName(method);
  const parts = response.of.map((part) => `\t${typeText(part)}`);
  return [
    `// ${name} holds the one of these that the server answered.\ntype ${name} struct {\n${parts.join('\n')}\n}\n`,
  ];
};

const queryLine = ({ name, type }: Field): string => {
  const field = `query.${goName(name)}`;
  const key = `"${name}"`;
  const base = typeText(type);
  if (base === 'string') return `\tsetText(values, ${key}, ${field})`;
  if (base === 'int64') return `\tsetInteger(values, ${key}, ${field})`;
  if (base === '[]string') return `\tvalues[${key}] = ${field}`;
  return `\tsetAny(values, ${key}, ${field})`;
};

const queryText = ({ name, fields }: Model): string => {
  const type = goName(name);
  const lines = aligned(
    fields.flatMap(({ name: field, type: of, description }): (string | string[])[] => {
      const values = valuesOf(of);
      const note = values.length === 0 ? description : `One of: ${values.join(', ')}.`;
      const base = typeText(of);
      const text = ['string', 'int64', '[]string'].includes(base) ? base : `*${base.replace(/^\*/, '')}`;
      return [...comment(note, '\t'), [goName(field), text]];
    }),
  );
  return [
    `// ${type} narrows a list; zero values are left out.`,
    `type ${type} struct {`,
    ...lines,
    '}\n',
    `func (query *${type}) values() url.Values {`,
    '\tvalues := url.Values{}',
    '\tif query == nil {',
    '\t\treturn values',
    '\t}',
    ...fields.map(queryLine),
    '\treturn values',
    '}\n',
  ].join('\n');
};

const methodText = (resource: string, method: Method): string => {
  const { operation, query, body, response, paging } = method;
  const receiver = `func (r *${goName(resource)}) `;
  const parameters = [
    'ctx context.Context',
    ...operation.pathParameters.map((name) => `${local(name)} string`),
  ];
  const path = operation.path.split(/(\{[^}]+\})/).flatMap((part) => {
    if (part === '') return [];
    return part.startsWith('{') ? [`url.PathEscape(${local(part.slice(1, -1))})`] : [`"${part}"`];
  });
  const call = [`method: "${operation.method}"`, `path: ${path.join(' + ')}`];
  if (operation.bodyKind === 'ndjson') {
    parameters.push('lines string');
    call.push('raw: textBody("application/x-ndjson", lines)');
  } else if (body !== null) {
    parameters.push(`body ${typeText(body)}`);
    call.push('json: body');
  }
  if (query !== null) {
    parameters.push(`query *${goName(query.name)}`);
    call.push('query: query.values()');
  }
  if (SLOW.has(operation.id)) call.push('slow: true');
  parameters.push('options ...CallOption');
  const name = goName(operation.name);
  const list = parameters.join(', ');
  const built = `call{${call.join(', ')}}`;
  const doc = [...comment(`${name}: ${operation.summary}`, ''), ''].join('\n');
  const one = (returns: string, run: string): string =>
    `${doc}${receiver}${name}(${list}) ${returns} {\n\treturn ${run}\n}\n`;
  switch (operation.responseKind) {
    case 'stream':
      return one('iter.Seq2[ChatEvent, error]', `r.http.stream(ctx, ${built}, options)`);
    case 'none':
      return one('error', `r.http.none(ctx, ${built}, options)`);
    case 'text':
      return one('(string, error)', `r.http.text(ctx, ${built}, options)`);
    case 'bytes':
      return one('([]byte, error)', `r.http.bytes(ctx, ${built}, options)`);
    case 'json':
      break;
  }
  if (paging !== null) {
    const item = typeText(paging.item);
    const page = paging.bare ? `[]${item}` : `*Page[${item}]`;
    const read = paging.bare ? `getValue[[]${item}]` : `getJSON[Page[${item}]]`;
    const walk = paging.bare ? 'allBareItems' : 'allItems';
    return (
      one(`(${page}, error)`, `${read}(ctx, r.http, ${built}, options)`) +
      `\n// ${name}All gives every item of ${name}, page by page; it ends after the first error.\n` +
      `${receiver}${name}All(${list}) iter.Seq2[${item}, error] {\n` +
      `\treturn ${walk}[${item}](ctx, r.http, ${built}, options)\n}\n`
    );
  }
  if (response?.kind === 'union') {
    return one(
      `(*${outcomeName(method)}, error)`,
      `getJSON[${outcomeName(method)}](ctx, r.http, ${built}, options)`,
    );
  }
  const type = response === null ? 'any' : typeText(response);
  if (response?.kind === 'ref') {
    return one(`(*${type}, error)`, `getJSON[${type}](ctx, r.http, ${built}, options)`);
  }
  return one(`(${type}, error)`, `getValue[${type}](ctx, r.http, ${built}, options)`);
};

const resourceText = (name: string, methods: readonly Method[]): string => {
  const type = goName(name);
  return [
    `// ${type} are the operations on this resource.\ntype ${type} struct{ http *transport }\n`,
    ...methods.map((method) => methodText(name, method)),
  ].join('\n');
};

const allText = (api: Api): string => {
  const names = [...api.resources.keys()];
  return [
    '// Resources are all operations, by resource.',
    'type Resources struct {',
    ...aligned(names.map((name) => [goName(name), `*${goName(name)}`])),
    '}\n',
    'func newResources(http *transport) Resources {',
    '\treturn Resources{',
    ...aligned(names.map((name) => [`${goName(name)}:`, `&${goName(name)}{http},`])).map(
      (line) => `\t${line}`,
    ),
    '\t}',
    '}\n',
  ].join('\n');
};

const writeModels = (api: Api): string => {
  const sent = sentModels(api);
  const methods = [...api.resources.values()].flat();
  return [
    HEAD,
    'import "net/url"\n',
    ...api.models.map((model) => modelText(model, sent.has(model.name))),
    ...methods.flatMap(outcomeText),
    ...methods.flatMap(({ query }) => (query === null ? [] : [queryText(query)])),
  ].join('\n');
};

const writeResources = (api: Api): string =>
  [
    HEAD,
    'import (\n\t"context"\n\t"iter"\n\t"net/url"\n)\n',
    ...[...api.resources].map(([name, methods]) => resourceText(name, methods)),
    allText(api),
  ].join('\n');

export const writeGo = (api: Api): Map<string, string> =>
  new Map([
    ['sdk/go/models_gen.go', writeModels(api)],
    ['sdk/go/resources_gen.go', writeResources(api)],
  ]);
