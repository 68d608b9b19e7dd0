import { describe, expect, it } from 'vitest';
import { CannotFill, structuredAnswer } from './structured.ts';

const fill = (schema: Record<string, unknown>, text: string): unknown =>
  JSON.parse(structuredAnswer(schema, text));
const object = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: 'object',
  properties,
  ...more,
});
const TEXT = 'The lamp burns 12 hours. [1] It is trimmed by the keeper.';

describe('a structured answer of the built-in model', () => {
  it('has the quoted text, its sentences, its one number and what it names', () => {
    expect(
      fill(
        object(
          {
            answer: { type: 'string' },
            steps: { type: 'array', items: { type: 'string' } },
            hours: { type: 'integer' },
            who: { enum: ['keeper', 'captain'] },
          },
          { required: ['answer', 'steps', 'hours', 'who'] },
        ),
        TEXT,
      ),
    ).toEqual({
      answer: TEXT,
      steps: ['The lamp burns 12 hours. [1]', 'It is trimmed by the keeper.'],
      hours: 12,
      who: 'keeper',
    });
    expect(fill({ type: 'object' }, TEXT)).toEqual({ answer: TEXT });
  });

  it('follows references and choices', () => {
    const schema = object(
      { reply: { $ref: '#/$defs/Reply' }, when: { anyOf: [{ type: 'integer' }, { type: 'null' }] } },
      { $defs: { Reply: object({ text: { type: 'string' } }) } },
    );
    expect(fill(schema, 'No number.')).toEqual({ reply: { text: 'No number.' }, when: null });
  });

  it('makes nothing up: what is not told is left out, null, or a fault', () => {
    const two = { title: { type: 'string' }, answer: { type: 'string' } };
    expect(fill(object(two), TEXT)).toEqual({ answer: TEXT });
    expect(fill(object({ ...two, title: { type: ['string', 'null'] } }), TEXT)).toEqual({
      title: null,
      answer: TEXT,
    });
    expect(() => fill(object(two, { required: ['title'] }), TEXT)).toThrow(CannotFill);
    for (const field of [
      { type: 'boolean' },
      { type: 'number' },
      { type: 'string', format: 'date' },
      { enum: ['keeper', 'lamp'] },
    ]) {
      const text = 'The lamp of the keeper burns 12 to 14 hours.';
      expect(fill(object({ field }), text), JSON.stringify(field)).toEqual({});
      expect(() => fill(object({ field }, { required: ['field'] }), text)).toThrow('"field"');
    }
  });

  it('ends, however a schema refers to itself', () => {
    const schema = { $ref: '#/$defs/Node', $defs: { Node: object({ next: { $ref: '#/$defs/Node' } }) } };
    expect(fill(schema, TEXT)).toBeTypeOf('object');
  });
});
