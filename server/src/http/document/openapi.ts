import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { stringify } from 'yaml';
import { API_VERSION } from '../../kernel/version.ts';
import type { AnyRoute } from '../route.ts';
import { exampleOf } from './examples.ts';
import { isRecord, type Json, type ModelNames, type Named, nameModels, recordAt } from './models.ts';
import { shareParts } from './shared.ts';
import { TAGS } from './tags.ts';

const ERRORS: Record<number, string> = {
  401: 'No token, or one that is not valid',
  402: 'A cost limit leaves no room',
  403: 'The caller lacks a permission',
  404: 'Not found, or not for this caller',
  409: 'In conflict with the present state',
  413: 'The body is too large',
  415: 'This content type is not taken',
  422: 'The request is not valid; details.fields says where',
  429: 'Too many requests; Retry-After says when to try again',
  502: 'A model provider or MCP server answered wrongly',
  503: 'Not available now; Retry-After says when to try again',
  504: 'A model provider or MCP server did not answer in time',
};

const errorSchemaA = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'details', 'request_id'],
      properties: {
        code: { type: 'string' },
        message: { type: 'string' },
        details: { type: 'object', additionalProperties: true },
        request_id: { type: 'string' },
      },
    },
  },
};

const errorSchemaB = {
  type: 'object',
  required: ['error', 'message', 'code', 'details', 'request_id'],
  properties: {
    error: { type: 'string' },
    message: { type: 'string' },
    code: { type: 'string' },
    details: { type: 'object', additionalProperties: true },
    request_id: { type: 'string' },
  },
};

const errorSchemaOpenAi = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['message', 'type', 'param', 'code', 'request_id'],
      properties: {
        message: { type: 'string' },
        type: { type: 'string' },
        param: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        details: { type: 'object', additionalProperties: true },
        code: { type: 'string' },
        request_id: { type: 'string' },
      },
    },
  },
};

const errorSchemaAnthropic = {
  type: 'object',
  required: ['type', 'error', 'request_id'],
  properties: {
    type: { const: 'error' },
    error: {
      type: 'object',
      required: ['type', 'message'],
      properties: {
        type: { type: 'string' },
        message: { type: 'string' },
        details: { type: 'object', additionalProperties: true },
      },
    },
    request_id: { type: 'string' },
  },
};

/** JSON-RPC 2.0, section 5, with the reason as the A2A protocol has it. */
const errorSchemaRpc = {
  type: 'object',
  required: ['jsonrpc', 'id', 'error'],
  properties: {
    jsonrpc: { const: '2.0' },
    id: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] },
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'integer' },
        message: { type: 'string' },
        data: { type: 'array', items: { type: 'object', additionalProperties: true } },
      },
    },
  },
};

const ERROR_SCHEMAS: Readonly<Record<string, Json>> = {
  ErrorA: errorSchemaA,
  ErrorB: errorSchemaB,
  ErrorOpenAI: errorSchemaOpenAi,
  ErrorAnthropic: errorSchemaAnthropic,
  ErrorRpc: errorSchemaRpc,
};

/** On the doors of clients of other APIs. */
const isOpenAi = (path: string): boolean => path.startsWith('/v1/');
const shapeOf = (path: string): string => {
  if (path.startsWith('/v1/messages')) return 'ErrorAnthropic';
  if (isOpenAi(path)) return 'ErrorOpenAI';
  if (path.startsWith('/a2a')) return 'ErrorRpc';
  return path.startsWith('/v2') ? 'ErrorB' : 'ErrorA';
};

/** Errors that are rare at these methods: `default` stands for them there, so that the document stays small. */
const LEFT_TO_DEFAULT: Readonly<Record<string, ReadonlySet<string>>> = {
  get: new Set(['402', '409', '413', '415', '502', '504']),
  delete: new Set(['402', '413', '415', '502', '504']),
  patch: new Set(['402', '502', '504']),
  put: new Set(['402', '502', '504']),
};

interface OpenApiOperation {
  security?: unknown;
  responses?: Record<string, unknown>;
  parameters?: ({ name?: string } & Record<string, unknown>)[];
  requestBody?: { required?: boolean; content?: Record<string, { schema?: Record<string, unknown> }> };
}

/** Some clients write a list as `name[]`. That is accepted, and documented as `name` alone: generators take both for one. */
const withoutBrackets = (parameters: NonNullable<OpenApiOperation['parameters']>) => {
  const names = new Set(parameters.map(({ name }) => `${name}[]`));
  return parameters.filter(({ name = '' }) => !names.has(name));
};

/** A body without which the server goes on as with `{}`: nothing in it is asked for. */
const isOptional = (schema: Record<string, unknown> | undefined): boolean =>
  schema !== undefined &&
  schema.type === 'object' &&
  schema.required === undefined &&
  schema.minProperties === undefined;

/** Of an answer in several forms the schema describes the JSON; the others are text. */
const textBesideJson = (answer: unknown): void => {
  if (typeof answer !== 'object' || answer === null || !('content' in answer)) return;
  const content = answer.content as Record<string, unknown>;
  // A stream is no one text: its events are described where they are documented.
  if (content['text/event-stream'] !== undefined) content['text/event-stream'] = {};
  if (content['application/json'] === undefined) return;
  for (const type of Object.keys(content)) {
    if (type.startsWith('text/') && type !== 'text/event-stream')
      content[type] = { schema: { type: 'string' } };
  }
};

const SUCCESSES: Readonly<Record<string, string>> = {
  200: 'The answer',
  201: 'It was made',
  202: 'Taken; it goes on',
  204: 'Done; no body',
};

/** Fastify's plugin says "Default Response" of all that say nothing of themselves. */
const describeAnswer = (status: string, answer: unknown): void => {
  if (isRecord(answer) && answer.description === 'Default Response')
    answer.description = SUCCESSES[status] ?? 'The answer';
};

/** Adds to each operation what all share: error bodies, security, the idempotency header. */
const complete = (
  document: Record<string, unknown>,
  { publicOperations, bodiless, uploads }: Declared,
): void => {
  const paths = document.paths as Record<string, Record<string, OpenApiOperation & { operationId?: string }>>;
  for (const [path, methods] of Object.entries(paths)) {
    const shape = shapeOf(path);
    const api = path.startsWith('/v2') || path.startsWith('/api/v1') || isOpenAi(path);
    for (const [method, operation] of Object.entries(methods)) {
      const open = publicOperations.has(operation.operationId ?? '');
      if (open) operation.security = [];
      operation.responses ??= {};
      for (const [status, answer] of Object.entries(operation.responses)) {
        textBesideJson(answer);
        describeAnswer(status, answer);
      }
      const bare = bodiless.get(operation.operationId ?? '');
      if (bare !== undefined && operation.responses[bare.status] === undefined) {
        delete operation.responses.default;
        operation.responses[bare.status] = bare.bytes
          ? { description: 'The bytes', content: { '*/*': { schema: { type: 'string', format: 'binary' } } } }
          : { description: 'Done; no body' };
      }
      operation.responses.default ??= {
        description:
          'Any other error: refused before the operation was reached (400, 405, 408, 414, 417, 431), a fault of the server (500), or a status that is rare here',
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${shape}` } } },
      };
      if (operation.parameters !== undefined) operation.parameters = withoutBrackets(operation.parameters);
      const taken = uploads.get(operation.operationId ?? '');
      if (taken !== undefined) {
        const content = Object.entries(taken).map(([type, schema]) => [
          type,
          { schema: structuredClone(schema) },
        ]);
        operation.requestBody = { required: true, content: Object.fromEntries(content) };
      } else if (isOptional(operation.requestBody?.content?.['application/json']?.schema)) {
        operation.requestBody = { ...operation.requestBody, required: false };
      }
      if (!api) continue;
      for (const [status, description] of Object.entries(ERRORS)) {
        if ((open && status === '403') || LEFT_TO_DEFAULT[method]?.has(status) === true) continue;
        operation.responses[isOpenAi(path) && status === '422' ? '400' : status] ??= {
          description,
          content: { 'application/json': { schema: { $ref: `#/components/schemas/${shape}` } } },
        };
      }
      // A key belongs to its caller: where nobody signs in there is none.
      if (method === 'post' && !open) {
        operation.parameters = [
          ...(operation.parameters ?? []),
          {
            name: 'Idempotency-Key',
            in: 'header',
            required: false,
            description: 'The same key and body within 24 h get the first answer again',
            schema: { type: 'string', minLength: 1, maxLength: 255 },
          },
        ];
      }
    }
  }
};

export const registerOpenApi = async (app: FastifyInstance): Promise<void> => {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Pentarch Agent Platform API',
        version: API_VERSION,
        description:
          'A network of eleven AI agents behind one API. Every resource stands under /api/v1 (error shape A) and under /v2, which is also served as /api/v2 (error shape B).',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            description: 'An access token, a personal access token or an API key',
          },
        },
      },
    },
    hideUntagged: true,
    exposeHeadRoutes: false,
  });
};

/** What a plugin describes itself, since its routes are those of a protocol. */
export interface DocumentPart {
  paths: Readonly<Record<string, Record<string, unknown>>>;
  schemas: Readonly<Record<string, Record<string, unknown>>>;
  securitySchemes?: Readonly<Record<string, Record<string, unknown>>>;
}

/** What the routes say that Fastify's plugin does not put into the document. */
interface Declared {
  publicOperations: ReadonlySet<string>;
  /** Operations whose answer no schema describes. */
  bodiless: ReadonlyMap<string, { status: number; bytes: boolean }>;
  /** Bodies of operations that read them themselves, by content type. */
  uploads: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  names: ReadonlyMap<string, ModelNames>;
}

/** The answer of a route whose body no schema describes: none at all, or bytes of any type. */
const bodiless = ({ responses, produces }: AnyRoute): { status: number; bytes: boolean }[] => {
  const [first] = Object.entries(responses);
  if (first === undefined || first[1] !== null) return [];
  return [{ status: Number(first[0]), bytes: produces !== undefined }];
};

const declaredBy = (routes: readonly AnyRoute[]): Declared => {
  const byId = <T>(of: (route: AnyRoute) => readonly T[]): Map<string, T> =>
    new Map(
      routes.flatMap((route) =>
        of(route).flatMap((value) =>
          [route.operationId, `${route.operationId}V2`].map((id) => [id, value] as const),
        ),
      ),
    );
  return {
    publicOperations: new Set(byId(({ access }) => (access === 'public' ? [true] : [])).keys()),
    bodiless: byId(bodiless),
    uploads: byId(({ uploads }) => (uploads === undefined ? [] : [uploads])),
    names: byId(({ modelNames }) => (modelNames === undefined ? [] : [modelNames])),
  };
};

/** JSON in bodies and successes of an operation, each as `{schema, example?}`. */
const mediaOf = (operation: unknown): Json[] =>
  [
    recordAt(operation, 'requestBody'),
    ...Object.entries(recordAt(operation, 'responses'))
      .filter(([status]) => status.startsWith('2'))
      .map(([, answer]) => answer),
  ]
    .map((part) => recordAt(part, 'content')['application/json'])
    .filter(isRecord);

/** An example for each body and success: on its component, or beside the schema where that has no name. */
const addExamples = (named: Named, schemas: Record<string, Json>): void => {
  for (const operation of Object.values(named.paths).flatMap((methods) => Object.values(recordAt(methods)))) {
    for (const media of mediaOf(operation)) {
      const ref = recordAt(media, 'schema').$ref;
      const name = typeof ref === 'string' ? ref.slice(ref.lastIndexOf('/') + 1) : undefined;
      const component = name === undefined ? undefined : schemas[name];
      if (name === undefined || component === undefined) continue;
      const example = exampleOf(named.whole.get(name) ?? component);
      if (example !== undefined) component.examples ??= [example];
    }
  }
};

const addPlainExamples = (paths: Json): void => {
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(recordAt(methods)))) {
    for (const media of mediaOf(operation)) {
      const schema = recordAt(media, 'schema');
      if (schema.$ref !== undefined || Object.keys(recordAt(schema, 'properties')).length > 0) continue;
      const example = exampleOf(schema);
      if (example !== undefined) media.example = example;
    }
  }
};

const tagsOf = (paths: Json): { name: string; description: string }[] => {
  const used = new Set(
    Object.values(paths)
      .flatMap((methods) => Object.values(recordAt(methods)))
      .flatMap((operation) => recordAt(operation).tags)
      .map(String),
  );
  // In the order of the routes, which is that of the reference page.
  return [...used].map((name) => {
    const description = TAGS[name];
    if (description === undefined)
      throw new Error(`the tag ${name} has no description (http/document/tags.ts)`);
    return { name, description };
  });
};

/** The finished document; call after `app.ready()`. */
export const openApiDocument = (
  app: FastifyInstance,
  routes: readonly AnyRoute[],
  parts: readonly DocumentPart[] = [],
): Record<string, unknown> => {
  const document = structuredClone(app.swagger()) as unknown as Json;
  const declared = declaredBy(routes);
  complete(document, declared);
  const paths = document.paths as Json;
  const schemas: Record<string, Json> = { ...ERROR_SCHEMAS };
  const securitySchemes = recordAt(document, 'components', 'securitySchemes');
  for (const part of parts) {
    Object.assign(paths, structuredClone(part.paths));
    Object.assign(schemas, structuredClone(part.schemas));
    Object.assign(securitySchemes, part.securitySchemes);
  }
  addPlainExamples(paths);
  const named = nameModels(paths, declared.names, new Set(Object.keys(schemas)));
  Object.assign(schemas, named.schemas);
  addExamples(named, schemas);
  const shared = shareParts(named.paths);
  return {
    ...document,
    security: [{ bearer: [] }],
    servers: [{ url: '/', description: 'The server that this document comes from' }],
    tags: tagsOf(named.paths),
    components: { schemas, ...shared, securitySchemes },
    paths: named.paths,
  };
};

export const openApiYaml = (document: Record<string, unknown>): string =>
  stringify(document, { aliasDuplicateObjects: false });
