import { describe, expect, it } from 'vitest';
import { shortSchema } from './short-schema.rules.ts';

describe('shortSchema', () => {
  it('leaves out what a model cannot use, at every depth', () => {
    expect(
      shortSchema({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        title: 'Arguments',
        type: 'object',
        properties: {
          query: { type: 'string', minLength: 1, maxLength: 4096, pattern: '\\S', description: 'What' },
          tags: { type: 'array', minItems: 1, maxItems: 20, items: { type: 'string', maxLength: 9 } },
          either: { anyOf: [{ type: 'string', title: 'A' }, { type: 'null' }] },
        },
        required: ['query'],
        additionalProperties: false,
      }),
    ).toEqual({
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What' },
        tags: { type: 'array', items: { type: 'string' } },
        either: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      },
      required: ['query'],
    });
  });

  it('keeps arguments that are called like keywords, and values that look like schemas', () => {
    const schema = {
      type: 'object',
      properties: {
        title: { type: 'string', default: { title: 'x' } },
        maxLength: { type: 'integer', minimum: 3, enum: [3, 4] },
        pattern: { type: 'string', pattern: '^a' },
      },
    };
    expect(shortSchema(schema)).toEqual(schema);
  });
});
