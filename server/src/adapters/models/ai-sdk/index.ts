/**
 * Providers behind the AI SDK's provider packages (Anthropic, Google), used at the level of `doGenerate` and
 * `doStream`: messages, tools and usage are theirs, the loop, retries and timeouts are ours.
 */

import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import {
  ModelError,
  type ModelFinishReason,
  type ModelProvider,
  type ModelRequest,
  type ModelResult,
  type ModelUsage,
} from '../../../kernel/model.ts';
import { withTrace } from '../../../kernel/tracing.ts';
import { limitBody } from '../../guarded-fetch/index.ts';
import { garbageError } from '../errors.ts';
import { toCallOptions } from './prompt.ts';
import { estimatedUsage, type PartialAnswer, toFinish, toModelError, toUsage } from './result.ts';
import { gather, watch } from './watch.ts';

export interface AiSdkOptions {
  apiKey: string;
  /** Another address than the provider's own. */
  baseUrl?: string | undefined;
  /** Longest wait for the first part, and for a whole answer. Default 120 s. */
  firstByteTimeoutMs?: number;
  /** Longest pause between two parts of a stream. Default 60 s. */
  idleTimeoutMs?: number;
}

interface Answer extends PartialAnswer {
  usage: ModelUsage | undefined;
  finishReason: ModelFinishReason | undefined;
  model: string | undefined;
}

const toResult = (provider: string, request: ModelRequest, answer: Answer): ModelResult => {
  const { content, toolCalls, finishReason } = answer;
  const usage = answer.usage ?? estimatedUsage(request, answer);
  if (finishReason === undefined)
    throw garbageError(provider, 'broke off within its answer', partialOf(request, answer));
  return { content, toolCalls, finishReason, usage, model: answer.model ?? request.model };
};

const partialOf = (request: ModelRequest, answer: Answer) =>
  answer.content === '' && answer.toolCalls.length === 0
    ? undefined
    : { content: answer.content, usage: answer.usage ?? estimatedUsage(request, answer) };

/** Takes one part into the answer. Throws what an `error` part carries: such a stream still ends as `stop`. */
const readPart = (answer: Answer, part: LanguageModelV4StreamPart): string => {
  switch (part.type) {
    case 'text-delta':
      answer.content += part.delta;
      return part.delta;
    case 'tool-call':
      if (part.providerExecuted !== true)
        answer.toolCalls.push({ id: part.toolCallId, name: part.toolName, arguments: part.input });
      return '';
    case 'response-metadata':
      answer.model = part.modelId ?? answer.model;
      return '';
    case 'finish':
      answer.usage = toUsage(part.usage);
      answer.finishReason = toFinish(part.finishReason, answer.toolCalls.length > 0);
      return '';
    case 'error':
      throw part.error;
    default:
      return '';
  }
};

const createAiSdkProvider = (
  name: string,
  languageModel: (model: string) => LanguageModelV4,
  options: AiSdkOptions,
): ModelProvider => {
  const firstByteTimeoutMs = options.firstByteTimeoutMs ?? 120_000;
  const idleTimeoutMs = options.idleTimeoutMs ?? 60_000;
  const emptyAnswer = (): Answer => ({
    content: '',
    toolCalls: [],
    usage: undefined,
    finishReason: undefined,
    model: undefined,
  });

  /** A stop of our own keeps its kind and gets what had come; anything else is translated. */
  const failure = (
    error: unknown,
    request: ModelRequest,
    answer: Answer,
    signal: AbortSignal,
  ): ModelError => {
    const partial = partialOf(request, answer);
    const own: unknown = signal.aborted ? signal.reason : error;
    if (own instanceof ModelError)
      return partial === undefined || own.partial !== undefined
        ? own
        : new ModelError(own.kind, name, own.message, { partial });
    return toModelError(name, error, partial, Date.now());
  };

  const generate = async (request: ModelRequest): Promise<ModelResult> => {
    const watched = watch(name, request.signal);
    watched.within(firstByteTimeoutMs, 'did not answer in time');
    const answer = emptyAnswer();
    try {
      const call = async () => {
        if (watched.signal.aborted) return watched.stopped;
        return languageModel(request.model).doGenerate(toCallOptions(request, watched.signal));
      };
      const result = await Promise.race([call(), watched.stopped]);
      for (const part of result.content) {
        if (part.type === 'text') answer.content += part.text;
        else if (part.type === 'tool-call') readPart(answer, part);
      }
      answer.usage = toUsage(result.usage);
      answer.finishReason = toFinish(result.finishReason, answer.toolCalls.length > 0);
      answer.model = result.response?.modelId;
      return toResult(name, request, answer);
    } catch (error) {
      throw failure(error, request, answer, watched.signal);
    } finally {
      watched.end();
    }
  };

  const stream = async (request: ModelRequest, onText: (text: string) => void): Promise<ModelResult> => {
    const watched = watch(name, request.signal);
    watched.within(firstByteTimeoutMs, 'did not answer in time');
    const answer = emptyAnswer();
    const gathered = gather(onText, watched.stop);
    let reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart> | undefined;
    try {
      const call = async () => {
        if (watched.signal.aborted) return watched.stopped;
        return languageModel(request.model).doStream(toCallOptions(request, watched.signal));
      };
      reader = (await Promise.race([call(), watched.stopped])).stream.getReader();
      while (true) {
        const { done, value } = await Promise.race([reader.read(), watched.stopped]);
        if (done) break;
        // The packages begin with a part of their own before the provider has sent anything.
        if (value.type !== 'stream-start') watched.within(idleTimeoutMs, 'stopped sending');
        gathered.add(readPart(answer, value));
      }
      gathered.flush();
      if (watched.signal.aborted) throw watched.signal.reason;
      return toResult(name, request, answer);
    } catch (error) {
      gathered.flush();
      // What the listener threw is no failure of the provider.
      const thrown = gathered.thrown();
      throw thrown === undefined ? failure(error, request, answer, watched.signal) : thrown.error;
    } finally {
      watched.end();
      reader?.cancel().catch(() => {});
    }
  };

  return { name, local: false, generate, stream, close: () => Promise.resolve() };
};

/** Of a whole answer, streamed or not: no model writes that much, and all of it is kept. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
const boundedFetch: typeof fetch = async (input, init) =>
  limitBody(await fetch(input, withTrace(init)), MAX_ANSWER_BYTES, false);

export const createAnthropicProvider = (options: AiSdkOptions): ModelProvider => {
  const sdk = createAnthropic({
    apiKey: options.apiKey,
    fetch: boundedFetch,
    ...(options.baseUrl === undefined ? {} : { baseURL: options.baseUrl }),
  });
  return createAiSdkProvider('anthropic', (model) => sdk.languageModel(model), options);
};

export const createGoogleProvider = (options: AiSdkOptions): ModelProvider => {
  const sdk = createGoogle({
    apiKey: options.apiKey,
    fetch: boundedFetch,
    ...(options.baseUrl === undefined ? {} : { baseURL: options.baseUrl }),
  });
  return createAiSdkProvider('google', (model) => sdk.languageModel(model), options);
};
