import { recordAt } from '../../server/src/http/document/models.ts';
import { singular, wordsOf } from '../../server/src/http/document/words.ts';
import {
  METHOD_NAMES,
  PROTOCOL_TAG,
  SKIPPED,
  SPECIAL_BODIES,
  SPECIAL_RESPONSES,
  STRIPPED_WORDS,
} from './choices.ts';
import type { Operation, Parameter, ResponseKind, Schema } from './operation.ts';
import { camel } from './words.ts';

/** Reading of api/openapi.json: one entry for each operation that the clients offer. */

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** `listConversations` of `Conversations` → `list`; the words that the resource already says are left out. */
const methodName = (id: string, tag: string): string => {
  const chosen = METHOD_NAMES[id];
  if (chosen !== undefined) return chosen;
  const own = STRIPPED_WORDS[tag] ?? wordsOf(tag).map(singular);
  const [verb = id, ...rest] = wordsOf(id);
  const left = rest.filter((word) => !own.includes(singular(word)) && !own.includes(word));
  return camel([verb, ...left].join('_'));
};

/** What a reference into the document names; else the value itself. */
export const resolved = (document: unknown, value: unknown): Schema => {
  const ref = recordAt(value).$ref;
  return typeof ref === 'string' ? recordAt(document, ...ref.slice(2).split('/')) : recordAt(value);
};

const parametersOf = (document: unknown, operation: Schema, place: string): Parameter[] => {
  const list: unknown = operation.parameters;
  if (!Array.isArray(list)) return [];
  return list.flatMap((given) => {
    const entry = resolved(document, given);
    if (entry.in !== place) return [];
    const { name, required, description, schema } = entry;
    return [
      {
        name: textOf(name),
        required: required === true,
        description: textOf(description),
        schema: recordAt(schema),
      },
    ];
  });
};

const responsesOf = (operation: Schema): { kind: ResponseKind; schemas: Schema[] } => {
  const successes = Object.entries(recordAt(operation, 'responses')).filter(([status]) =>
    status.startsWith('2'),
  );
  const types = new Set(successes.flatMap(([, answer]) => Object.keys(recordAt(answer, 'content'))));
  const first = [...types][0];
  if (types.has('text/event-stream') && !types.has('application/json'))
    return { kind: 'stream', schemas: [] };
  if (types.has('application/json')) {
    const schemas = successes
      .map(([, answer]) => recordAt(answer, 'content', 'application/json', 'schema'))
      .filter((schema) => Object.keys(schema).length > 0);
    const different = new Map(schemas.map((schema) => [JSON.stringify(schema), schema]));
    return { kind: 'json', schemas: [...different.values()] };
  }
  return { kind: first === undefined ? 'none' : 'text', schemas: [] };
};

const operationOf = (document: unknown, path: string, method: string, raw: Schema): Operation => {
  const id = textOf(raw.operationId);
  const tags: unknown = raw.tags;
  const tag = Array.isArray(tags) ? textOf(tags[0]) : '';
  if (id === '' || tag === '') throw new Error(`${method} ${path}: operationId and a tag are needed`);
  const special = SPECIAL_BODIES[id];
  const json = recordAt(raw, 'requestBody', 'content', 'application/json', 'schema');
  const body = special?.schema ?? (Object.keys(json).length > 0 ? json : null);
  const answers = responsesOf(raw);
  const pathParameters = [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1] ?? '');
  return {
    id,
    asEvents: false,
    resource: camel(tag === 'Authentication' ? 'auth' : tag),
    name: methodName(id, tag),
    method: method.toUpperCase(),
    path,
    summary: textOf(raw.summary),
    pathParameters,
    query: parametersOf(document, raw, 'query'),
    bodyKind: special?.kind ?? (body === null ? 'none' : 'json'),
    body,
    bodyRequired: special !== undefined || recordAt(raw, 'requestBody').required === true,
    responseKind: SPECIAL_RESPONSES[id] ?? answers.kind,
    responses: answers.schemas,
  };
};

/** Answers in one piece or as events, as the client accepts it. */
const alsoStreams = (raw: Schema): boolean => {
  const types = Object.keys(recordAt(raw, 'responses', '200', 'content'));
  return types.includes('text/event-stream') && types.includes('application/json');
};

const streamOf = (operation: Operation): Operation => ({
  ...operation,
  id: `${operation.id}Stream`,
  asEvents: true,
  name: `${operation.name}Stream`,
  summary: `${operation.summary}; the answer as events`,
  responseKind: 'stream',
  responses: [],
});

/** The identity provider's paths are for the libraries of OAuth and OpenID Connect. */
const isProtocol = (raw: Schema): boolean => Array.isArray(raw.tags) && raw.tags[0] === PROTOCOL_TAG;

/**
 * Each operation once: under /api/v1 where it stands there, else under /v2. The second copy under /v2 has an
 * operationId that ends in V2; /api/v2 repeats /v2.
 */
export const readOperations = (document: unknown): Operation[] => {
  const operations: Operation[] = [];
  for (const [path, methods] of Object.entries(recordAt(document, 'paths'))) {
    if (path.startsWith('/api/v2/')) continue;
    for (const method of METHODS) {
      const raw = recordAt(methods, method);
      const id = textOf(raw.operationId);
      if (id === '' || id.endsWith('V2') || SKIPPED.has(id) || isProtocol(raw)) continue;
      const operation = operationOf(document, path, method, raw);
      operations.push(operation);
      if (alsoStreams(raw)) operations.push(streamOf(operation));
    }
  }
  const names = new Set<string>();
  for (const { resource, name, id } of operations) {
    const full = `${resource}.${name}`;
    if (names.has(full)) throw new Error(`${id}: ${full} is taken; choose a name in choices.ts`);
    names.add(full);
  }
  return operations;
};
