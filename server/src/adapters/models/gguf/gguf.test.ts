import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../../kernel/model.ts';
import { createGgufProvider, itemsOf, loadRuntime } from './index.ts';
import type { ChatItem, GenerateOptions, LlamaRuntime } from './runtime.ts';
import { functionsOf, grammarSchema, knowsTools } from './tools.ts';

/** The adapter against a stand-in of the package; with the package itself: test/all/gguf.test.ts. */

interface Seen {
  history: ChatItem[];
  maxTokens: number;
}

type Calls = { functionName: string; params: unknown }[];

const runtime = (
  seen: Seen[],
  generate: (options: GenerateOptions) => Promise<string>,
  tools: { template?: string; calls?: (options: GenerateOptions) => Calls } = {},
): LlamaRuntime => ({
  getLlama: async () => ({
    loadModel: async ({ modelPath }) => {
      if (modelPath.includes('broken')) throw new Error('no model');
      return {
        trainContextSize: 2_048,
        fileInfo: { metadata: { tokenizer: { chat_template: tools.template } } },
        tokenize: (text) => text.split(' ').map((_, i) => i),
        createContext: async ({ contextSize }) => ({
          contextSize: contextSize.max,
          getSequence: () => ({}),
          dispose: async () => {},
        }),
        dispose: async () => {},
      };
    },
    dispose: async () => {},
  }),
  LlamaChat: class {
    async generateResponse(history: ChatItem[], options: GenerateOptions) {
      seen.push({ history, maxTokens: options.maxTokens });
      const stopReason = await generate(options);
      return { response: '', functionCalls: tools.calls?.(options), metadata: { stopReason } };
    }
    dispose(): void {}
  },
});

const request = (signal: AbortSignal, model = 'a.gguf'): ModelRequest => ({
  model,
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hello there' },
  ],
  maxOutputTokens: 7,
  signal,
});
const files = new Map([['a.gguf', '/models/a.gguf']]);
const never = new AbortController().signal;

describe('gguf', () => {
  it('hands the conversation over and gives text, counts and why it ended', async () => {
    const seen: Seen[] = [];
    const provider = await createGgufProvider({
      runtime: runtime(seen, async (options) => {
        options.onTextChunk('One ');
        options.onTextChunk('two');
        return 'maxTokens';
      }),
      files,
      maxContextTokens: 1_000,
    });
    const parts: string[] = [];
    const result = await provider.stream(request(never), (text) => parts.push(text));
    expect(parts).toEqual(['One ', 'two']);
    expect(result).toMatchObject({
      content: 'One two',
      finishReason: 'length',
      usage: { inputTokens: 4, outputTokens: 2, estimated: true },
    });
    expect(seen[0]).toEqual({
      history: [
        { type: 'system', text: 'Be brief.' },
        { type: 'user', text: 'Hello there' },
        { type: 'model', response: [] },
      ],
      maxTokens: 7,
    });
    expect(provider.contextTokens?.('a.gguf')).toBe(1_000);
    expect(provider.contextTokens?.('b.gguf')).toBeNull();
  });

  it('keeps what had come when it is stopped', async () => {
    const stop = new AbortController();
    const provider = await createGgufProvider({
      runtime: runtime([], async (options) => {
        options.onTextChunk('Half');
        stop.abort();
        return 'abort';
      }),
      files,
      maxContextTokens: 1_000,
    });
    await expect(provider.generate(request(stop.signal))).rejects.toMatchObject({
      kind: 'aborted',
      partial: { content: 'Half' },
    });
  });

  it('makes one call at a time', async () => {
    let running = 0;
    let most = 0;
    const provider = await createGgufProvider({
      runtime: runtime([], async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return 'eogToken';
      }),
      files,
      maxContextTokens: 1_000,
    });
    await Promise.all(Array.from({ length: 5 }, () => provider.generate(request(never))));
    expect(most).toBe(1);
  });

  it('refuses other names, and broken files at once', async () => {
    const options = { runtime: runtime([], async () => 'eogToken'), maxContextTokens: 1_000 };
    const provider = await createGgufProvider({ ...options, files });
    await expect(provider.generate(request(never, 'other.gguf'))).rejects.toMatchObject({ kind: 'refused' });
    const broken = createGgufProvider({ ...options, files: new Map([['b', '/models/broken.gguf']]) });
    await expect(broken).rejects.toThrow('no model');
  });

  it('tells results of tools as text', () => {
    expect(itemsOf([{ role: 'tool', toolCallId: 'x', name: 'time', content: 'noon' }])[0]).toEqual({
      type: 'user',
      text: 'Result of time:\nnoon',
    });
  });

  const TEMPLATE = '{% if tools %}{{ tools }}{% endif %}{{ messages }}';
  const TOOLS = [
    {
      name: 'clock__now',
      description: 'The time in a city',
      inputSchema: {
        type: 'object',
        properties: { city: { type: 'string', pattern: '^[A-Z]' }, zone: { enum: ['utc', 'local'] } },
        required: ['city'],
      },
    },
    { name: 'big__tool', description: 'x '.repeat(2_000), inputSchema: { type: 'object' } },
  ];

  it('offers tools to a model whose template has a place for them, as many as a small window holds', async () => {
    const seen: Seen[] = [];
    const offers: unknown[] = [];
    const calls = (options: GenerateOptions): Calls => {
      offers.push(options.functions);
      return options.functions === undefined
        ? []
        : [{ functionName: 'clock__now', params: { city: 'Kiel' } }];
    };
    const ends = async (): Promise<string> => 'functionCalls';
    const given = { files, maxContextTokens: 1_000 };
    const able = await createGgufProvider({
      runtime: runtime(seen, ends, { template: TEMPLATE, calls }),
      ...given,
    });
    const result = await able.generate({ ...request(never), tools: TOOLS });
    expect(result).toMatchObject({ finishReason: 'tool_calls', content: '' });
    expect(result.toolCalls).toMatchObject([{ name: 'clock__now', arguments: '{"city":"Kiel"}' }]);
    expect(offers).toEqual([
      {
        clock__now: {
          description: 'The time in a city',
          params: {
            type: 'object',
            properties: { city: { type: 'string' }, zone: { enum: ['utc', 'local'] } },
            required: ['city'],
            additionalProperties: false,
          },
        },
      },
    ]);
    await able.generate({ ...request(never), tools: TOOLS, toolChoice: 'none' });
    const unable = await createGgufProvider({
      runtime: runtime(seen, ends, { template: '{{ messages }}', calls }),
      ...given,
    });
    await unable.generate({ ...request(never), tools: TOOLS });
    expect(offers.slice(1)).toEqual([undefined, undefined]);
  });

  it('takes a call in plain JSON for what it is, and shows other JSON', async () => {
    const texts = [
      '```json\n{"name": "clock__now", "arguments": {"city": "Kiel"}}\n```',
      '{"name": "no_such_tool", "arguments": {}}',
      '{"name": "clock__now", "argum',
      'Noon.',
    ];
    const provider = await createGgufProvider({
      runtime: runtime(
        [],
        async (options) => {
          for (const part of (texts.shift() ?? '').match(/.{1,5}/gs) ?? []) options.onTextChunk(part);
          return 'eogToken';
        },
        { template: TEMPLATE },
      ),
      files,
      maxContextTokens: 1_000,
    });
    const ask = async () => {
      let told = '';
      const { content, toolCalls } = await provider.stream({ ...request(never), tools: TOOLS }, (text) => {
        told += text;
      });
      return { told, content, calls: toolCalls.map((one) => `${one.name} ${one.arguments}`) };
    };
    expect(await ask()).toEqual({ told: '', content: '', calls: ['clock__now {"city":"Kiel"}'] });
    for (const text of [...texts]) expect(await ask()).toEqual({ told: text, content: text, calls: [] });
  });

  it('goes on from the result of a call in the same turn, also after one that was broken', () => {
    const call = (id: string, args: string) => ({ id, name: 'clock__now', arguments: args });
    const items = itemsOf(
      [
        { role: 'user', content: 'How late is it?' },
        { role: 'assistant', content: '', toolCalls: [call('a', '{"city":')] },
        { role: 'tool', toolCallId: 'a', name: 'clock__now', content: 'the arguments are no JSON' },
        { role: 'assistant', content: 'Again.', toolCalls: [call('b', '{"city":"Kiel"}')] },
        { role: 'tool', toolCallId: 'b', name: 'clock__now', content: 'noon' },
      ],
      true,
    );
    expect(items).toEqual([
      { type: 'user', text: 'How late is it?' },
      {
        type: 'model',
        response: [
          {
            type: 'functionCall',
            name: 'clock__now',
            params: '{"city":',
            result: 'the arguments are no JSON',
          },
          'Again.',
          { type: 'functionCall', name: 'clock__now', params: { city: 'Kiel' }, result: 'noon' },
        ],
      },
    ]);
  });

  it('leaves of a schema what a grammar can hold', () => {
    expect(grammarSchema({ anyOf: [{ type: 'string', format: 'uri' }, { type: 'null' }] })).toEqual({
      oneOf: [{ type: 'string' }, { type: 'null' }],
    });
    expect(grammarSchema({ type: 'array', items: { $ref: '#/$defs/x' } })).toEqual({
      type: 'array',
      items: { type: 'string' },
    });
    expect(grammarSchema({ type: ['integer', 'null'], minimum: 3 })).toEqual({ type: ['integer', 'null'] });
    expect(functionsOf(TOOLS, 8, (text) => text.length)).toEqual({});
    expect([knowsTools('{% if tools %}'), knowsTools('{{ messages }}'), knowsTools(undefined)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('says that the package is missing by null', async () => {
    expect(await loadRuntime('a-package-that-is-not-installed')).toBeNull();
  });
});
