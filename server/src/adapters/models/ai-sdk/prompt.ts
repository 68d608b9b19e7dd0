/** Our request in the language-model specification of the AI SDK. Pure. */
import type {
  JSONSchema7,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
} from '@ai-sdk/provider';
import type { ModelMessage, ModelRequest, ToolChoice } from '../../../kernel/model.ts';
import { type Picture, pictureNote } from '../../../kernel/picture.ts';

/** The specification takes parsed arguments; broken ones of an earlier step become an empty object. */
const parsedArguments = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
};

/** The pictures first and the words behind them, as Anthropic advises. */
const userParts = (
  text: string,
  pictures: readonly Picture[],
  bytes: ModelRequest['pictures'],
): Extract<LanguageModelV4Message, { role: 'user' }>['content'] => [
  ...pictures.map((picture) => {
    const data = bytes?.get(picture.id);
    return data === undefined
      ? { type: 'text' as const, text: pictureNote(picture).toWellFormed() }
      : {
          type: 'file' as const,
          mediaType: picture.mediaType,
          data: { type: 'data' as const, data },
        };
  }),
  { type: 'text', text },
];

const wireMessage = (
  message: Exclude<ModelMessage, { role: 'system' }>,
  bytes: ModelRequest['pictures'],
): LanguageModelV4Message => {
  const text = message.content.toWellFormed();
  if (message.role === 'tool')
    return {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: message.toolCallId,
          toolName: message.name,
          output: { type: 'text', value: text },
        },
      ],
    };
  if (message.role === 'assistant')
    return {
      role: 'assistant',
      content: [
        // Anthropic refuses empty text blocks.
        ...(text === '' ? [] : [{ type: 'text' as const, text }]),
        ...(message.toolCalls ?? []).map((call) => ({
          type: 'tool-call' as const,
          toolCallId: call.id,
          toolName: call.name,
          input: parsedArguments(call.arguments),
        })),
      ],
    };
  return { role: 'user', content: userParts(text, message.pictures ?? [], bytes) };
};

const isSystem = (message: ModelMessage): message is ModelMessage & { role: 'system' } =>
  message.role === 'system';

/** System texts go first as one: both providers refuse them between other messages. Results of one step are one message. */
export const toPrompt = (
  messages: readonly ModelMessage[],
  bytes?: ModelRequest['pictures'],
): LanguageModelV4Prompt => {
  const system = messages.filter(isSystem).map((message) => message.content.toWellFormed());
  const prompt: LanguageModelV4Prompt =
    system.length === 0 ? [] : [{ role: 'system', content: system.join('\n\n') }];
  for (const message of messages) {
    if (message.role === 'system') continue;
    const next = wireMessage(message, bytes);
    const last = prompt.at(-1);
    if (last?.role === 'tool' && next.role === 'tool') last.content.push(...next.content);
    else if (next.role !== 'assistant' || next.content.length > 0) prompt.push(next);
  }
  return prompt;
};

const toolChoiceOf = (choice: ToolChoice) =>
  typeof choice === 'string' ? { type: choice } : { type: 'tool' as const, toolName: choice.name };

const isSchema = (value: unknown): value is JSONSchema7 => typeof value === 'object' && value !== null;

/** Anthropic caches a prompt up to such a mark; other providers pass it over, and find the same beginnings by themselves. */
const CACHED = { anthropic: { cacheControl: { type: 'ephemeral' } } };

/**
 * Marks where the next call begins in the same way: behind tools and instructions, behind what was said before the new message
 * (whose material and time do not come again), and behind results of tools, which the next step of the run repeats.
 */
export const withCacheMarks = (prompt: LanguageModelV4Prompt): LanguageModelV4Prompt => {
  const asked = prompt.findLastIndex(({ role }) => role === 'user');
  const last = prompt.length - 1;
  return prompt.map((message, i) => {
    const marked =
      message.role === 'system' ||
      (message.role === 'assistant' && i === asked - 1) ||
      (message.role === 'tool' && i === last);
    return marked ? { ...message, providerOptions: CACHED } : message;
  });
};

export const toCallOptions = (
  request: ModelRequest,
  abortSignal: AbortSignal,
): LanguageModelV4CallOptions => ({
  prompt: withCacheMarks(toPrompt(request.messages, request.pictures)),
  abortSignal,
  ...(request.maxOutputTokens === undefined ? {} : { maxOutputTokens: request.maxOutputTokens }),
  ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
  ...(request.topP === undefined ? {} : { topP: request.topP }),
  ...(request.seed === undefined ? {} : { seed: request.seed }),
  ...(request.stop === undefined ? {} : { stopSequences: [...request.stop] }),
  ...(request.responseSchema === undefined
    ? {}
    : {
        responseFormat: {
          type: 'json' as const,
          name: request.responseSchema.name,
          ...(isSchema(request.responseSchema.schema) ? { schema: request.responseSchema.schema } : {}),
        },
      }),
  ...(request.tools === undefined || request.tools.length === 0
    ? {}
    : {
        tools: request.tools.map((tool) => ({
          type: 'function' as const,
          name: tool.name,
          description: tool.description,
          inputSchema: isSchema(tool.inputSchema) ? tool.inputSchema : {},
        })),
        ...(request.toolChoice === undefined ? {} : { toolChoice: toolChoiceOf(request.toolChoice) }),
      }),
});
