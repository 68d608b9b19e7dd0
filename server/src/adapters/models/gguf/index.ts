import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import {
  ModelError,
  type ModelFinishReason,
  type ModelProvider,
  type ModelRequest,
  type ModelResult,
  type ModelToolCall,
  type ModelUsage,
} from '../../../kernel/model.ts';
import { abortedError } from '../errors.ts';
import type { Functions, Llama, LlamaContext, LlamaModel, LlamaRuntime } from './runtime.ts';
import { functionsOf, itemsOf, knowsTools, mayBeACall, writtenCall } from './tools.ts';

export { checkHead } from './head.ts';
export { loadRuntime, PACKAGE, PACKAGE_VERSION } from './runtime.ts';
export { itemsOf } from './tools.ts';

/**
 * Language models in local GGUF files, through llama.cpp in this process. One call at a time for each file: a second one waits,
 * since both would share the same cores. Tools are offered to models whose own template has a place for them.
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

const finishOf = (stopReason: string, calls: number): ModelFinishReason => {
  if (calls > 0) return 'tool_calls';
  return stopReason === 'maxTokens' ? 'length' : 'stop';
};

const toolCallsOf = (
  calls: readonly { functionName: string; params: unknown }[],
  said: string,
  functions: Functions | null,
): ModelToolCall[] => {
  const written = functions === null || calls.length > 0 ? null : writtenCall(said, functions);
  const all = calls.map(({ functionName, params }) => ({ name: functionName, params }));
  return [...all, ...(written === null ? [] : [written])].map(({ name, params }) => ({
    id: `call_${randomUUID()}`,
    name,
    arguments: JSON.stringify(params ?? {}),
  }));
};

interface Loaded {
  model: LlamaModel;
  context: LlamaContext;
  sequence: unknown;
  callsTools: boolean;
  /** The end of the last call. */
  tail: Promise<unknown>;
}

/** Null where the model gets none; an empty list would be told to it as tools that it lacks. */
const offered = ({ model, context, callsTools }: Loaded, request: ModelRequest): Functions | null => {
  const { tools = [], toolChoice, responseSchema } = request;
  if (!callsTools || tools.length === 0 || toolChoice === 'none' || responseSchema !== undefined) return null;
  const named = typeof toolChoice === 'object' ? tools.filter(({ name }) => name === toolChoice.name) : tools;
  const functions = functionsOf(named, context.contextSize, (text) => model.tokenize(text).length);
  return Object.keys(functions).length === 0 ? null : functions;
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
      loaded.set(name, {
        model,
        context,
        sequence: context.getSequence(),
        callsTools: knowsTools(model.fileInfo?.metadata?.tokenizer?.chat_template),
        tail: Promise.resolve(),
      });
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
    const functions = offered(entry, request);
    let said = '';
    // With tools, what may be a call in plain text is shown when it is known to be none.
    let shown = 0;
    const show = (all: boolean): void => {
      if (functions !== null && !all && mayBeACall(said)) return;
      if (shown < said.length) onText(said.slice(shown));
      shown = said.length;
    };
    try {
      const answer = await chat.generateResponse(itemsOf(request.messages, functions !== null), {
        onTextChunk: (text) => {
          said += text;
          show(false);
        },
        signal: request.signal,
        stopOnAbortSignal: true,
        maxTokens: request.maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS,
        temperature: request.temperature ?? DEFAULT_TEMPERATURE,
        ...(functions === null
          ? {}
          : { functions, documentFunctionParams: true as const, maxParallelFunctionCalls: 1 }),
      });
      const usage = usageOf(entry.model, request, said);
      if (request.signal.aborted) throw abortedError(NAME, { content: said, usage });
      const toolCalls = toolCallsOf(answer.functionCalls ?? [], said, functions);
      const isCallInText = toolCalls.length > 0 && (answer.functionCalls ?? []).length === 0;
      if (!isCallInText) show(true);
      return {
        content: isCallInText ? '' : said,
        toolCalls,
        finishReason: finishOf(answer.metadata.stopReason, toolCalls.length),
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
