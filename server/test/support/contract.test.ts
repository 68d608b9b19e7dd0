import { expect, it } from 'vitest';
import { createContract, type SeenAnswer } from './contract.ts';

const answer = (schema: unknown) => ({ description: '', content: { 'application/json': { schema } } });
const contract = createContract({
  components: {
    schemas: { Error: { type: 'object', required: ['error'], properties: { error: { type: 'string' } } } },
  },
  paths: {
    '/things/{id}': {
      get: {
        responses: {
          200: answer({ type: 'object', required: ['id'], properties: { id: { type: 'string' } } }),
          404: answer({ $ref: '#/components/schemas/Error' }),
        },
      },
    },
    '/things/all': { get: { responses: { 200: answer({ type: 'array', items: { type: 'string' } }) } } },
  },
});
const seen = (more: Partial<SeenAnswer>): string | null =>
  contract.fault({
    method: 'GET',
    path: '/things/1?x=y',
    status: 200,
    contentType: 'application/json; charset=utf-8',
    text: '{"id": "1"}',
    ...more,
  });

it('lets through what the document says, and what it says nothing of', () => {
  expect(seen({})).toBeNull();
  expect(seen({ status: 404, text: '{"error": "no"}' })).toBeNull();
  expect(seen({ path: '/things/all', text: '["a"]' })).toBeNull();
  expect(seen({ path: '/elsewhere', text: '<html>' })).toBeNull();
  expect(seen({ method: 'HEAD', text: '' })).toBeNull();
});

it.each([
  ['a missing field', { text: '{}' }],
  ['a field more', { text: '{"id": "1", "secret": 2}' }],
  ['another type', { text: '{"id": 1}' }],
  ['a status without an entry', { status: 201 }],
  ['another media type', { contentType: 'text/html' }],
  ['no JSON', { text: '{' }],
  ['an error of another shape', { status: 404, text: '{"message": "no"}' }],
  ['the fixed word before the parameter', { path: '/things/all' }],
])('finds %s', (_name, more) => expect(seen(more)).toMatch(/^GET \/things/));
