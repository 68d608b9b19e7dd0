/** Usage, finish reasons and errors of the AI SDK's provider packages in our terms. Pure. */
import { APICallError, type LanguageModelV4FinishReason, type LanguageModelV4Usage } from '@ai-sdk/provider';
import {
  ModelError,
  type ModelFinishReason,
  type ModelRequest,
  type ModelToolCall,
  type ModelUsage,
  type PartialModelResult,
} from '../../../kernel/model.ts';
import { estimatePromptTokens, estimateTokens } from '../../../kernel/tokens.ts';
import { garbageError, networkError, parseRetryAfterMs, safeErrorCode, statusError } from '../errors.ts';

export interface PartialAnswer {
  content: string;
  toolCalls: ModelToolCall[];
}

export const estimatedUsage = (request: ModelRequest, answer: PartialAnswer): ModelUsage => {
  let outputTokens = estimateTokens(answer.content);
  for (const call of answer.toolCalls) outputTokens += estimateTokens(call.name + call.arguments);
  return {
    inputTokens: estimatePromptTokens(request),
    outputTokens,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    estimated: true,
  };
};

/** The packages' total already holds what was read from and written to the cache. Undefined: no usage came. */
export const toUsage = (usage: LanguageModelV4Usage): ModelUsage | undefined => {
  const { inputTokens: input, outputTokens: output } = usage;
  const cached = input.cacheRead ?? 0;
  const written = input.cacheWrite ?? 0;
  const total = input.total ?? (input.noCache === undefined ? undefined : input.noCache + cached + written);
  // Some leave out one of the two: it is estimated then (`filledUsage`).
  const [read, answered] = [total ?? 0, output.total ?? 0];
  if (read + answered === 0) return undefined;
  return {
    inputTokens: read,
    outputTokens: answered,
    cachedInputTokens: cached,
    cacheWriteTokens: written,
    reasoningTokens: output.reasoning ?? 0,
    estimated: false,
  };
};

/** Undefined: the provider says that it broke off. */
export const toFinish = (
  reason: LanguageModelV4FinishReason,
  hasCalls: boolean,
): ModelFinishReason | undefined => {
  switch (reason.unified) {
    case 'length':
      return 'length';
    case 'content-filter':
      return 'content_filter';
    case 'error':
    case 'interrupted':
      return undefined;
    default:
      return hasCalls ? 'tool_calls' : 'stop';
  }
};

const parseBody = (text: string | undefined): unknown => {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
};

/**
 * The packages' errors carry the request body and the provider's own words: nothing of them but status, waiting time
 * and error code is taken over, and they are not kept as cause.
 */
export const toModelError = (
  provider: string,
  error: unknown,
  partial: PartialModelResult | undefined,
  nowMs: number,
): ModelError => {
  if (error instanceof ModelError) return error;
  const status = APICallError.isInstance(error) ? error.statusCode : undefined;
  if (!APICallError.isInstance(error) || status === undefined) return networkError(provider, error, partial);
  // A good status with a body that does not fit.
  if (status < 300) return garbageError(provider, 'sent what cannot be read', partial);
  const headers = error.responseHeaders ?? {};
  const code = safeErrorCode(parseBody(error.responseBody));
  if (partial !== undefined) return garbageError(provider, 'reported an error within its answer', partial);
  return statusError(provider, status, {
    retryAfterMs: parseRetryAfterMs((name) => headers[name], nowMs),
    code,
  });
};
