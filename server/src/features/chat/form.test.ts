import { describe, expect, it } from 'vitest';
import { createSchemaChecker } from '../../http/foreign-schema.ts';
import {
  type AnswerForm,
  readAnswer as readWithin,
  repairWords,
  textsIn,
  unusableSchema as unusableWithin,
} from './form.ts';
import { type PlanStep, readSteps, replaySteps } from './steps.rules.ts';
import { NO_USAGE } from './usage.rules.ts';

/** What is said does not depend on what else the machine does; one test is about time. */
const patient = createSchemaChecker({ compileMs: 60_000, checkMs: 60_000 });
const readAnswer = (form: AnswerForm, text: string) => readWithin(form, text, patient);
const unusableSchema = (schema: Record<string, unknown>) => unusableWithin(schema, patient);

const LAMP = {
  name: 'lamp',
  schema: { type: 'object', properties: { hours: { type: 'integer' } }, required: ['hours'] },
};

describe('an answer held against its form', () => {
  it('is read with or without a fence, and says what does not fit', () => {
    for (const text of ['{"hours":1}', ' {"hours":1}\n', '```json\n{"hours":1}\n```', '```\n{"hours":1}```'])
      expect(readAnswer(LAMP, text)).toEqual({ ok: true, content: '{"hours":1}', value: { hours: 1 } });
    for (const [text, reason] of [
      ['', 'it is empty'],
      ['It burns.', 'it is not JSON'],
      ['{"hours":"one"}', '/hours must be integer'],
      ['{}', "the answer must have required property 'hours'"],
    ] as const)
      expect(readAnswer(LAMP, text)).toEqual({ ok: false, reason });
    expect(readAnswer({ name: 'any', schema: null }, '[]')).toMatchObject({ ok: false });
  });

  it('has its texts apart from its values', () => {
    expect(textsIn({ a: 'one [1]', b: [1, ['two']], c: null })).toEqual(['one [1]', 'two']);
  });
});

const of = (schema: Record<string, unknown>) => ({ name: 'any', schema });

describe('a schema that cannot be checked wholly', () => {
  const twice = (last: Record<string, unknown>, length: number) => {
    const $defs: Record<string, unknown> = { d0: last };
    for (let i = 1; i <= length; i++) {
      const $ref = `#/$defs/d${i - 1}`;
      $defs[`d${i}`] = { anyOf: [{ $ref }, { $ref }] };
    }
    return { $ref: `#/$defs/d${length}`, $defs };
  };

  it.each<[string, Record<string, unknown>, RegExp]>([
    [
      'a lookahead',
      { properties: { a: { pattern: '^(?=.*[0-9]).{8,}$' } } },
      /pattern at \/properties\/a cannot be run: write it without/,
    ],
    ['a back reference', { pattern: '^(a)\\1$' }, /pattern at \/ cannot be run/],
    ['a named back reference', { pattern: '^(?<n>a)\\k<n>$' }, /pattern at \/ cannot be run/],
    ['too large a repeat', { items: { pattern: 'a{5000}' } }, /pattern at \/items cannot be run/],
    ['an invalid pattern', { pattern: '(a' }, /pattern at \/ is no valid regular expression/],
    [
      'a key that is a lookahead',
      { patternProperties: { '(?=x)x': {} } },
      /patternProperties at \/ cannot be run/,
    ],
    [
      'one behind a reference',
      { $ref: '#/$defs/a', $defs: { a: { pattern: '(?!a)' } } },
      /pattern at \/\$ref cannot be run/,
    ],
    ['a reference to itself', { $ref: '#' }, /\$ref at \/ refers to itself without end/],
    [
      'a circle',
      { allOf: [{ $ref: '#/$defs/a' }], $defs: { a: { anyOf: [{ $ref: '#' }] } } },
      /refers to itself without end/,
    ],
    ['references that multiply', twice({ type: 'string' }, 40), /multiplies into too many ways/],
    ['a dynamic reference', { $dynamicRef: '#a' }, /\$dynamicRef at \/ is not followed/],
    ['a reference elsewhere', { $ref: 'https://example.com/a' }, /must lead to a schema within this one/],
    [
      'too many parts',
      { anyOf: Array.from({ length: 800 }, (_, minimum) => ({ minimum })) },
      /too many parts/,
    ],
    [
      'a keyword of another draft',
      { $schema: 'http://json-schema.org/draft-07/schema#', prefixItems: [{}] },
      /prefixItems at \/ is no keyword of the draft/,
    ],
    [
      'an old keyword beside a new one',
      { prefixItems: [{}], additionalItems: false },
      /additionalItems at \/ says nothing beside prefixItems/,
    ],
    [
      'too much to prepare for patterns',
      { allOf: Array.from({ length: 20 }, () => ({ pattern: 'a{900}' })) },
      /pattern at \/allOf\/5 is one expression too many/,
    ],
  ])('is refused by its keyword: %s', (_name, schema, reason) => {
    expect(unusableSchema(schema)).toMatch(reason);
  });

  it('is refused whatever its depth', () => {
    let deep: Record<string, unknown> = {};
    for (let i = 0; i < 20_000; i++) deep = { not: deep };
    expect(unusableSchema(deep)).toMatch(/nested too deeply/);
  });

  it('is not one that is merely large, or refers to itself by its parts', () => {
    const node = { type: 'object', properties: { left: { $ref: '#' }, right: { $ref: '#/$defs/n' } } };
    expect(unusableSchema({ ...node, $defs: { n: node } })).toBeNull();
    expect(unusableSchema({ $ref: '#a', $defs: { a: { $anchor: 'a', type: 'string' } } })).toBeNull();
    expect(unusableSchema(twice({ type: 'string' }, 5))).toBeNull();
    // Names of fields are no keywords.
    const names = { $id: { type: 'string' }, $dynamicRef: { type: 'string' }, pattern: { type: 'string' } };
    expect(unusableSchema({ type: 'object', properties: names })).toBeNull();
    const properties = Object.fromEntries(
      Array.from({ length: 250 }, (_, i) => [`p${i}`, { type: 'string' }]),
    );
    expect(unusableSchema({ type: 'object', properties })).toBeNull();
  });
});

describe('an answer that cannot be checked wholly does not fit', () => {
  it('where the check does not end in its time', () => {
    const next = { type: 'object', properties: { next: { $ref: '#' } } };
    const schema = of({
      anyOf: [
        { ...next, required: ['x'] },
        { ...next, required: ['y'] },
      ],
    });
    const nested = `${'{"next":'.repeat(40)}{}${'}'.repeat(40)}`;
    const started = process.cpuUsage();
    expect(readWithin(schema, nested)).toEqual({
      ok: false,
      reason: expect.stringContaining('takes too long'),
    });
    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(4_000);
  });

  it('where it is nested thousands deep', () => {
    const text = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    expect(readAnswer(of({}), text)).toEqual({ ok: false, reason: 'it is nested more than 100 deep' });
    expect(readAnswer(of({}), JSON.stringify({ a: '['.repeat(5_000) }))).toMatchObject({ ok: true });
  });

  it('and a schema that wants to be checked later is checked at once', () => {
    const schema = { $async: true, type: 'object', required: ['a'] };
    expect(unusableSchema(schema)).toBeNull();
    expect(readAnswer(of(schema), '{}')).toMatchObject({ ok: false });
    expect(readAnswer(of(schema), '{"a":1}')).toMatchObject({ ok: true });
  });

  it('where a text is too long for its format', () => {
    const long = JSON.stringify(`${'a'.repeat(5_000)}@example.com`);
    expect(readAnswer(of({ format: 'email' }), long)).toMatchObject({ ok: false });
  });

  it.each([
    ['1e999', false],
    ['-1e999', false],
    ['1e-999', false],
    ['9007199254740993', false],
    ['[12345678901234567890]', false],
    ['9007199254740993.0', false],
    ['9007199254740992', true],
    ['-12', true],
    ['1.50', true],
    ['0.1', true],
    ['1e30', true],
    ['0.0', true],
    ['100000000000000000000000', true],
    ['"1e999"', true],
    ['{"a\\"":"\\\\","b":1e2}', true],
  ])('where a number is not the one that it says: %s', (text, ok) => {
    expect([text, readAnswer(of({}), text).ok]).toEqual([text, ok]);
  });

  it('but many equal or different items are compared at once', () => {
    const schema = of({ type: 'array', uniqueItems: true });
    const items = Array.from({ length: 2_300 }, (_, i) => ({ a: 1, b: [i] }));
    expect(readAnswer(schema, JSON.stringify(items))).toMatchObject({ ok: true });
    expect(readAnswer(schema, JSON.stringify([...items, { b: [7], a: 1 }]))).toEqual({
      ok: false,
      reason: 'the answer must NOT have duplicate items',
    });
  });
});

it('a run that asked for its answer once more goes on there after a restart', () => {
  const plan = { v: 1, messages: [{ role: 'user', content: 'Which lamp?' }], passages: [], spent: null };
  const repair = repairWords('it is not JSON');
  const model = {
    v: 1,
    content: 'A lamp.',
    toolCalls: [],
    usage: { ...NO_USAGE, cacheWriteTokens: 0, inputTokens: 5, outputTokens: 2 },
    costNano: 7,
    modelId: 'compatible/test',
    firstTokenMs: null,
    journal: { v: 1, events: [] },
    text: '',
    repair,
  };
  const replayed = replaySteps(
    readSteps([
      { kind: 'plan', payload: JSON.stringify(plan as Partial<PlanStep>) },
      { kind: 'model', payload: JSON.stringify(model) },
    ]),
  );
  expect(replayed?.state).toMatchObject({
    messages: [
      { role: 'user', content: 'Which lamp?' },
      { role: 'assistant', content: 'A lamp.' },
      { role: 'user', content: repair },
    ],
    asked: null,
    repaired: true,
    modelCalls: 1,
    costNano: 7,
    content: '',
  });
});
