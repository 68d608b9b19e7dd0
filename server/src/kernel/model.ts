/**
 * The model port: what the agent loop needs of any language model. Adapters live in
 * `adapters/models/<provider>`; nothing outside of them knows a provider's wire.
 */
import type { NanoUsd } from './money.ts';
import type { Picture } from './picture.ts';

export interface ToolSpec {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  inputSchema: Record<string, unknown>;
}

export type ToolChoice = 'none' | 'required' | { name: string };

export interface ModelToolCall {
  id: string;
  name: string;
  /** As the model wrote it: may be empty or broken JSON. */
  arguments: string;
}

export type ModelMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string /** Shown with the words. */; pictures?: readonly Picture[] }
  | { role: 'assistant'; content: string; toolCalls?: ModelToolCall[] }
  | { role: 'tool'; toolCallId: string; name: string; content: string };

/** A numbered passage that the answer may cite as [n]. The text of it also stands in the messages. */
export interface GroundingPassage {
  n: number;
  title: string;
  page: number | null;
  text: string;
  /** 0–1, of the search that found it. */
  score: number;
}

/** What the platform found for a question, for a model that has no use for a prompt. */
export interface Grounding {
  /** The person's own words; null: the last user message is nothing else. */
  question: string | null;
  /** Null where the documents were not searched. */
  passages: GroundingPassage[] | null;
  /** One remembered fact each. */
  memories: readonly string[];
  /** What the memory will keep of the question, one fact each. */
  noted?: readonly string[];
}

export const REASONING_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;

/** What a client may ask of how a model writes; a provider without one of them leaves it out. */
export interface Sampling {
  temperature?: number;
  topP?: number;
  seed?: number;
  /** Texts at which the answer ends; they do not stand in it. */
  stop?: readonly string[];
  reasoningEffort?: (typeof REASONING_EFFORTS)[number];
}

export interface ModelRequest extends Sampling {
  /** Name within the provider, without the `provider/` prefix. */
  model: string;
  messages: ModelMessage[];
  /** Not changed once it has been handed over: what is known of a list is kept by it. */
  tools?: readonly ToolSpec[];
  /** Bytes of the messages' pictures as base64, by their ids; one that is not there goes along as a note. */
  pictures?: ReadonlyMap<string, string>;
  /** Without it the model decides. `none`: the tools are told, since earlier calls of them are, but not to be called. */
  toolChoice?: ToolChoice;
  /** False: at most one call in an answer, where the provider can be told so. */
  parallelToolCalls?: boolean;
  /** The same material also stands in the messages: providers with a prompt ignore it, the built-in one answers from it. */
  grounding?: Grounding;
  /** JSON Schema that the answer must fit (structured output). */
  responseSchema?: { name: string; schema: Record<string, unknown> };
  maxOutputTokens?: number;
  signal: AbortSignal;
}

export interface ModelUsage {
  /** The whole prompt, cached and cache-written tokens included. */
  inputTokens: number;
  outputTokens: number;
  /** Part of `inputTokens` read from the provider's cache. */
  cachedInputTokens: number;
  /** Part of `inputTokens` written to the provider's cache. */
  cacheWriteTokens: number;
  /** Part of `outputTokens` spent on reasoning. */
  reasoningTokens: number;
  /** True where the provider gave no usage and the counts are our own estimate. */
  estimated: boolean;
  /** What the provider says that the call cost, where it says so: recorded and never charged. */
  reportedNanoUsd?: NanoUsd;
}

export type ModelFinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

export interface ModelResult {
  content: string;
  toolCalls: ModelToolCall[];
  finishReason: ModelFinishReason;
  usage: ModelUsage;
  /** Name that the provider says it used; the asked one where it says nothing. */
  model: string;
}

/** Thrown when the provider broke off after some text: what came is kept and charged. */
export interface PartialModelResult {
  content: string;
  usage: ModelUsage;
}

export interface ModelProvider {
  /** `openai`, `anthropic`, `google`, `ollama`, `compatible`, `builtin`. */
  readonly name: string;
  /** True where calls cost nothing (builtin, ollama, gguf). */
  readonly local: boolean;
  /** Context window of a model in tokens, where the provider knows it. */
  contextTokens?(model: string): number | null;
  generate(request: ModelRequest): Promise<ModelResult>;
  /**
   * `onText` is called once for each read of the socket with all text that came in it. Rejects with a `ModelError`,
   * which carries what had come by then. An aborted `signal` rejects with kind `aborted`.
   */
  stream(request: ModelRequest, onText: (text: string) => void): Promise<ModelResult>;
  close(): Promise<void>;
}

/** A configured model as the rest of the platform sees it: `provider/name`. */
export interface ModelRef {
  id: string;
  provider: string;
  name: string;
}

export type ModelErrorKind =
  /** Not reachable, reset, 5xx, 429, garbage: another try or another model may do. */
  | 'unavailable'
  | 'timeout'
  /** Refused for good: bad key, unknown model, prompt too long. */
  | 'refused'
  | 'aborted';

export class ModelError extends Error {
  readonly kind: ModelErrorKind;
  readonly provider: string;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly partial: PartialModelResult | undefined;

  constructor(
    kind: ModelErrorKind,
    provider: string,
    message: string,
    options: { status?: number; retryAfterMs?: number; partial?: PartialModelResult; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'ModelError';
    this.kind = kind;
    this.provider = provider;
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
    this.partial = options.partial;
  }
}
