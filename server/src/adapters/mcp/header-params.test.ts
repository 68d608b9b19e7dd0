import { expect, test } from 'vitest';
import { headerParamsFault } from './header-params.ts';

const object = (properties: Record<string, unknown>, more = {}) => ({ type: 'object', properties, ...more });
const named = (name: unknown, type = 'string') => ({ type, 'x-mcp-header': name });

test('properties may ask for a header each, at any depth', () => {
  for (const schema of [
    object({}),
    object({ region: named('Region'), count: named('Count', 'integer'), dry: named('Dry', 'boolean') }),
    object({ inner: object({ region: named('Region') }) }),
    object({ 'x-mcp-header': { type: 'string' } }),
    object({ a: { type: 'string', default: named('') } }),
  ])
    expect(headerParamsFault(schema), JSON.stringify(schema)).toBeNull();
});

test('a name that is none, a value that is no plain one, and any other place are faults', () => {
  for (const schema of [
    object({ a: named('') }),
    object({ a: named('two words') }),
    object({ a: named('a\r\nb') }),
    object({ a: named('ä') }),
    object({ a: named(7) }),
    object({ a: named('A', 'object') }),
    object({ a: named('A', 'array') }),
    object({ a: named('A', 'number') }),
    object({ a: { 'x-mcp-header': 'A' } }),
    object({ a: named('Same'), b: named('same') }),
    object({ list: { type: 'array', items: named('A') } }),
    object({}, { $defs: { a: object({ b: named('A') }) } }),
    object({}, { oneOf: [object({ b: named('A') })] }),
    { ...object({}), 'x-mcp-header': 'A' },
  ])
    expect(headerParamsFault(schema), JSON.stringify(schema)).toMatch(/^x-mcp-header /);
});
