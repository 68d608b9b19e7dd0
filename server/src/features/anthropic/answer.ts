import type { ChatResponse } from '../chat/index.ts';
import { extensionOf, handedCallsOf, waitingNote, withNote } from '../openai/index.ts';
import type { MessageAnswer, STOP_REASONS, Usage } from './schema.ts';

/** A run's answer in the words of the Messages API. */

export const messageId = (runId: string): string => `msg_${runId}`;

export const messageUsageOf = (usage: ChatResponse['usage']): Usage => ({
  input_tokens: Math.max(0, usage.input_tokens - usage.cached_input_tokens),
  output_tokens: usage.output_tokens,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: usage.cached_input_tokens,
});

/** What was cut is not `end_turn`, whoever cut it. */
export const stopOf = (reason: ChatResponse['finish_reason']): (typeof STOP_REASONS)[number] => {
  if (reason === 'tool_calls') return 'tool_use';
  return reason === 'stop' || reason === 'awaiting_approval' ? 'end_turn' : 'max_tokens';
};

/** Calls that the client carries out. */
export const toolUsesOf = (response: ChatResponse) =>
  response.finish_reason === 'tool_calls'
    ? handedCallsOf(response).map(({ id, function: { name, arguments: input } }) => ({
        type: 'tool_use' as const,
        id,
        name,
        input: JSON.parse(input) as unknown,
      }))
    : [];

const textOf = (response: ChatResponse): string =>
  response.finish_reason === 'awaiting_approval'
    ? withNote(response.content, waitingNote(response.proposals))
    : response.content;

export const messageAnswerOf = (response: ChatResponse, model: string): MessageAnswer => {
  const text = textOf(response);
  const uses = toolUsesOf(response);
  return {
    id: messageId(response.run_id),
    type: 'message',
    role: 'assistant',
    model,
    content: [...(text === '' && uses.length > 0 ? [] : [{ type: 'text', text, citations: null }]), ...uses],
    stop_reason: stopOf(response.finish_reason),
    stop_sequence: null,
    usage: messageUsageOf(response.usage),
    pentarch: extensionOf(response),
  };
};
