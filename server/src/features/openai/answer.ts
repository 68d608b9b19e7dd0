import type { AppError } from '../../kernel/errors.ts';
import { madeAtMs } from '../../kernel/ids.ts';
import { type ChatResponse, CLIENT } from '../chat/index.ts';
import type { ChatCompletion, CompletionUsage, Extension, HandedCall } from './schema.ts';

/** A run's answer in the words of the OpenAI API. */

export const completionId = (runId: string): string => `chatcmpl-${runId}`;

export const usageOf = (usage: ChatResponse['usage']): CompletionUsage => ({
  prompt_tokens: usage.input_tokens,
  completion_tokens: usage.output_tokens,
  total_tokens: usage.input_tokens + usage.output_tokens,
  prompt_tokens_details: { cached_tokens: usage.cached_input_tokens },
  completion_tokens_details: { reasoning_tokens: usage.reasoning_tokens },
});

/** Clients know few reasons: the own one goes along as `native_finish_reason`. What was cut is not `stop`, whoever cut it. */
export const finishOf = (reason: ChatResponse['finish_reason']): 'stop' | 'length' | 'tool_calls' => {
  if (reason === 'tool_calls') return reason;
  return reason === 'stop' || reason === 'awaiting_approval' ? 'stop' : 'length';
};

/** Calls that the client carries out. */
export const handedCallsOf = (response: ChatResponse): HandedCall[] =>
  response.tool_calls
    .filter((call) => call.server === CLIENT && call.status === 'handed_over')
    .map((call) => ({
      id: call.id,
      type: 'function' as const,
      function: { name: call.name, arguments: JSON.stringify(call.arguments) },
    }));

const contentOf = (response: ChatResponse): string | null => {
  if (response.finish_reason === 'awaiting_approval')
    return withNote(response.content, waitingNote(response.proposals));
  return response.finish_reason === 'tool_calls' && response.content === '' ? null : response.content;
};

/** What a person reads who cannot see the platform's own fields. */
export const waitingNote = (proposals: readonly string[]): string =>
  `[Waiting for approval: what was asked for needs a decision before it is done. ${
    proposals.length === 1 ? 'Proposal' : 'Proposals'
  } ${proposals.join(', ')}. The answer goes on in the conversation once it is decided.]`;

export const costNote = (error: Pick<AppError, 'message'>): string => `[Stopped: ${error.message}]`;

export const withNote = (content: string, note: string): string =>
  content === '' ? note : `${content}\n\n${note}`;

export const extensionOf = (response: ChatResponse): Extension => ({
  conversation_id: response.conversation_id,
  run_id: response.run_id,
  agent_id: response.agent_id,
  cost_usd: response.cost_usd,
  citations: response.citations,
  tool_calls: response.tool_calls,
  proposals: response.proposals,
});

/** `created` of a run's answers, in epoch seconds: one and the same in each of its chunks, readings and replays. */
export const createdS = (runId: string): number => Math.floor(madeAtMs(runId) / 1000);

export const completionOf = (response: ChatResponse, model: string): ChatCompletion => ({
  id: completionId(response.run_id),
  object: 'chat.completion',
  created: createdS(response.run_id),
  model,
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: contentOf(response),
        refusal: null,
        ...(response.finish_reason === 'tool_calls' ? { tool_calls: handedCallsOf(response) } : {}),
      },
      logprobs: null,
      finish_reason: finishOf(response.finish_reason),
      native_finish_reason: response.finish_reason,
    },
  ],
  usage: usageOf(response.usage),
  pentarch: extensionOf(response),
});
