import { expect, test } from 'vitest';
import type { ModelProvider, ModelRequest } from '../../kernel/model.ts';
import { picturesIn } from '../../kernel/tokens.ts';
import { earlierAsWords } from './earlier-pictures.rules.ts';
import { FREE, parseModelId } from './rules.ts';
import { sendable } from './sendable.rules.ts';
import { createModels } from './service.ts';
import { createSees } from './vision.rules.ts';

const ref = (id: string) => {
  const parsed = parseModelId(id);
  if (parsed === undefined) throw new Error(id);
  return parsed;
};

test('known families see, others do where the setting says so, and the built-in one never', () => {
  const sees = createSees([]);
  for (const id of [
    'openai/gpt-5-mini',
    'openai/gpt-4o',
    'anthropic/claude-haiku-4-5',
    'google/gemini-2.5-flash',
  ])
    expect(sees(ref(id)), id).toBe(true);
  for (const id of [
    'ollama/llava:7b',
    'ollama/qwen2.5vl:7b',
    'compatible/Qwen/Qwen2-VL-7B',
    'ollama/gemma3:4b',
  ])
    expect(sees(ref(id)), id).toBe(true);
  for (const id of ['openai/gpt-3.5-turbo', 'openai/o3-mini', 'ollama/llama3.2', 'compatible/any', 'builtin'])
    expect(sees(ref(id)), id).toBe(false);
  const told = createSees(['compatible/*', '!compatible/text*', '!openai/gpt-4o', 'builtin']);
  expect(told(ref('compatible/any'))).toBe(true);
  expect(told(ref('compatible/text-1'))).toBe(false);
  expect(told(ref('openai/gpt-4o'))).toBe(false);
  expect(told(ref('builtin'))).toBe(false);
});

const PICTURE = { id: 'a', name: 'a.png', mediaType: 'image/png' as const, width: 900, height: 900, size: 9 };

test('turns that are joined keep their pictures, and one without words is sent', () => {
  const joined = sendable([
    { role: 'user', content: 'one', pictures: [PICTURE] },
    { role: 'user', content: 'two', pictures: [{ ...PICTURE, id: 'b' }] },
  ]);
  expect(picturesIn(joined).map(({ id }) => id)).toEqual(['a', 'b']);
  expect(picturesIn(sendable([{ role: 'user', content: ' ', pictures: [PICTURE] }]))).toHaveLength(1);
});

test('a call with pictures goes to the models of its list that see, and is bounded by their rules', async () => {
  const asked: string[] = [];
  const provider: ModelProvider = {
    name: 'compatible',
    local: false,
    generate: async (request: ModelRequest) => {
      asked.push(request.model);
      const usage = {
        inputTokens: 10,
        outputTokens: 1,
        cachedInputTokens: 0,
        cacheWriteTokens: 0,
        reasoningTokens: 0,
        estimated: false,
      };
      return { content: 'x', toolCalls: [], finishReason: 'stop', usage, model: request.model };
    },
    stream: async () => {
      throw new Error('not asked');
    },
    close: async () => {},
  };
  const models = createModels({
    providers: [provider],
    defaultModel: 'compatible/blind',
    fallbacks: ['compatible/eye'],
    visionModels: ['compatible/eye'],
    prices: { of: () => FREE },
    clock: { now: () => 0 },
    random: () => 0,
    sleep: async () => {},
  });
  const { signal } = new AbortController();
  const plain = { messages: [{ role: 'user' as const, content: 'x' }], signal };
  const shown = { messages: [{ role: 'user' as const, content: 'x', pictures: [PICTURE] }], signal };
  await models.generate(models.defaultModel, plain);
  await models.generate(models.defaultModel, shown);
  expect(asked).toEqual(['blind', 'eye']);
  expect(models.seeing(models.defaultModel, false)).toEqual(models.defaultModel);
  const more =
    models.promptBound(shown, models.defaultModel) - models.promptBound(plain, models.defaultModel);
  // 29 × 29 patches at the largest factor of OpenAI's.
  expect(more).toBeGreaterThanOrEqual(2_068);
});

test('pictures of earlier turns become their names, and the message keeps its own', () => {
  const earlier = { ...PICTURE, id: 'b', name: 'b.png', earlier: true as const };
  const plain = [{ role: 'user' as const, content: 'x', pictures: [PICTURE] }];
  expect(earlierAsWords(plain)).toBe(plain);
  expect(
    earlierAsWords([
      { role: 'user', content: 'one', pictures: [earlier] },
      { role: 'user', content: 'two', pictures: [earlier, PICTURE] },
    ]),
  ).toEqual([
    { role: 'user', content: 'one\n[image: b.png]' },
    { role: 'user', content: 'two\n[image: b.png]', pictures: [PICTURE] },
  ]);
});
