/** Streams of real providers as their documentation shows them, spelling by spelling, and what they say. */
import type { ModelResult } from '../../../kernel/model.ts';

export interface WireFixture {
  provider: string;
  wire: string;
  expected: Pick<ModelResult, 'content' | 'toolCalls' | 'finishReason' | 'model'> & {
    usage: Partial<ModelResult['usage']> | undefined;
  };
}

const data = (...payloads: unknown[]): string =>
  payloads.map((payload) => `data: ${JSON.stringify(payload)}\n\n`).join('');
const DONE = 'data: [DONE]\n\n';

const head = (id: string, model: string, more: Record<string, unknown> = {}) => ({
  id,
  object: 'chat.completion.chunk',
  created: 1_750_000_000,
  model,
  ...more,
});
const delta = (
  part: Record<string, unknown>,
  finish: string | null = null,
  more: Record<string, unknown> = {},
) => ({
  choices: [{ index: 0, delta: part, logprobs: null, finish_reason: finish, ...more }],
});

const openai = (() => {
  const h = head('chatcmpl-B9', 'gpt-5-mini-2025-08-07', {
    service_tier: 'default',
    system_fingerprint: null,
  });
  // OpenAI pads each chunk with random text against length attacks.
  const pads = ['aP', 'x9Qw', 'k', '0aBcDeF'];
  const usage = {
    prompt_tokens: 2048,
    completion_tokens: 80,
    total_tokens: 2128,
    prompt_tokens_details: { cached_tokens: 1920, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 64, audio_tokens: 0, accepted_prediction_tokens: 0 },
  };
  return (
    data(
      { ...h, ...delta({ role: 'assistant', content: '', refusal: null }), usage: null, obfuscation: 'z' },
      ...['Der ', 'Fluß ', '"Elbe" ', '– 東京 🏯'].map((content, index) => ({
        ...h,
        ...delta({ content }),
        usage: null,
        obfuscation: pads[index],
      })),
      { ...h, ...delta({}, 'stop'), usage: null, obfuscation: '' },
      { ...h, choices: [], usage, obfuscation: 'q' },
    ) + DONE
  );
})();

const openaiTools = (() => {
  const h = head('chatcmpl-B7', 'gpt-5-mini');
  const call = (part: Record<string, unknown>) => ({ ...h, ...delta({ tool_calls: [part] }) });
  return (
    data(
      { ...h, ...delta({ role: 'assistant', content: null }) },
      call({ index: 0, id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '' } }),
      call({ index: 0, function: { arguments: '{"location":' } }),
      call({ index: 0, function: { arguments: ' "Köln"}' } }),
      call({ index: 1, id: 'call_2', type: 'function', function: { name: 'get_time', arguments: '' } }),
      call({ index: 1, function: { arguments: '{}' } }),
      { ...h, ...delta({}, 'tool_calls') },
    ) + DONE
  );
})();

const ollama = (() => {
  const h = head('chatcmpl-391', 'llama3.2', { system_fingerprint: 'fp_ollama' });
  const say = (content: string, finish: string | null = null) => ({
    ...h,
    choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: finish }],
  });
  const call = {
    id: 'call_9',
    index: 0,
    type: 'function',
    function: { name: 'search', arguments: '{"q":"ü"}' },
  };
  return (
    data(
      say('Ich '),
      say('suche\n'),
      say('  "das".'),
      {
        ...h,
        choices: [
          { index: 0, delta: { role: 'assistant', content: '', tool_calls: [call] }, finish_reason: null },
        ],
      },
      say('', 'stop'),
      { ...h, choices: [], usage: { prompt_tokens: 26, completion_tokens: 12, total_tokens: 38 } },
    ) + DONE
  );
})();

const vllm = (() => {
  const h = head('chatcmpl-7f', 'Qwen/Qwen3-8B');
  const statistics = (n: number) => ({
    usage: { prompt_tokens: 33, completion_tokens: n, total_tokens: 33 + n },
  });
  const say = (content: string, n: number, finish: string | null = null) => ({
    ...h,
    ...delta({ content, reasoning_content: null }, finish, { stop_reason: null, token_ids: null }),
    ...statistics(n),
  });
  return (
    data(
      { ...h, ...delta({ role: 'assistant', content: '' }), ...statistics(0) },
      { ...h, ...delta({ reasoning_content: 'thinking aloud' }), ...statistics(3) },
      say('你好', 4),
      say('，世界', 5),
      say('!', 6),
      say('', 7, 'length'),
      { ...h, choices: [], ...statistics(7) },
    ) + DONE
  );
})();

const groq = (() => {
  const h = head('chatcmpl-g1', 'llama-3.3-70b-versatile', { system_fingerprint: 'fp_9' });
  const usage = {
    queue_time: 0.03,
    prompt_tokens: 40,
    prompt_time: 0.01,
    completion_tokens: 3,
    completion_time: 0.01,
    total_tokens: 43,
  };
  return (
    data(
      { ...h, ...delta({ role: 'assistant', content: '' }), x_groq: { id: 'req_1' } },
      { ...h, ...delta({ content: 'fast' }) },
      { ...h, ...delta({ content: ' text' }) },
      { ...h, ...delta({}, 'stop'), x_groq: { id: 'req_1', usage } },
    ) + DONE
  );
})();

const deepseek = (() => {
  const h = head('ds-1', 'deepseek-chat', { system_fingerprint: 'fp_d' });
  const usage = {
    prompt_tokens: 500,
    completion_tokens: 9,
    total_tokens: 509,
    prompt_cache_hit_tokens: 448,
    prompt_cache_miss_tokens: 52,
  };
  return (
    ': keep-alive\n\n: keep-alive\n\n' +
    data(
      { ...h, ...delta({ role: 'assistant', content: '' }) },
      { ...h, ...delta({ content: 'a' }) },
      { ...h, ...delta({ content: '\\(x\\)' }) },
      { ...h, ...delta({ content: 'b' }) },
      { ...h, ...delta({ content: '' }, 'stop'), usage },
    ) +
    DONE
  );
})();

const mistral = (() => {
  const h = head('cmpl-m', 'magistral-medium-latest');
  const call = { id: 'D681PevKs', index: 0, function: { name: 'search', arguments: '{"q": "x"}' } };
  const thinking = [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }];
  return (
    data(
      { ...h, choices: [{ index: 0, delta: { role: 'assistant', content: thinking }, finish_reason: null }] },
      {
        ...h,
        choices: [{ index: 0, delta: { content: [{ type: 'text', text: 'Voilà' }] }, finish_reason: null }],
      },
      {
        ...h,
        choices: [{ index: 0, delta: { content: '', tool_calls: [call] }, finish_reason: 'tool_calls' }],
        usage: { prompt_tokens: 90, total_tokens: 110, completion_tokens: 20 },
      },
    ) + DONE
  );
})();

const openrouter = (() => {
  const h = head('gen-1', 'anthropic/claude-haiku-4.5', { provider: 'Anthropic' });
  const say = (content: string, finish: string | null = null) => ({
    ...h,
    choices: [
      {
        index: 0,
        delta: { role: 'assistant', content },
        finish_reason: finish,
        native_finish_reason: finish,
      },
    ],
  });
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 20,
    total_tokens: 120,
    cost: 0.00095,
    prompt_tokens_details: { cached_tokens: 40, cache_write_tokens: 30 },
    completion_tokens_details: { reasoning_tokens: 0 },
  };
  return (
    ': OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n' +
    data(say('Hello'), say(' there')) +
    ': OPENROUTER PROCESSING\n\n' +
    data(say('', 'stop'), {
      ...h,
      choices: [{ index: 0, delta: { role: 'assistant', content: '' } }],
      usage,
    }) +
    DONE
  );
})();

const xai = (() => {
  const h = head('x-1', 'grok-4');
  const usage = {
    prompt_tokens: 10,
    completion_tokens: 5,
    total_tokens: 215,
    prompt_tokens_details: { cached_tokens: 4 },
    completion_tokens_details: { reasoning_tokens: 200 },
  };
  return data({ ...h, ...delta({ content: 'ok' }, 'stop') }, { ...h, choices: [], usage }) + DONE;
})();

/** Line ends with a carriage return, no space after the colon, no `[DONE]`, no usage, the last line unended. */
const bare = (() => {
  const h = head('c-1', 'local');
  const lines = [
    { ...h, ...delta({ content: 'plain' }) },
    { ...h, ...delta({ content: ' words' }) },
    { ...h, ...delta({}, 'stop') },
  ];
  return `\ufeff${lines.map((line) => `event: message\r\nid: 1\r\ndata:${JSON.stringify(line)}`).join('\r\n\r\n')}`;
})();

const none = { toolCalls: [] };
export const FIXTURES: WireFixture[] = [
  {
    provider: 'OpenAI',
    wire: openai,
    expected: {
      ...none,
      content: 'Der Fluß "Elbe" – 東京 🏯',
      finishReason: 'stop',
      model: 'gpt-5-mini-2025-08-07',
      usage: { inputTokens: 2048, outputTokens: 80, cachedInputTokens: 1920, reasoningTokens: 64 },
    },
  },
  {
    provider: 'OpenAI, tools',
    wire: openaiTools,
    expected: {
      content: '',
      toolCalls: [
        { id: 'call_1', name: 'get_weather', arguments: '{"location": "Köln"}' },
        { id: 'call_2', name: 'get_time', arguments: '{}' },
      ],
      finishReason: 'tool_calls',
      model: 'gpt-5-mini',
      usage: undefined,
    },
  },
  {
    provider: 'Ollama',
    wire: ollama,
    expected: {
      content: 'Ich suche\n  "das".',
      toolCalls: [{ id: 'call_9', name: 'search', arguments: '{"q":"ü"}' }],
      finishReason: 'tool_calls',
      model: 'llama3.2',
      usage: { inputTokens: 26, outputTokens: 12 },
    },
  },
  {
    provider: 'vLLM',
    wire: vllm,
    expected: {
      ...none,
      content: '你好，世界!',
      finishReason: 'length',
      model: 'Qwen/Qwen3-8B',
      usage: { inputTokens: 33, outputTokens: 7 },
    },
  },
  {
    provider: 'Groq',
    wire: groq,
    expected: {
      ...none,
      content: 'fast text',
      finishReason: 'stop',
      model: 'llama-3.3-70b-versatile',
      usage: { inputTokens: 40, outputTokens: 3 },
    },
  },
  {
    provider: 'DeepSeek',
    wire: deepseek,
    expected: {
      ...none,
      content: 'a\\(x\\)b',
      finishReason: 'stop',
      model: 'deepseek-chat',
      usage: { inputTokens: 500, outputTokens: 9, cachedInputTokens: 448 },
    },
  },
  {
    provider: 'Mistral',
    wire: mistral,
    expected: {
      content: 'Voilà',
      toolCalls: [{ id: 'D681PevKs', name: 'search', arguments: '{"q": "x"}' }],
      finishReason: 'tool_calls',
      model: 'magistral-medium-latest',
      usage: { inputTokens: 90, outputTokens: 20 },
    },
  },
  {
    provider: 'OpenRouter',
    wire: openrouter,
    expected: {
      ...none,
      content: 'Hello there',
      finishReason: 'stop',
      model: 'anthropic/claude-haiku-4.5',
      usage: { inputTokens: 100, outputTokens: 20, cachedInputTokens: 40, cacheWriteTokens: 30 },
    },
  },
  {
    provider: 'xAI',
    wire: xai,
    expected: {
      ...none,
      content: 'ok',
      finishReason: 'stop',
      model: 'grok-4',
      usage: { inputTokens: 10, outputTokens: 205, cachedInputTokens: 4, reasoningTokens: 200 },
    },
  },
  {
    provider: 'a bare server',
    wire: bare,
    expected: { ...none, content: 'plain words', finishReason: 'stop', model: 'local', usage: undefined },
  },
];
