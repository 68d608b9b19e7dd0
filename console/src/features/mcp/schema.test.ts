import { expect, it } from 'vitest';
import { argumentFields, initialObject, withKey } from './schema.ts';

const SCHEMA = {
  type: 'object',
  required: ['path', 'mode', 'nested'],
  properties: {
    path: { type: 'string', description: 'Where' },
    mode: { enum: ['read', 'write'] },
    limit: { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }], default: 10 },
    deep: { type: ['boolean', 'null'] },
    tags: { type: 'array', items: { type: 'string' } },
    nested: { $ref: '#/$defs/Point' },
    anything: {},
    either: { oneOf: [{ type: 'string' }, { type: 'number' }] },
  },
  $defs: { Point: { type: 'object', required: ['x'], properties: { x: { type: 'number' } } } },
};

it('makes a field of each kind, and leaves to JSON what no field can say', () => {
  const fields = argumentFields(SCHEMA);
  expect(fields?.map(({ name, field }) => [name, field.kind])).toEqual([
    ['path', 'text'],
    ['mode', 'choice'],
    ['limit', 'number'],
    ['deep', 'boolean'],
    ['tags', 'list'],
    ['nested', 'object'],
    ['anything', 'json'],
    ['either', 'json'],
  ]);
  expect(fields?.find(({ name }) => name === 'limit')).toMatchObject({
    required: false,
    initial: 10,
    field: { whole: true, min: 1 },
  });
});

it('begins with defaults and with what is required', () => {
  expect(initialObject(argumentFields(SCHEMA) ?? [])).toEqual({ mode: 'read', limit: 10, nested: {} });
});

it('ends at schemas that hold themselves', () => {
  const schema = {
    properties: { child: { $ref: '#/$defs/Node' } },
    $defs: { Node: { type: 'object', properties: { child: { $ref: '#/$defs/Node' } } } },
  };
  expect(JSON.stringify(argumentFields(schema))).toContain('"kind":"json"');
  expect(argumentFields({ properties: { loop: { $ref: '#/properties/loop' } } })).toHaveLength(1);
});

it('has no fields for arguments that are no object', () => {
  expect(argumentFields({ anyOf: [{ type: 'object' }, { type: 'object' }] })).toBeNull();
  expect(argumentFields({})).toEqual([]);
});

it('takes a key away with undefined', () => {
  expect(withKey({ a: 1, b: 2 }, 'a', undefined)).toEqual({ b: 2 });
  expect(withKey(undefined, 'a', 1)).toEqual({ a: 1 });
});
