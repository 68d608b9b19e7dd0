import { masked } from '../../kernel/masked.ts';
import type { ModelMessage, ModelRef, ModelRequest, ModelResult } from '../../kernel/model.ts';
import { type Span, traced, tracesContents } from '../../kernel/tracing.ts';

/** A call of a model in the words of OpenTelemetry's conventions for generative AI. */

/** Providers under the names of the conventions; ours of the others. */
const PROVIDERS: Readonly<Record<string, string>> = { google: 'gcp.gemini' };

type Call = Pick<
  ModelRequest,
  'messages' | 'maxOutputTokens' | 'temperature' | 'topP' | 'seed' | 'stop' | 'responseSchema'
>;

const partsOf = (message: ModelMessage): Record<string, unknown>[] => {
  if (message.role === 'tool')
    return [{ type: 'tool_call_response', id: message.toolCallId, response: masked(message.content) }];
  const text = message.content === '' ? [] : [{ type: 'text', content: masked(message.content) }];
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  return [
    ...text,
    ...calls.map(({ id, name, arguments: args }) => ({
      type: 'tool_call',
      id,
      name,
      arguments: masked(args),
    })),
  ];
};

const tellContents = (span: Span, messages: readonly ModelMessage[]): void => {
  const told = messages.map((message) => ({ role: message.role, parts: partsOf(message) }));
  span.set({
    'gen_ai.system_instructions': JSON.stringify(
      told.filter(({ role }) => role === 'system').flatMap(({ parts }) => parts),
    ),
    'gen_ai.input.messages': JSON.stringify(told.filter(({ role }) => role !== 'system')),
  });
};

const tellResult = (span: Span, result: ModelResult): void => {
  const { usage, finishReason } = result;
  span.set({
    'gen_ai.response.model': result.model,
    'gen_ai.response.finish_reasons': [finishReason],
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cachedInputTokens,
    'gen_ai.usage.cache_creation.input_tokens': usage.cacheWriteTokens,
    'gen_ai.usage.reasoning.output_tokens': usage.reasoningTokens,
  });
  if (!tracesContents()) return;
  const { content, toolCalls } = result;
  const parts = partsOf({ role: 'assistant', content, toolCalls });
  span.set({
    'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts, finish_reason: finishReason }]),
  });
};

export const inCallSpan = (
  ref: ModelRef,
  call: Call,
  streamed: boolean,
  work: () => Promise<ModelResult>,
): Promise<ModelResult> =>
  traced(
    `chat ${ref.name}`,
    {
      kind: 'client',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': PROVIDERS[ref.provider] ?? ref.provider,
        'gen_ai.request.model': ref.name,
        'gen_ai.request.max_tokens': call.maxOutputTokens,
        'gen_ai.request.temperature': call.temperature,
        'gen_ai.request.top_p': call.topP,
        'gen_ai.request.seed': call.seed,
        'gen_ai.request.stop_sequences': call.stop,
        'gen_ai.request.stream': streamed ? true : null,
        'gen_ai.output.type': call.responseSchema === undefined ? 'text' : 'json',
      },
    },
    async (span) => {
      if (span.recorded && tracesContents()) tellContents(span, call.messages);
      const result = await work();
      if (span.recorded) tellResult(span, result);
      return result;
    },
  );
