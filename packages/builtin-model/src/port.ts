/** The port of this package: what a program that has a use for the model hands it, and what it gets. */

export interface ToolSpec {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  inputSchema: Record<string, unknown>;
}

export interface ModelToolCall {
  id: string;
  name: string;
  /** JSON. */
  arguments: string;
}

export type ModelMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string; toolCalls?: ModelToolCall[] }
  | { role: 'tool'; toolCallId: string; name: string; content: string };

/** A numbered passage that an answer cites as [n]. */
export interface GroundingPassage {
  n: number;
  title: string;
  page: number | null;
  text: string;
  /** 0–1, of the search that found it. */
  score: number;
}

export interface ModelRequest {
  /** What the answer is told to come from. */
  model: string;
  messages: ModelMessage[];
  tools?: readonly ToolSpec[];
  toolChoice?: 'none' | 'required' | { name: string };
  /** What was found for the question: the model answers from this and reads no prompt. */
  grounding?: {
    /** The person's own words; null: the last user message is nothing else. */
    question: string | null;
    /** Null where no documents were searched. */
    passages: GroundingPassage[] | null;
    /** One remembered fact each. */
    memories: readonly string[];
    /** What will be remembered of the question, one fact each. */
    noted?: readonly string[];
  };
  /** JSON Schema that the answer must fit. */
  responseSchema?: { name: string; schema: Record<string, unknown> };
  maxOutputTokens?: number;
  signal: AbortSignal;
}

export interface ModelResult {
  content: string;
  toolCalls: ModelToolCall[];
  finishReason: 'stop' | 'length' | 'tool_calls';
  model: string;
  /** Counted by the lengths of the texts. */
  usage: {
    inputTokens: number;
    outputTokens: number;
    cachedInputTokens: number;
    cacheWriteTokens: number;
    reasoningTokens: number;
    estimated: boolean;
  };
}

export interface BuiltinModel {
  /** Rejects with `NoAnswer`. */
  generate(request: ModelRequest): Promise<ModelResult>;
  /** Calls back with a few words at a time. Rejects with `NoAnswer`, which carries what had come by then. */
  stream(request: ModelRequest, onText: (text: string) => void): Promise<ModelResult>;
}

/** Why there is no answer: the request was cancelled, or asks for what this model cannot give. */
export class NoAnswer extends Error {
  readonly kind: 'aborted' | 'refused';
  readonly partial: Pick<ModelResult, 'content' | 'usage'> | undefined;

  constructor(
    kind: NoAnswer['kind'],
    message: string,
    options: { partial?: NoAnswer['partial']; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'NoAnswer';
    this.kind = kind;
    this.partial = options.partial;
  }
}
