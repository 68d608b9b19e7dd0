import { SLOW } from './choices.ts';
import type { Api, Field, Method, Model, Type } from './models.ts';
import { camel } from './words.ts';

/** TypeScript: interfaces, and one object of methods for each resource. */

const HEAD = '// Generated from api/openapi.json by sdk/codegen. Do not edit.\n';

const typeText = (type: Type, page = ''): string => {
  switch (type.kind) {
    case 'string':
      return type.values.length === 0 ? 'string' : type.values.map((value) => `'${value}'`).join(' | ');
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
    case 'null':
    case 'unknown':
      return type.kind;
    case 'array': {
      const inner = typeText(type.of, page);
      return /^[\w.]+$/.test(inner) ? `${inner}[]` : `(${inner})[]`;
    }
    case 'map':
      return `Record<string, ${typeText(type.of, page)}>`;
    case 'nullable':
      return `${typeText(type.of, page)} | null`;
    case 'ref':
      return page + type.name;
    case 'union':
      return type.of.map((part) => typeText(part, page)).join(' | ');
  }
};

const comment = (text: string, indent: string): string =>
  text === '' ? '' : `${indent}/** ${text.replaceAll('*/', '* /')} */\n`;

const fieldText = ({ name, type, required, description }: Field): string => {
  const key = /^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`;
  return `${comment(description, '  ')}  ${key}${required ? '' : '?'}: ${typeText(type)};\n`;
};

const modelText = ({ name, fields }: Model): string =>
  `export interface ${name} {\n${fields.map(fieldText).join('')}}\n`;

const queriesOf = (api: Api): Model[] =>
  [...api.resources.values()].flatMap((methods) =>
    methods.flatMap(({ query }) => (query === null ? [] : [query])),
  );

const writeModels = (api: Api): string => {
  // A query is a type, not an interface, so that it fits the index signature of the runtime's query.
  const queries = queriesOf(api).map(
    ({ name, fields }) => `export type ${name} = {\n${fields.map(fieldText).join('')}};\n`,
  );
  return [HEAD, ...api.models.map(modelText), ...queries].join('\n');
};

const pathText = (path: string): string => {
  if (!path.includes('{')) return `'${path}'`;
  return `\`${path.replace(/\{([^}]+)\}/g, (_all, name: string) => `\${segment(${camel(name)})}`)}\``;
};

interface Parts {
  readonly parameters: string[];
  readonly call: string;
}

const partsOf = ({ operation, query, body }: Method): Parts => {
  const parameters = operation.pathParameters.map((name) => `${camel(name)}: string`);
  const fields = [`method: '${operation.method}'`, `path: ${pathText(operation.path)}`];
  if (operation.bodyKind === 'ndjson') {
    parameters.push('lines: string');
    fields.push("raw: { contentType: 'application/x-ndjson', body: () => lines }");
  } else if (body !== null) {
    parameters.push(`body: ${typeText(body, 'm.')}${operation.bodyRequired ? '' : ' = {}'}`);
    fields.push('json: body');
  }
  if (query !== null) {
    const optional = query.fields.every((field) => !field.required);
    parameters.push(`query: m.${query.name}${optional ? ' = {}' : ''}`);
    fields.push('query');
  }
  if (SLOW.has(operation.id)) fields.push('slow: true');
  parameters.push('options?: CallOptions');
  return { parameters, call: `{ ${fields.join(', ')} }` };
};

const methodText = (method: Method): string => {
  const { operation, response, paging } = method;
  const { parameters, call } = partsOf(method);
  const list = parameters.join(', ');
  const result = response === null ? 'unknown' : typeText(response, 'm.');
  const doc = comment(operation.summary, '  ');
  const name = operation.name;
  const one = (returns: string, run: string): string =>
    `${doc}  ${name}: (${list}): ${returns} =>\n    ${run},\n`;
  switch (operation.responseKind) {
    case 'stream':
      return one('ChatStream', `openStream(http, ${call}, options)`);
    case 'none':
      return one('Promise<void>', `http.none(${call}, options)`);
    case 'text':
      return one('Promise<string>', `http.text(${call}, options)`);
    case 'bytes':
      return one('Promise<Blob>', `http.blob(${call}, options)`);
    case 'json':
      break;
  }
  if (paging === null) return one(`Promise<${result}>`, `http.json(${call}, options)`);
  const item = typeText(paging.item, 'm.');
  const page = paging.bare ? `${item}[]` : `Page<${item}>`;
  const walk = paging.bare ? 'allBareItems' : 'allItems';
  return (
    one(`Promise<${page}>`, `http.json(${call}, options)`) +
    `  /** Every item of \`${name}\`, page by page. */\n` +
    `  ${name}All: (${list}): AsyncGenerator<${item}> =>\n    ${walk}(http, ${call}, options),\n`
  );
};

const writeResources = (api: Api): string => {
  const resources = [...api.resources].map(
    ([name, methods]) =>
      `export const ${name} = (http: Http) => ({\n${methods.map(methodText).join('')}});\n`,
  );
  const all = [...api.resources.keys()];
  const index = [
    '/** Every resource over one connection. */',
    'export const allResources = (http: Http) => ({',
    ...all.map((name) => `  ${name}: ${name}(http),`),
    '});\n',
  ].join('\n');
  const imports = [
    "import type { CallOptions, Http } from '../http.ts';",
    "import { allBareItems, allItems, type Page } from '../pages.ts';",
    "import { type ChatStream, openStream } from '../stream.ts';",
    "import type * as m from './models.ts';\n",
    'const segment = encodeURIComponent;\n',
  ].join('\n');
  return [HEAD, imports, ...resources, index].join('\n');
};

export const writeTypeScript = (api: Api): Map<string, string> =>
  new Map([
    ['sdk/typescript/src/generated/models.ts', writeModels(api)],
    ['sdk/typescript/src/generated/resources.ts', writeResources(api)],
  ]);
