import { SLOW } from './choices.ts';
import type { Api, Field, Method, Type } from './models.ts';

/** What the command line needs to know of each operation: its options come from here. */

const HEAD = '// Generated from api/openapi.json by sdk/codegen. Do not edit.\n';

interface Flat {
  kind: string;
  list: boolean;
  values: readonly string[];
  nullable: boolean;
}

/** A type as one option can hold it; what is no plain value is given as JSON. */
const flat = (type: Type): Flat => {
  const plain = (kind: string, values: readonly string[] = []): Flat => ({
    kind,
    list: false,
    values,
    nullable: false,
  });
  switch (type.kind) {
    case 'string':
      return plain('text', type.values);
    case 'integer':
    case 'number':
      return plain(type.kind);
    case 'boolean':
      return plain('flag');
    case 'nullable':
      return { ...flat(type.of), nullable: true };
    case 'array': {
      const inner = flat(type.of);
      // A list of texts or of objects: the texts are what is typed.
      const text = type.of.kind === 'union' && type.of.of.some(({ kind }) => kind === 'string');
      if (text) return { ...plain('text'), list: true };
      return inner.list || inner.kind === 'json' ? plain('json') : { ...inner, list: true };
    }
    default:
      return plain('json');
  }
};

const fieldOf = ({ name, type, required, description }: Field) => {
  const { kind, list, values, nullable } = flat(type);
  return { name, kind, list, values, nullable, required, about: description };
};

const operationOf = ({ operation, query, bodyModel, paging }: Method) => ({
  resource: operation.resource,
  method: operation.method,
  path: operation.path,
  about: operation.summary,
  pathParameters: operation.pathParameters,
  query: (query?.fields ?? []).map(fieldOf),
  bodyKind: operation.bodyKind,
  body: (bodyModel?.fields ?? []).map(fieldOf),
  answer: operation.responseKind,
  list: paging === null ? 'none' : paging.bare ? 'bare' : 'page',
  slow: SLOW.has(operation.id),
});

export const writeCli = (api: Api): Map<string, string> => {
  const methods = [...api.resources.values()].flat().filter(({ operation }) => !operation.asEvents);
  const entries = methods.map(
    (method) => `  ${method.operation.id}: ${JSON.stringify(operationOf(method))},\n`,
  );
  const text = [
    HEAD,
    "import type { Operation } from '../operation.ts';\n",
    `export const OPERATIONS = {\n${entries.join('')}} as const satisfies Record<string, Operation>;\n`,
    'export type OperationId = keyof typeof OPERATIONS;\n',
  ].join('\n');
  return new Map([['cli/src/generated/operations.ts', text]]);
};
