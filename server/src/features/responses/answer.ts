import type { AppError } from '../../kernel/errors.ts';
import type { ChatResponse } from '../chat/index.ts';
import { createdS, extensionOf, handedCallsOf, waitingNote, withNote } from '../openai/index.ts';
import type { ResponseAnswer, ResponseRequest } from './schema.ts';

/** A run's answer in the words of the Responses API. */

export const responseId = (runId: string): string => `resp_${runId}`;
/** Of the item that holds its text. */
export const messageItemId = (runId: string): string => `msg_${runId}`;

const PREFIXED = /^(?:(?:resp|msg)_)?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/;

export const runOfId = (id: string): string | null => PREFIXED.exec(id)?.[1] ?? null;

export const responseUsageOf = (usage: ChatResponse['usage']): NonNullable<ResponseAnswer['usage']> => ({
  input_tokens: usage.input_tokens,
  input_tokens_details: { cached_tokens: usage.cached_input_tokens },
  output_tokens: usage.output_tokens,
  output_tokens_details: { reasoning_tokens: usage.reasoning_tokens },
  total_tokens: usage.input_tokens + usage.output_tokens,
});

export const textItem = (runId: string, text: string, status: 'in_progress' | 'completed' = 'completed') => ({
  id: messageItemId(runId),
  type: 'message' as const,
  status,
  role: 'assistant' as const,
  content: status === 'in_progress' ? [] : [textPart(text)],
});

export const textPart = (text: string) => ({
  type: 'output_text' as const,
  text,
  annotations: [],
  logprobs: [],
});

export const inputItem = (question: { id: string; content: string }) => ({
  id: `msg_${question.id}`,
  type: 'message' as const,
  status: 'completed' as const,
  role: 'user' as const,
  content: [{ type: 'input_text' as const, text: question.content }],
});

/** Calls that the client carries out. */
export const callItemsOf = (response: ChatResponse) =>
  response.finish_reason === 'tool_calls'
    ? handedCallsOf(response).map(({ id, function: { name, arguments: args } }) => ({
        id: `fc_${id}`,
        type: 'function_call' as const,
        status: 'completed' as const,
        call_id: id,
        name,
        arguments: args,
      }))
    : [];

/** What was cut is incomplete, whoever cut it. */
export const isWhole = ({ finish_reason: reason }: ChatResponse): boolean =>
  reason === 'stop' || reason === 'tool_calls' || reason === 'awaiting_approval';

export const INCOMPLETE = { reason: 'max_output_tokens' as const };

/** A response before anything of it is said, with what the request has asked for. */
export const emptyResponse = (body: ResponseRequest, runId: string): ResponseAnswer => ({
  id: responseId(runId),
  object: 'response',
  created_at: createdS(runId),
  status: 'in_progress',
  error: null,
  incomplete_details: null,
  model: body.model,
  output: [],
  usage: null,
  instructions: body.instructions ?? null,
  previous_response_id: body.previous_response_id ?? null,
  max_output_tokens: body.max_output_tokens ?? null,
  metadata: body.metadata ?? {},
  parallel_tool_calls: body.parallel_tool_calls ?? true,
  reasoning: { effort: body.reasoning?.effort ?? null, summary: null },
  store: body.store ?? true,
  temperature: body.temperature ?? null,
  text: { format: (body.text?.format as Record<string, unknown> | undefined) ?? { type: 'text' } },
  tool_choice: body.tool_choice ?? 'auto',
  tools: body.tools ?? [],
  top_p: body.top_p ?? null,
  truncation: 'disabled',
  user: body.user ?? null,
});

/** The end of a response; `text` is what has been said of it by then. */
export const endedResponse = (
  empty: ResponseAnswer,
  response: ChatResponse,
  text: string,
): ResponseAnswer => {
  const calls = callItemsOf(response);
  const whole = isWhole(response);
  return {
    ...empty,
    status: whole ? 'completed' : 'incomplete',
    incomplete_details: whole ? null : INCOMPLETE,
    output: [...(text === '' && calls.length > 0 ? [] : [textItem(response.run_id, text)]), ...calls],
    usage: responseUsageOf(response.usage),
    pentarch: extensionOf(response),
  };
};

export const failedResponse = (empty: ResponseAnswer, error: AppError): ResponseAnswer => ({
  ...empty,
  status: 'failed',
  error: {
    code: error.code === 'RATE_LIMITED' ? 'rate_limit_exceeded' : 'server_error',
    message: error.message,
  },
});

export const responseOf = (body: ResponseRequest, response: ChatResponse): ResponseAnswer =>
  endedResponse(
    emptyResponse(body, response.run_id),
    response,
    response.finish_reason === 'awaiting_approval'
      ? withNote(response.content, waitingNote(response.proposals))
      : response.content,
  );
