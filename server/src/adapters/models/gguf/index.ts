import { availableParallelism } from 'node:os';
import {
  ModelError,
  type ModelMessage,
  type ModelProvider,
  type ModelRequest,
  type ModelResult,
  type ModelUsage,
} from '../../../kernel/model.ts';
import { abortedError } from '../errors.ts';
import type { ChatItem, Llama, LlamaContext, LlamaModel, LlamaRuntime } from './runtime.ts';

export { checkHead } from './head.ts';
export { loadRuntime, PACKAGE, PACKAGE_VERSION } from './runtime.ts';

/**
 * Language models in local GGUF files, through llama.cpp in this process. One call at a time for each file: a second one waits,
 * since both would share the same cores. Tools are not offered to these models.
 */
export interface GgufOptions {
  runtime: LlamaRuntime;
  /** Files by the name of the model. */
  files: ReadonlyMap<string, string>;
  /** Largest context window in tokens; a model with a smaller one has its own. */
  maxContextTokens: number;
}

const NAME = 'gguf';
const DEFAULT_OUTPUT_TOKENS = 1_024;
const DEFAULT_TEMPERATURE = 0;

interface Loaded {
  model: LlamaModel;
  context: LlamaContext;
  sequence: unknown;
  /** The end of the last call. */
  tail: Promise<unknown>;
}

/** llama.cpp's own form of a conversation. A tool's result is told as text of the person. */
export const itemsOf = (messages: readonly ModelMessage[]): ChatItem[] => {
  const items = messages.map((message): ChatItem => {
    if (message.role === 'system') return { type: 'system', text: message.content };
    if (message.role === 'assistant') return { type: 'model', response: [message.content] };
    if (message.role === 'tool')
      return { type: 'user', text: `Result of ${message.name}:\n${message.content}` };
    return { type: 'user', text: message.content };
  });
  // The answer is written into an empty turn at the end.
  return [...items, { type: 'model', response: [] }];
};

/** Loads the files at once, so that a broken one is told at the start. Rejects with what llama.cpp says of it. */
export const createGgufProvider = async (options: GgufOptions): Promise<ModelProvider> => {
  // More threads than cores wait for each other in busy loops; one core stays for the server.
  const threads = Math.max(1, availableParallelism() - 1);
  const llama: Llama = await options.runtime.getLlama({
    build: 'never',
    progressLogs: false,
    logLevel: 'error',
    skipDownload: true,
    maxThreads: threads,
  });
  const loaded = new Map<string, Loaded>();
  try {
    for (const [name, modelPath] of options.files) {
      const model = await llama.loadModel({ modelPath });
      const max = Math.min(model.trainContextSize, options.maxContextTokens);
      const context = await model.createContext({ contextSize: { max }, threads });
      loaded.set(name, { model, context, sequence: context.getSequence(), tail: Promise.resolve() });
    }
  } catch (error) {
    await llama.dispose();
    throw error;
  }

  const usageOf = (model: LlamaModel, request: ModelRequest, output: string): ModelUsage => ({
    inputTokens: request.messages.reduce((sum, message) => sum + model.tokenize(message.content).length, 0),
    outputTokens: model.tokenize(output).length,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    // Without what the chat template adds.
    estimated: true,
  });

  const run = async (
    entry: Loaded,
    request: ModelRequest,
    onText: (text: string) => void,
  ): Promise<ModelResult> => {
    if (request.signal.aborted) throw abortedError(NAME);
    const chat = new options.runtime.LlamaChat({ contextSequence: entry.sequence });
    let said = '';
    try {
      const { metadata } = await chat.generateResponse(itemsOf(request.messages), {
        onTextChunk: (text) => {
          said += text;
          onText(text);
        },
        signal: request.signal,
        stopOnAbortSignal: true,
        maxTokens: request.maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS,
        temperature: request.temperature ?? DEFAULT_TEMPERATURE,
      });
      const usage = usageOf(entry.model, request, said);
      if (request.signal.aborted) throw abortedError(NAME, { content: said, usage });
      return {
        content: said,
        toolCalls: [],
        finishReason: metadata.stopReason === 'maxTokens' ? 'length' : 'stop',
        usage,
        model: request.model,
      };
    } catch (error) {
      if (error instanceof ModelError) throw error;
      const partial =
        said === '' ? {} : { partial: { content: said, usage: usageOf(entry.model, request, said) } };
      if (request.signal.aborted) throw abortedError(NAME, partial.partial);
      throw new ModelError('refused', NAME, 'the model file could not answer this prompt', {
        ...partial,
        cause: error,
      });
    } finally {
      chat.dispose();
    }
  };

  const queued = (request: ModelRequest, onText: (text: string) => void): Promise<ModelResult> => {
    const entry = loaded.get(request.model);
    if (entry === undefined) {
      return Promise.reject(new ModelError('refused', NAME, 'there is no model file of this name'));
    }
    const result = entry.tail.then(() => run(entry, request, onText));
    entry.tail = result.catch(() => {});
    return result;
  };

  return {
    name: NAME,
    local: true,
    contextTokens: (model) => loaded.get(model)?.context.contextSize ?? null,
    generate: (request) => queued(request, () => {}),
    stream: queued,
    async close() {
      await Promise.all([...loaded.values()].map((entry) => entry.tail));
      await llama.dispose();
    },
  };
};
