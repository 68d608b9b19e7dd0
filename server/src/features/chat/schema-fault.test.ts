import { describe, expect, it } from 'vitest';
import { createSchemaChecker } from '../../http/foreign-schema.ts';
import { schemaFault as faultWithin } from './tool-call.ts';

/** What is said does not depend on what else the machine does. */
const patient = createSchemaChecker({ compileMs: 60_000, checkMs: 60_000 });
const schemaFault = (schema: Record<string, unknown>, args: Record<string, unknown>) =>
  faultWithin(schema, args, patient);

const schema = (a: Record<string, unknown>) => ({ type: 'object', properties: { a }, required: ['a'] });

describe('arguments that a model writes', () => {
  it('are held against the schema of the tool, and what breaks it is said in words', () => {
    expect(schemaFault(schema({ type: 'string' }), { a: 'x' })).toBeNull();
    expect(schemaFault(schema({ type: 'string' }), { a: 1 })).toBe('arguments/a must be string');
    expect(schemaFault(schema({ type: 'string' }), {})).toBe("arguments must have required property 'a'");
    // Left to the tool.
    expect(schemaFault(schema({ type: 'nonsense' }), { a: 1 })).toBeNull();
  });

  // With the built-in expressions this takes longer than the world is old.
  it('keep nobody waiting, whatever pattern a server declares', () => {
    const never = schema({ type: 'string', pattern: '^(a+)+$' });
    expect(schemaFault(never, { a: `${'a'.repeat(5_000)}!` })).toMatch(/^arguments\/a must match pattern/);
  });
});
