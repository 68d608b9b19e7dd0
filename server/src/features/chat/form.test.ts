import { describe, expect, it } from 'vitest';
import { readAnswer, repairWords, textsIn } from './form.ts';
import { type PlanStep, readSteps, replaySteps } from './steps.rules.ts';
import { NO_USAGE } from './usage.rules.ts';

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
