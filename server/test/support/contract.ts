import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/**
 * Holds every answer that a suite gets to api/openapi.json: the status must stand there for the operation, with the media
 * type, and the body must be what its schema says, without a field more.
 */

type Json = Record<string, unknown>;

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const at = (value: unknown, ...keys: readonly string[]): unknown =>
  keys.reduce((inner: unknown, key) => (isRecord(inner) ? inner[key] : undefined), value);

/** An object that lists its fields and says nothing of others has no others. */
const closed = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(closed);
  if (!isRecord(schema)) return schema;
  const inner: Json = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  if (typeof inner.$ref === 'string') inner.$ref = inner.$ref.replace(/^#/, 'openapi#');
  const lists =
    isRecord(inner.properties) && inner.type === 'object' && inner.additionalProperties === undefined;
  return lists ? { ...inner, additionalProperties: false } : inner;
};

interface Operation {
  readonly matches: RegExp;
  readonly parameters: number;
  readonly template: string;
  readonly methods: Json;
}

export interface SeenAnswer {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly status: number;
  readonly contentType: string | null;
  readonly text: string;
  /** The people of the test are made up and their ids are names: ids need not be UUIDs. */
  readonly namedPeople?: boolean;
}

export interface Contract {
  /** What is wrong with an answer; null where it is as the document says, or its path is none of the document. */
  fault(answer: SeenAnswer): string | null;
}

export const createContract = (document: unknown): Contract => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema({ $id: 'openapi', components: closed(at(document, 'components')) });
  /** Errors are written once under components. */
  const resolved = (answer: unknown): unknown => {
    const ref = at(answer, '$ref');
    return typeof ref === 'string' ? at(document, ...ref.slice(2).split('/')) : answer;
  };
  const paths = at(document, 'paths');
  const operations: Operation[] = Object.entries(isRecord(paths) ? paths : {})
    .map(([template, methods]) => ({
      template,
      methods: isRecord(methods) ? methods : {},
      parameters: template.split('{').length - 1,
      matches: new RegExp(
        `^${template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^}]+\}/g, '[^/]+')}$`,
      ),
    }))
    // A fixed word goes before a parameter, as the server's router has it.
    .sort((a, b) => a.parameters - b.parameters);
  const validators = new Map<string, ValidateFunction>();

  return {
    fault({ method, path: target, status, contentType, text, namedPeople = false }) {
      const [pathname = ''] = target.split('?');
      const found = operations.find(({ matches }) => matches.test(pathname));
      const verb = method.toLowerCase() === 'head' ? 'get' : method.toLowerCase();
      const operation = found?.methods[verb];
      if (found === undefined || !isRecord(operation)) return null;
      const name = `${method} ${found.template} answered ${status}`;
      const answer = resolved(
        at(operation, 'responses', String(status)) ?? at(operation, 'responses', 'default'),
      );
      if (answer === undefined) return `${name}, which the document does not name`;
      const content = at(answer, 'content');
      if (text === '' || method.toLowerCase() === 'head') return null;
      const type = contentType?.split(';')[0]?.trim() ?? '';
      const media = at(content, type) ?? at(content, '*/*');
      if (media === undefined) return `${name} with ${type}, which the document does not name`;
      const schema = at(media, 'schema');
      if (type !== 'application/json' || schema === undefined) return null;
      const key = `${verb} ${found.template} ${status}`;
      let validate = validators.get(key);
      if (validate === undefined) {
        const compiled = closed(schema);
        validate = ajv.compile(isRecord(compiled) ? compiled : {});
        validators.set(key, validate);
      }
      let body: unknown;
      try {
        body = JSON.parse(text);
      } catch {
        return `${name} with a body that is no JSON`;
      }
      if (validate(body)) return null;
      const faults = (validate.errors ?? []).filter(
        ({ keyword, params }) => !(namedPeople && keyword === 'format' && params.format === 'uuid'),
      );
      if (faults.length === 0) return null;
      return `${name} with a body that is not what the document says: ${ajv.errorsText(faults)}\n${text.slice(0, 1000)}`;
    },
  };
};

let known: Contract | null = null;

/** @throws when the answer is not what the committed document says. */
export const holdToContract = (answer: SeenAnswer): void => {
  known ??= createContract(
    JSON.parse(
      readFileSync(path.join(import.meta.dirname, '..', '..', '..', 'api', 'openapi.json'), 'utf8'),
    ) as unknown,
  );
  const fault = known.fault(answer);
  if (fault !== null) throw new Error(fault);
};
