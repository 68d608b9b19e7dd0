/**
 * Client of the chat-completions wire, as thin as it can be: one undici dispatch a call, no stream objects, no work
 * per token beyond parse and append. Serves OpenAI, Ollama, vLLM, Groq, Mistral, DeepSeek, OpenRouter and every
 * other compatible endpoint.
 */
import { randomUUID } from 'node:crypto';
import { type Dispatcher, Pool } from 'undici';
import type {
  ModelError,
  ModelProvider,
  ModelRequest,
  ModelResult,
  ModelUsage,
  PartialModelResult,
} from '../../../kernel/model.ts';
import { estimatePromptTokens, estimateTokens } from '../../../kernel/tokens.ts';
import { traceHeaders } from '../../../kernel/tracing.ts';
import {
  abortedError,
  garbageError,
  networkError,
  parseRetryAfterMs,
  safeErrorCode,
  statusError,
} from '../errors.ts';
import { type Answer, createAccumulator, finishOf } from './accumulate.ts';
import { createStreamReader } from './read-stream.ts';
import { COMPATIBLE_DIALECT, requestBody, type WireDialect } from './request.ts';

export { COMPATIBLE_DIALECT, OPENAI_DIALECT, type WireDialect } from './request.ts';

export interface ChatCompletionsOptions {
  /** `openai`, `ollama`, `compatible`. */
  name: string;
  /** Address without `/chat/completions`, such as `https://api.openai.com/v1`. */
  baseUrl: string;
  apiKey?: string | undefined;
  /** True where calls cost nothing (ollama). Default false. */
  local?: boolean;
  dialect?: WireDialect;
  /** Default 10 s. */
  connectTimeoutMs?: number;
  /** Longest wait for the head of an answer, which for a whole answer is the generation itself. Default 120 s. */
  firstByteTimeoutMs?: number;
  /** Longest pause between two reads of a body. Default 60 s. */
  idleTimeoutMs?: number;
  /** Calls at once; more wait for a socket. Default 4,096. */
  maxConnections?: number;
  headers?: Record<string, string>;
}

/** More than any model answers. A body above it is a fault. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;
const MAX_ERROR_BODY_BYTES = 16 * 1024;

const newCallId = (): string => `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`;

const usageOf = (request: ModelRequest, answer: Answer): ModelUsage => {
  const reported = answer.reportedNanoUsd === undefined ? {} : { reportedNanoUsd: answer.reportedNanoUsd };
  if (answer.usage !== undefined && answer.interim === undefined) return { ...answer.usage, ...reported };
  let outputTokens = estimateTokens(answer.content);
  for (const call of answer.toolCalls) outputTokens += estimateTokens(call.name + call.arguments);
  return {
    inputTokens: estimatePromptTokens(request),
    outputTokens,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    estimated: true,
    // Of what was told under way the prompt stands, and the output where it is more than what came looks like.
    ...(answer.usage === undefined
      ? {}
      : {
          ...answer.usage,
          outputTokens: Math.max(answer.usage.outputTokens, outputTokens),
          estimated: true,
        }),
    ...reported,
  };
};

const resultOf = (request: ModelRequest, answer: Answer): ModelResult => ({
  content: answer.content,
  toolCalls: answer.toolCalls,
  finishReason: finishOf(answer),
  usage: usageOf(request, answer),
  model: answer.model ?? request.model,
});

const partialOf = (request: ModelRequest, answer: Answer): PartialModelResult | undefined =>
  answer.content === '' && answer.toolCalls.length === 0
    ? undefined
    : { content: answer.content, usage: usageOf(request, answer) };

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** One answer being read: bytes go in, a result or an error comes out. */
interface AnswerReader {
  /** The text of this read, or `stop` once the answer is settled. */
  push(bytes: Buffer): string;
  /** Result once the answer is complete; undefined while it is not. */
  result(): ModelResult | undefined;
  /** Why the answer cannot be used, if so. */
  fault(): ModelError | undefined;
  /** The body ended. Gives the last text, after which `result` or `fault` is set. */
  end(): string;
  partial(): PartialModelResult | undefined;
}

const streamAnswer = (provider: string, request: ModelRequest): AnswerReader => {
  const accumulator = createAccumulator(newCallId);
  const reader = createStreamReader(accumulator);
  const { answer } = accumulator;
  const partial = () => partialOf(request, answer);
  let ended = false;
  const complete = () =>
    reader.state === 'done' || (ended && reader.state === 'open' && answer.finishReason !== undefined);
  return {
    push: reader.push,
    partial,
    result: () => (complete() ? resultOf(request, answer) : undefined),
    fault: () => {
      if (reader.state === 'failed')
        return garbageError(provider, 'reported an error within its answer', partial());
      if (reader.state === 'garbage') return garbageError(provider, 'sent what cannot be read', partial());
      return ended && !complete()
        ? garbageError(provider, 'broke off within its answer', partial())
        : undefined;
    },
    end: () => {
      const text = reader.end();
      ended = true;
      return text;
    },
  };
};

const wholeAnswer = (provider: string, request: ModelRequest): AnswerReader => {
  const accumulator = createAccumulator(newCallId);
  const parts: Buffer[] = [];
  let state: 'open' | 'complete' | 'failed' | 'garbage' = 'open';
  return {
    push: (bytes) => {
      parts.push(bytes);
      return '';
    },
    partial: () => undefined,
    result: () => (state === 'complete' ? resultOf(request, accumulator.answer) : undefined),
    fault: () => {
      if (state === 'failed') return garbageError(provider, 'reported an error within its answer');
      return state === 'garbage' ? garbageError(provider, 'sent what cannot be read') : undefined;
    },
    end: () => {
      const first = parts[0];
      const body = parts.length === 1 && first !== undefined ? first : Buffer.concat(parts);
      const value = parseJson(body.toString('utf8'));
      if (value === undefined) state = 'garbage';
      else if (accumulator.read(value) === 'failed') state = 'failed';
      else {
        const { answer } = accumulator;
        const empty =
          answer.finishReason === undefined && answer.content === '' && answer.toolCalls.length === 0;
        state = empty ? 'garbage' : 'complete';
      }
      return accumulator.answer.content;
    },
  };
};

const isEventStream = (headers: Record<string, string | string[] | undefined>): boolean =>
  String(headers['content-type'] ?? '').includes('text/event-stream');

const isJson = (headers: Record<string, string | string[] | undefined>): boolean =>
  String(headers['content-type'] ?? '').includes('json');

interface Exchange {
  provider: string;
  request: ModelRequest;
  stream: boolean;
  onText: ((text: string) => void) | undefined;
  resolve(result: ModelResult): void;
  reject(error: unknown): void;
}

/** One call, from its dispatch on: what the socket brings goes in, and it settles once. */
const createExchange = (exchange: Exchange): Dispatcher.DispatchHandler => {
  const { provider: name, request, stream, onText, resolve, reject } = exchange;
  const { signal } = request;
  let controller: Dispatcher.DispatchController | undefined;
  let status = 0;
  let failedHeaders: Record<string, string | string[] | undefined> = {};
  let errorBody = '';
  let bytesRead = 0;
  let waiting: Buffer[] = [];
  let answer: AnswerReader | undefined;
  let settled = false;

  const settle = (): void => {
    settled = true;
    signal.removeEventListener('abort', onAbort);
  };
  const fail = (error: ModelError): void => {
    if (settled) return;
    settle();
    reject(error);
    controller?.abort(error);
  };
  const onAbort = (): void => fail(abortedError(name, answer?.partial()));
  const emit = (text: string): void => {
    if (text !== '') onText?.(text);
  };
  /** Settles as soon as the answer is complete or cannot become so. */
  const check = (reader: AnswerReader): void => {
    const result = reader.result();
    if (result !== undefined) {
      settle();
      resolve(result);
      return;
    }
    const fault = reader.fault();
    if (fault !== undefined) fail(fault);
  };
  /** A throwing listener must not leave the call hanging. */
  const guarded = (step: () => void): void => {
    try {
      step();
    } catch (error) {
      if (settled) return;
      settle();
      reject(error);
      controller?.abort(new Error('the reader of the answer failed'));
    }
  };

  /** Reads what one read of the socket brought. */
  const readWaiting = (): void => {
    const first = waiting[0];
    const reader = answer;
    if (settled || first === undefined || reader === undefined) return;
    const bytes = waiting.length === 1 ? first : Buffer.concat(waiting);
    waiting = [];
    guarded(() => {
      emit(reader.push(bytes));
      if (!settled) check(reader);
    });
  };

  signal.addEventListener('abort', onAbort);
  return {
    onRequestStart: (started) => {
      controller = started;
      // Settled while it waited for a socket: it must not be sent any more.
      if (settled) started.abort(new Error('no longer wanted'));
    },
    onResponseStart: (_controller, statusCode, responseHeaders) => {
      if (statusCode < 200) return;
      status = statusCode;
      if (statusCode > 299) failedHeaders = responseHeaders;
      // Some servers do not stream although asked to, and answer in one body.
      else if (stream && (isEventStream(responseHeaders) || !isJson(responseHeaders)))
        answer = streamAnswer(name, request);
      else answer = wholeAnswer(name, request);
    },
    onResponseData: (_controller, chunk) => {
      if (settled) return;
      if (answer === undefined) {
        if (errorBody.length < MAX_ERROR_BODY_BYTES) errorBody += chunk.toString('latin1');
        else fail(statusError(name, status));
        return;
      }
      bytesRead += chunk.length;
      if (bytesRead > MAX_BODY_BYTES) {
        fail(garbageError(name, 'sent more than an answer can be', answer.partial()));
        return;
      }
      // undici calls once for each HTTP chunk; the microtask runs when the whole read of the socket is through.
      if (waiting.push(chunk) === 1) queueMicrotask(readWaiting);
    },
    onResponseEnd: () => {
      if (settled) return;
      if (answer === undefined) {
        const header = (key: string): string | undefined => {
          const value = failedHeaders[key];
          return Array.isArray(value) ? value[0] : value;
        };
        const code = safeErrorCode(parseJson(errorBody));
        fail(statusError(name, status, { retryAfterMs: parseRetryAfterMs(header, Date.now()), code }));
        return;
      }
      readWaiting();
      const reader = answer;
      if (settled) return;
      guarded(() => {
        emit(reader.end());
        if (!settled) check(reader);
      });
    },
    onResponseError: (_controller, error) => {
      readWaiting();
      // The head of a refusal already says what happened, even where its body broke off.
      if (status > 299) fail(statusError(name, status));
      else fail(networkError(name, error, answer?.partial()));
    },
  };
};

/** Makes a provider of the port. Errors of calls: `ModelError`. Throws TypeError on an unreadable `baseUrl`. */
export const createChatCompletions = (options: ChatCompletionsOptions): ModelProvider => {
  const { name } = options;
  const dialect = options.dialect ?? COMPATIBLE_DIALECT;
  const base = new URL(options.baseUrl);
  const path = `${base.pathname.replace(/(?<!\/)\/+$/, '')}/chat/completions${base.search}`;
  const headers = {
    'content-type': 'application/json',
    ...(options.apiKey === undefined || options.apiKey === ''
      ? {}
      : { authorization: `Bearer ${options.apiKey}` }),
    ...options.headers,
  };
  const pool = new Pool(base.origin, {
    connections: options.maxConnections ?? 4096,
    pipelining: 1,
    allowH2: false,
    connect: { timeout: options.connectTimeoutMs ?? 10_000 },
    headersTimeout: options.firstByteTimeoutMs ?? 120_000,
    bodyTimeout: options.idleTimeoutMs ?? 60_000,
    keepAliveTimeout: 30_000,
  });

  const call = (
    request: ModelRequest,
    stream: boolean,
    onText: ((text: string) => void) | undefined,
  ): Promise<ModelResult> =>
    new Promise((resolve, reject) => {
      const { signal } = request;
      if (signal.aborted) {
        reject(abortedError(name));
        return;
      }
      pool.dispatch(
        {
          origin: base.origin,
          path,
          method: 'POST',
          headers: { ...headers, ...traceHeaders() },
          body: requestBody(request, stream, dialect),
        },
        createExchange({ provider: name, request, stream, onText, resolve, reject }),
      );
    });

  return {
    name,
    local: options.local ?? false,
    generate: (request) => call(request, false, undefined),
    stream: (request, onText) => call(request, true, onText),
    close: () => pool.destroy(),
  };
};
