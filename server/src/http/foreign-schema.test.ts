import { beforeEach, describe, expect, it } from 'vitest';
import { createSchemaChecker, type SchemaChecker } from './foreign-schema.ts';

let checker: SchemaChecker;
beforeEach(() => {
  checker = createSchemaChecker();
});

const field = (schema: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: 'object',
  properties: { a: schema },
  ...more,
});
const isOk = (schema: Record<string, unknown>, value: unknown): boolean => checker.check(schema, value).ok;

describe('schemas of strangers', () => {
  // With the built-in expressions each of these takes from a minute to longer than the world is old.
  it.each(['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '^(.*a){30}$', '(x+x+)+y'])(
    'with the pattern %s are decided',
    (pattern) => {
      const text = pattern.includes('x') ? 'x'.repeat(50_000) : `${'a'.repeat(50_000)}!`;
      expect(isOk(field({ type: 'string', pattern }), { a: text })).toBe(false);
      const keys = { type: 'object', patternProperties: { [pattern]: { type: 'number' } } };
      expect(isOk(keys, { [text]: 'x' })).toBe(true);
    },
  );

  it('still refuse what breaks a pattern, and let through what does not', () => {
    const schema = field({ type: 'string', pattern: '^[a-z]{2,5}-\\d+$' });
    expect(isOk(schema, { a: 'abc-12' })).toBe(true);
    expect(checker.check(schema, { a: 'abc' })).toMatchObject({
      ok: false,
      faults: [{ instancePath: '/a', keyword: 'pattern' }],
    });
    const two = { type: 'object', properties: { a: { pattern: '^x' }, b: { pattern: '^y' } } };
    expect(isOk(two, { a: 'x', b: 'y' })).toBe(true);
    expect(isOk(two, { a: 'x', b: 'x' })).toBe(false);
  });

  it('are checked but for patterns that cannot be tried in linear time', () => {
    const schema = field(
      { type: 'string', pattern: '^(?=.*\\d)(?=.*[a-z]).+$' },
      { required: ['a'], additionalProperties: false },
    );
    expect(isOk(schema, { a: 'whatever' })).toBe(true);
    expect(isOk(schema, {})).toBe(false);
    expect(isOk(schema, { a: 1 })).toBe(false);
    // Where "it matches" could refuse what is right, nothing is said.
    expect(isOk(field({ not: { pattern: '(?=x)x' } }), { a: 'y' })).toBe(true);
    expect(isOk({ patternProperties: { '(?=x)x': { type: 'number' } } }, { y: 'text' })).toBe(true);
  });

  it('whose references multiply are broken off instead of followed', () => {
    const $defs: Record<string, unknown> = { d0: { type: 'string', minLength: 2 } };
    for (let i = 1; i <= 40; i++) {
      $defs[`d${i}`] = { allOf: [{ $ref: `#/$defs/d${i - 1}` }, { $ref: `#/$defs/d${i - 1}` }] };
    }
    const schema = field({ $ref: '#/$defs/d40' }, { $defs });
    for (let i = 0; i < 4; i++) expect(isOk(schema, { a: 'text' })).toBe(true);
    // Not tried again, and so not even this is seen.
    expect(isOk(schema, 1)).toBe(true);
  });

  it('that would take seconds to prepare are not prepared, and not held against anything', () => {
    const properties: Record<string, unknown> = {};
    for (let i = 0; i < 6_000; i++)
      properties[`p${i}`] = { type: 'string', pattern: `^(a{${500 + (i % 500)}}|${i})` };
    expect(isOk({ type: 'object', properties }, {})).toBe(true);
    // Others go on.
    expect(isOk(field({ type: 'string' }), { a: 1 })).toBe(false);
  });

  it('that refer to themselves', () => {
    const tree = {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } },
    };
    expect(isOk(tree, { name: 'a', children: [{ name: 'b', children: [{ name: 'c' }] }] })).toBe(true);
    expect(isOk(tree, { name: 'a', children: [{ name: 'b', children: [{}] }] })).toBe(false);
    // To nothing but itself: there is nothing to say, but there is an end.
    expect(() => checker.check({ $ref: '#' }, {})).not.toThrow();
  });

  it.each([
    ['http://json-schema.org/draft-04/schema#', { minimum: 1, exclusiveMinimum: true }],
    ['http://json-schema.org/draft-06/schema#', { exclusiveMinimum: 1 }],
    ['http://json-schema.org/draft-07/schema#', { exclusiveMinimum: 1 }],
    ['https://json-schema.org/draft/2019-09/schema', { exclusiveMinimum: 1 }],
    ['https://json-schema.org/draft/2020-12/schema', { exclusiveMinimum: 1 }],
    ['https://example.com/a-dialect-of-our-own', { exclusiveMinimum: 1 }],
  ])('of the dialect %s', ($schema, above) => {
    const schema = field({ type: 'number', ...above }, { $schema, $ref: undefined });
    delete (schema as { $ref?: unknown }).$ref;
    expect(isOk(schema, { a: 2 })).toBe(true);
    expect(isOk(schema, { a: 1 })).toBe(false);
  });

  it('read each draft by its own rules', () => {
    const list = { prefixItems: [{ type: 'string' }], items: [{ type: 'number' }] };
    const of = ($schema: string) => ({ ...field({ type: 'array', ...list }), $schema });
    expect(isOk(of('http://json-schema.org/draft-07/schema#'), { a: [1] })).toBe(true);
    const recursive = {
      $schema: 'https://json-schema.org/draft/2019-09/schema',
      $recursiveAnchor: true,
      type: 'object',
      properties: { next: { $recursiveRef: '#' } },
    };
    expect(isOk(recursive, { next: { next: {} } })).toBe(true);
    expect(isOk(recursive, { next: { next: 1 } })).toBe(false);
  });

  it('hold formats against short texts, and long ones cost nothing', () => {
    expect(isOk(field({ format: 'email' }), { a: 'a@example.com' })).toBe(true);
    expect(isOk(field({ format: 'email' }), { a: 'no mail' })).toBe(false);
    expect(isOk(field({ format: 'date' }), { a: '2026-02-30' })).toBe(false);
    expect(isOk(field({ format: 'of-our-own' }), { a: 'x' })).toBe(true);
    for (const format of [
      'email',
      'uri',
      'uri-template',
      'hostname',
      'url',
      'ipv6',
      'json-pointer',
      'idn-email',
    ]) {
      for (const part of ['a', 'a.', '-a', '{a', ':', '/~0', 'a@', '1', '%41', '\u00e4-']) {
        expect(typeof isOk(field({ format }), { a: `${part.repeat(1_000).slice(0, 1_999)}!` })).toBe(
          'boolean',
        );
        expect(isOk(field({ format }), { a: part.repeat(200_000) })).toBe(true);
      }
    }
  });

  // A promise that is rejected where nobody waits for it ends the process.
  it('that want to be checked later are checked at once', () => {
    expect(isOk({ $async: true, ...field({ type: 'string' }) }, { a: 1 })).toBe(false);
    expect(isOk({ $async: true, ...field({ type: 'string' }) }, { a: 'x' })).toBe(true);
  });

  it('cannot stand in for a draft, or for one another', () => {
    const $id = 'http://json-schema.org/draft-07/schema';
    const $schema = 'http://json-schema.org/draft-07/schema#';
    expect(isOk(field({ type: 'string' }, { $id, $schema }), { a: 'x' })).toBe(true);
    expect(isOk({ ...field({ $ref: `${$id}#` }), $schema }, { a: { type: 'string' } })).toBe(true);
    const same = 'https://example.com/schema';
    expect(isOk(field({ type: 'string' }, { $id: same }), { a: 'x' })).toBe(true);
    expect(isOk(field({ type: 'number' }, { $id: same }), { a: 1 })).toBe(true);
    expect(isOk(field({ type: 'number' }, { $id: same }), { a: 'x' })).toBe(false);
  });

  it('that are too large, too deep or no schemas cannot be used', () => {
    let deep: Record<string, unknown> = {};
    for (let i = 0; i < 20_000; i++) deep = { properties: { a: deep } };
    const large = { enum: Array.from({ length: 100_000 }, (_, i) => i) };
    for (const schema of [
      deep,
      large,
      { type: 'nonsense' },
      { $ref: '#/$defs/nowhere' },
      { required: 'a' },
    ]) {
      expect(checker.check(schema, {})).toMatchObject({ ok: false, unusable: expect.any(String) });
    }
  });

  it('do not fall over values that are nested deeply', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    const schema = field({
      anyOf: [{ type: 'array', items: { $ref: '#/properties/a' } }, { type: 'number' }],
    });
    expect(isOk(schema, { a: deep })).toBe(true);
  });
});
