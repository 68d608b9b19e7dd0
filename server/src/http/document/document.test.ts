import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import { exampleOf } from './examples.ts';
import { isRecord, type Json, nameModels, recordAt } from './models.ts';
import { shareParts } from './shared.ts';

const FILE = path.join(import.meta.dirname, '..', '..', '..', '..', 'api', 'openapi.json');
const document = JSON.parse(readFileSync(FILE, 'utf8')) as Json;

const METHODS = ['get', 'put', 'post', 'delete', 'patch'];
const operations = Object.entries(recordAt(document, 'paths')).flatMap(([at, methods]) =>
  METHODS.flatMap((method) => {
    const operation = recordAt(methods)[method];
    return isRecord(operation) ? [{ name: `${method} ${at}`, method, at, operation }] : [];
  }),
);

/** What the parts of protocols bring along themselves. */
const OF_PROTOCOLS = /^(Error|Jwk|MachineKey|OAuth|Oidc|Provider)/;

/** Objects with fields that are written in place. */
const inPlace = (value: unknown): Json[] => {
  if (Array.isArray(value)) return value.flatMap(inPlace);
  if (!isRecord(value)) return [];
  const own = Object.keys(recordAt(value, 'properties')).length > 0 ? [value] : [];
  return [...own, ...Object.values(value).flatMap(inPlace)];
};

const jsonOf = (part: unknown): Json => recordAt(part, 'content', 'application/json');
const successesOf = (operation: Json): unknown[] =>
  Object.entries(recordAt(operation, 'responses'))
    .filter(([status]) => status.startsWith('2'))
    .map(([, answer]) => answer);

describe(req('HTTP-15', 'the committed document'), () => {
  it('is below 700 kB as it is served', () => {
    expect(JSON.stringify(document).length).toBeLessThan(700_000);
  });

  it('names a server, describes its tags, and describes every operation', () => {
    expect(document.servers).toMatchObject([{ url: '/' }]);
    const tags = Array.isArray(document.tags) ? document.tags.map((tag) => recordAt(tag).name) : [];
    for (const { name, operation } of operations) {
      expect(operation.description, name).toMatch(/\w{3}/);
      expect(operation.summary, name).toMatch(/\w{3}/);
      expect(tags, name).toEqual(expect.arrayContaining(operation.tags as string[]));
    }
  });

  it('has every object of a body or an answer of the API as a named component', () => {
    const api = operations.filter(({ at }) => /^\/(api\/v1|v2|v1)\//.test(at));
    expect(api.length).toBeGreaterThan(250);
    for (const { name, operation } of api) expect(inPlace(operation), name).toEqual([]);
    for (const [name, schema] of Object.entries(recordAt(document, 'components', 'schemas')))
      if (!OF_PROTOCOLS.test(name))
        expect(Object.values(recordAt(schema, 'properties')).flatMap(inPlace), name).toEqual([]);
  });

  it('has the same schemas under both prefixes', () => {
    let both = 0;
    for (const { at, method, operation } of operations.filter((one) => one.at.startsWith('/api/v1/'))) {
      const second = recordAt(document, 'paths', at.replace('/api/v1', '/v2'), method);
      if (second.operationId !== `${String(operation.operationId)}V2`) continue;
      both += 1;
      expect(second.requestBody, at).toEqual(operation.requestBody);
      expect(successesOf(second), at).toEqual(successesOf(operation));
      expect(second.parameters, at).toEqual(operation.parameters);
    }
    expect(both).toBeGreaterThan(100);
  });

  it('refers to errors, and writes no parameter in place', () => {
    for (const { name, operation } of operations) {
      for (const [status, answer] of Object.entries(recordAt(operation, 'responses'))) {
        if (recordAt(answer).$ref !== undefined || !/^([45]|default)/.test(status)) continue;
        expect(String(recordAt(jsonOf(answer), 'schema').$ref), `${name} ${status}`).not.toContain('Error');
      }
      for (const parameter of Array.isArray(operation.parameters) ? operation.parameters : [])
        expect(recordAt(parameter).$ref, name).toMatch(/^#\/components\/parameters\//);
    }
  });

  it('has an example for each JSON body and answer, which holds', () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema({ $id: 'api', components: document.components });
    const seen = new Set<string>();
    for (const { name, operation } of operations) {
      for (const part of [operation.requestBody, ...successesOf(operation)]) {
        const media = jsonOf(part);
        const schema = recordAt(media, 'schema');
        if (Object.keys(schema).length === 0 || seen.has(JSON.stringify(media))) continue;
        seen.add(JSON.stringify(media));
        const ref = typeof schema.$ref === 'string' ? schema.$ref : null;
        const target = ref === null ? {} : recordAt(document, ...ref.slice(2).split('/'));
        const shown = Array.isArray(target.examples) ? target.examples[0] : media.example;
        expect(shown, `${name}: ${JSON.stringify(schema).slice(0, 200)}`).toBeDefined();
        const local = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')) as object;
        const validate = ajv.compile(local);
        expect(validate(shown), `${name}: ${ajv.errorsText(validate.errors)}`).toBe(true);
      }
    }
  });
});

const thing = (more: Json = {}): Json => ({
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string', format: 'uuid' }, owner: { type: 'object', properties: { name: {} } } },
  ...more,
});
const answering = (id: string, schema: Json): Json => ({
  operationId: id,
  responses: { 200: { description: 'It', content: { 'application/json': { schema } } } },
});

describe('named components', () => {
  const named = (paths: Json, taken: readonly string[] = []) => nameModels(paths, new Map(), new Set(taken));

  it('gives the same schema one name, whatever it says of itself, and keeps those words beside the reference', () => {
    const { paths, schemas } = named({
      '/api/v1/things/{id}': { get: answering('getThing', thing()) },
      '/api/v1/things': { post: answering('createThing', thing({ description: 'A new one' })) },
    });
    expect(Object.keys(schemas)).toEqual(['Thing', 'ThingOwner']);
    const made = recordAt(paths, '/api/v1/things', 'post', 'responses', '200', 'content', 'application/json');
    expect(made.schema).toEqual({ $ref: '#/components/schemas/Thing', description: 'A new one' });
  });

  it('gives another schema another name, and none that is taken', () => {
    const { schemas } = named(
      {
        '/api/v1/things/{id}': { get: answering('getThing', thing()) },
        '/api/v1/things': { post: answering('createThing', thing({ required: [] })) },
      },
      ['Thing'],
    );
    expect(Object.keys(schemas)).toEqual(['ThingDetail', 'CreatedThing', 'ThingDetailOwner']);
  });

  it('names by the paths, not by the order in which they are declared', () => {
    const first = { '/api/v1/a': { get: answering('runA', thing()) } };
    const second = { '/api/v1/b': { get: answering('runB', thing()) } };
    expect(Object.keys(named({ ...second, ...first }).schemas)).toEqual(
      Object.keys(named({ ...first, ...second }).schemas),
    );
  });

  it('leaves names of our own to our own: doors of others come after', () => {
    const { schemas } = named({
      '/a2a/things/{id}': { get: answering('getThing', thing({ required: [] })) },
      '/v2/things/{id}': { get: answering('getThing', thing()) },
    });
    expect(recordAt(schemas, 'Thing').required).toEqual(['id']);
  });
});

it('parts that differ under the same name are kept apart', () => {
  const parameter = (description: string): Json => ({ name: 'id', in: 'path', description });
  const paths: Json = {
    '/a': { get: { parameters: [parameter('One')] } },
    '/b': { get: { parameters: [parameter('Other')] } },
    '/c': { get: { parameters: [parameter('One')] } },
  };
  const { parameters } = shareParts(paths);
  expect(Object.keys(parameters)).toEqual(['IdInPath', 'IdInPath2']);
  expect(recordAt(paths, '/c', 'get').parameters).toEqual([{ $ref: '#/components/parameters/IdInPath' }]);
});

describe('examples', () => {
  it.each([
    [{ type: 'string', pattern: '^[A-Z]\\d$' }, undefined],
    [{ type: 'string', minLength: 40 }, 'x'.repeat(40)],
    [{ type: 'integer', minimum: 5 }, 5],
    [{ type: 'array', minItems: 2, items: { type: 'string' } }, undefined],
    [
      { type: 'object', required: ['a'], properties: { a: { type: 'string', pattern: '^\\d{7}$' } } },
      undefined,
    ],
    [{ anyOf: [{ type: 'string', format: 'unheard-of' }, { type: 'null' }] }, null],
  ])('%j: nothing that might not hold', (schema, expected) => expect(exampleOf(schema)).toEqual(expected));
});
