import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAccumulator, finishOf } from './accumulate.ts';
import { createStreamReader } from './read-stream.ts';
import { fitsStrictMode, OPENAI_DIALECT, requestBody } from './request.ts';
import { learnTemplate, textByTemplate } from './template.ts';
import { parseUsage } from './usage.ts';
import { FIXTURES } from './wire.fixtures.ts';

const read = (packets: readonly Buffer[]) => {
  let next = 0;
  const accumulator = createAccumulator(() => `own_${next++}`);
  const reader = createStreamReader(accumulator);
  let shown = '';
  for (const packet of packets) shown += reader.push(packet);
  shown += reader.end();
  return { shown, state: reader.state, answer: accumulator.answer };
};

const cut = (bytes: Buffer, at: readonly number[]): Buffer[] => {
  const edges = [0, ...[...new Set(at)].sort((a, b) => a - b), bytes.length];
  return edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge));
};

describe.each(FIXTURES)('the stream of $provider', ({ wire, expected }) => {
  const bytes = Buffer.from(wire);
  const check = (packets: readonly Buffer[]): void => {
    const { shown, state, answer } = read(packets);
    expect(['open', 'done']).toContain(state);
    expect(shown).toBe(expected.content);
    expect({
      ...answer,
      finishReason: finishOf(answer),
      usage: undefined,
      reportedNanoUsd: undefined,
    }).toEqual({
      ...expected,
      usage: undefined,
    });
    if (expected.usage === undefined) expect(answer.usage).toBeUndefined();
    else expect(answer.usage).toMatchObject({ ...expected.usage, estimated: false });
  };

  test('says what it should in one packet and in packets of one byte', () => {
    check([bytes]);
    check(
      cut(
        bytes,
        Array.from({ length: bytes.length - 1 }, (_, index) => index + 1),
      ),
    );
  });

  test('says the same when cut in two at every byte', () => {
    for (let at = 1; at < bytes.length; at++) {
      const { shown, answer } = read(cut(bytes, [at]));
      if (shown !== expected.content || answer.content !== expected.content)
        throw new Error(`cut at byte ${at}: ${JSON.stringify(shown)}`);
    }
  });

  test('says the same however it is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 12 }), (at) =>
        check(cut(bytes, at)),
      ),
      { numRuns: 60 },
    );
  });
});

test('any text in any chunks is read exactly, whichever way the chunks are read', () => {
  const anyText = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '"',
      '\\',
      '\\"',
      '\n',
      '\u2028',
      '},{',
      '"content":"',
      '{"content":"x"}',
      '[DONE]',
      'data: ',
    ),
  );
  fc.assert(
    fc.property(
      fc.array(anyText, { maxLength: 12 }),
      fc.array(fc.nat({ max: 4000 }), { maxLength: 6 }),
      (texts, at) => {
        const chunk = (delta: unknown, finish: string | null = null) =>
          `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
        const wire = `${texts.map((content) => chunk({ content })).join('') + chunk({}, 'stop')}data: [DONE]\n\n`;
        const bytes = Buffer.from(wire);
        const { shown, state, answer } = read(
          cut(
            bytes,
            at.map((edge) => edge % bytes.length),
          ),
        );
        expect([shown, answer.content, state]).toEqual([texts.join(''), texts.join(''), 'done']);
      },
    ),
    { numRuns: 300 },
  );
});

test('a raw control character within a text is not JSON and stays refused in a run of like chunks', () => {
  const chunk = (raw: string) =>
    `data: {"choices":[{"index":0,"delta":{"content":"${raw}"},"finish_reason":null}]}\n\n`;
  const { shown, state } = read([Buffer.from(chunk('a') + chunk('b') + chunk('c\u0001') + chunk('d'))]);
  expect([shown, state]).toEqual(['ab', 'garbage']);
});

test('a finish reason that comes with the last text is kept', () => {
  const chunk = (content: string, finish: string | null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;
  const { shown, answer } = read([
    Buffer.from(chunk('a', null) + chunk('b', null) + chunk('c', null) + chunk('d', 'length')),
  ]);
  expect([shown, answer.finishReason]).toEqual(['abcd', 'length']);
});

test('a template is learned only from a chunk that carries text and nothing else', () => {
  const payload = (more: Record<string, unknown>, delta: Record<string, unknown>, finish: unknown = null) =>
    JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: finish }], ...more });
  const template = learnTemplate(payload({ usage: null }, { content: 'x', refusal: null }));
  expect(template).toBeDefined();
  if (template !== undefined) {
    expect(textByTemplate(payload({ usage: null }, { content: 'y ü', refusal: null }), template)).toBe('y ü');
    expect(
      textByTemplate(payload({ usage: null }, { content: 'y"', refusal: null }), template),
    ).toBeUndefined();
  }
  const unfit = [
    payload({}, { content: 'x' }, 'stop'),
    payload({ usage: { prompt_tokens: 1 } }, { content: 'x' }),
    payload({ error: { code: 1 } }, { content: 'x' }),
    payload({}, { content: 'x', tool_calls: [] }),
    payload({}, { content: 'x', nested: { content: 'y' } }),
    JSON.stringify({ choices: [{ index: 1, delta: { content: 'x' } }] }),
    JSON.stringify({ content: 'x' }),
  ];
  for (const other of unfit) expect(learnTemplate(other)).toBeUndefined();
});

test('usage that cannot be believed is no usage', () => {
  for (const bad of [
    null,
    {},
    { prompt_tokens: -1, completion_tokens: 2 },
    { prompt_tokens: 1.5, completion_tokens: 2 },
    { prompt_tokens: '12', completion_tokens: 2 },
    { prompt_tokens: 0, completion_tokens: 0 },
  ])
    expect(parseUsage(bad)).toBeUndefined();
  expect(
    parseUsage({ prompt_tokens: 5, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 9 } }),
  ).toEqual({
    inputTokens: 5,
    outputTokens: 1,
    cachedInputTokens: 5,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    // Cut, so it is no longer what the provider said.
    estimated: true,
  });
});

test('strict mode is asked for where the schema allows it', () => {
  const closed = {
    type: 'object',
    properties: {
      a: { type: 'array', items: { type: 'object', properties: {}, additionalProperties: false } },
    },
    required: ['a'],
    additionalProperties: false,
  };
  expect(fitsStrictMode(closed)).toBe(true);
  expect(fitsStrictMode({ ...closed, required: [] })).toBe(false);
  expect(fitsStrictMode({ ...closed, additionalProperties: true })).toBe(false);
  expect(fitsStrictMode({ ...closed, properties: { a: { type: 'object' } } })).toBe(false);
});

test('pictures are parts behind the words of their message, one that is gone its name', () => {
  const picture = { id: 'a', name: 'cat.png', mediaType: 'image/png' as const, width: 2, height: 2, size: 3 };
  const request = {
    model: 'gpt-5-mini',
    messages: [
      { role: 'system' as const, content: 'Look.' },
      { role: 'user' as const, content: 'See?', pictures: [picture, { ...picture, id: 'gone' }] },
    ],
    pictures: new Map([['a', 'AAEC']]),
    signal: new AbortController().signal,
  };
  const body = JSON.parse(String(requestBody(request, false, OPENAI_DIALECT))) as { messages: unknown[] };
  expect(body.messages).toEqual([
    { role: 'system', content: 'Look.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'See?' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAEC' } },
        { type: 'text', text: '[image: cat.png]' },
      ],
    },
  ]);
});
