import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../../kernel/model.ts';
import { createGgufProvider, itemsOf, loadRuntime } from './index.ts';
import type { ChatItem, GenerateOptions, LlamaRuntime } from './runtime.ts';

/** The adapter against a stand-in of the package; with the package itself: test/all/gguf.test.ts. */

interface Seen {
  history: ChatItem[];
  maxTokens: number;
}

const runtime = (seen: Seen[], generate: (options: GenerateOptions) => Promise<string>): LlamaRuntime => ({
  getLlama: async () => ({
    loadModel: async ({ modelPath }) => {
      if (modelPath.includes('broken')) throw new Error('no model');
      return {
        trainContextSize: 2_048,
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
      return { response: '', metadata: { stopReason } };
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

  it('says that the package is missing by null', async () => {
    expect(await loadRuntime('a-package-that-is-not-installed')).toBeNull();
  });
});
