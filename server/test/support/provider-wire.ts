/**
 * What the test provider sends: scripted replies and their rendering in the chat-completions wire.
 * Pure, so that a test of the wire can render the same bytes without a server.
 */

/** A chat request as the tests read it. Other members of the body are there too. */
export interface TestChatBody {
  model?: string;
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
  messages?: {
    role: string;
    content?: unknown;
    name?: string;
    tool_call_id?: string;
    tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  }[];
  tool_choice?: unknown;
  parallel_tool_calls?: boolean;
  tools?: { type: string; function: { name: string; description?: string; parameters?: unknown } }[];
  response_format?: unknown;
  max_tokens?: number;
  max_completion_tokens?: number;
  temperature?: number;
  input?: string | string[];
  dimensions?: number;
  [other: string]: unknown;
}

/** Counts that the provider reports and meters. `inputTokens` is the whole prompt, cached included. */
export interface TestUsage {
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens?: number;
  cacheWriteTokens?: number;
  reasoningTokens?: number;
}

export interface TestToolCall {
  id: string;
  name: string;
  /** Sent as written: may be broken JSON. */
  arguments: string;
  /** Size of the pieces that the arguments are streamed in; whole by default. */
  pieceChars?: number;
}

export interface TestReply {
  /** Text deltas in order. Default: the provider's fixed answer where the reply says nothing else. */
  chunks?: readonly string[];
  /** Shorthand for one chunk. */
  text?: string;
  toolCalls?: readonly TestToolCall[];
  /** Exact `delta` objects, streamed after text and tool calls: interleaved calls, one index with two ids… */
  rawDeltas?: readonly Record<string, unknown>[];
  /** `stop`, or `tool_calls` where the reply has some. */
  finishReason?: string | null;
  /** `none`: reports none (and meters what was sent). Default: what was counted. */
  usage?: TestUsage | 'none';
  /** Exact `usage` object on the wire, for other providers' spellings. `usage` still says what is metered. */
  rawUsage?: Record<string, unknown>;
  /** Usage in a chunk even where the request did not ask by `stream_options`. */
  alwaysUsage?: boolean;
  model?: string;
  firstByteDelayMs?: number;
  chunkDelayMs?: number;
  /** Waits for this before the first byte: holds a call until the test lets it go. */
  hold?: Promise<unknown>;
  /** Waits for this before each chunk of a stream, by its number. */
  chunkHold?: (index: number) => Promise<unknown> | undefined;
  /** Answers with this status and body, nothing else. */
  error?: { status: number; body?: unknown; headers?: Record<string, string> };
  /** After n chunks sends an `{error}` chunk and ends, with status 200. */
  errorChunkAfter?: number;
  /** After n chunks destroys the socket (before the headers where 0). */
  resetAfter?: number;
  /** After n chunks sends a `data:` line that is not JSON, then goes on. */
  garbageAfter?: number;
  /** After n chunks sends nothing more and keeps the socket open (before the headers where 0). */
  hangAfter?: number;
  /** After n chunks ends the body without finish reason, usage or `[DONE]`. */
  endAfter?: number;
  /** Writes the body in pieces of so many bytes, each its own packet: 1 splits every character. */
  splitBytes?: number;
  /** Comment lines before the first chunk, as OpenRouter sends them. */
  comments?: readonly string[];
}

const CREATED = 1_750_000_000;

export const defaultChunks = (tokens: number): string[] =>
  Array.from({ length: tokens }, (_, index) => (index === 0 ? 'Token' : ` t${index}`));

export const textChunks = (reply: TestReply): readonly string[] =>
  reply.chunks ?? (reply.text === undefined ? [] : [reply.text]);

export const usageOnWire = (usage: TestUsage): Record<string, unknown> => ({
  prompt_tokens: usage.inputTokens,
  completion_tokens: usage.outputTokens,
  total_tokens: usage.inputTokens + usage.outputTokens,
  prompt_tokens_details: {
    cached_tokens: usage.cachedInputTokens ?? 0,
    ...(usage.cacheWriteTokens === undefined ? {} : { cache_write_tokens: usage.cacheWriteTokens }),
  },
  completion_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
});

export const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
export const DONE = 'data: [DONE]\n\n';

export interface ChunkHead {
  id: string;
  model: string;
}

export const chunkEvent = (
  head: ChunkHead,
  delta: Record<string, unknown>,
  finishReason: string | null = null,
): string =>
  event({
    id: head.id,
    object: 'chat.completion.chunk',
    created: CREATED,
    model: head.model,
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  });

export const usageEvent = (head: ChunkHead, usage: Record<string, unknown>): string =>
  event({
    id: head.id,
    object: 'chat.completion.chunk',
    created: CREATED,
    model: head.model,
    choices: [],
    usage,
  });

const pieces = (text: string, size: number): string[] => {
  const out: string[] = [];
  for (let start = 0; start < text.length; start += size) out.push(text.slice(start, start + size));
  return out;
};

/** The deltas of a tool call as OpenAI streams them: head with id and name first, then arguments by index. */
const toolCallDeltas = (call: TestToolCall, index: number): Record<string, unknown>[] => [
  {
    tool_calls: [{ index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }],
  },
  ...pieces(call.arguments, call.pieceChars ?? Math.max(1, call.arguments.length)).map((piece) => ({
    tool_calls: [{ index, function: { arguments: piece } }],
  })),
];

/** Every delta of a reply in order, the role first within the first one as OpenAI does. */
export const deltasOf = (reply: TestReply): Record<string, unknown>[] => [
  ...textChunks(reply).map((content) => ({ content })),
  ...(reply.toolCalls ?? []).flatMap(toolCallDeltas),
  ...(reply.rawDeltas ?? []),
];

export const finishOf = (reply: TestReply): string | null =>
  reply.finishReason === undefined
    ? (reply.toolCalls?.length ?? 0) > 0 || (reply.rawDeltas?.some((delta) => 'tool_calls' in delta) ?? false)
      ? 'tool_calls'
      : 'stop'
    : reply.finishReason;

/** The non-stream body of the same reply. */
export const completionBody = (
  head: ChunkHead,
  reply: TestReply,
  usage: Record<string, unknown> | undefined,
): string =>
  JSON.stringify({
    id: head.id,
    object: 'chat.completion',
    created: CREATED,
    model: head.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: textChunks(reply).length === 0 ? null : textChunks(reply).join(''),
          ...(reply.toolCalls === undefined
            ? {}
            : {
                tool_calls: reply.toolCalls.map((call) => ({
                  id: call.id,
                  type: 'function',
                  function: { name: call.name, arguments: call.arguments },
                })),
              }),
        },
        finish_reason: finishOf(reply),
      },
    ],
    ...(usage === undefined ? {} : { usage }),
  });
