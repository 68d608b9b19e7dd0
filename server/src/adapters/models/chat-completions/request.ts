/** The request body of the chat-completions wire. Pure. */
import type { ModelMessage, ModelRequest, ToolSpec } from '../../../kernel/model.ts';
import { type Picture, pictureNote } from '../../../kernel/picture.ts';

/** What a provider of the wire wants differently. */
export interface WireDialect {
  /** OpenAI's reasoning models refuse `max_tokens`; most others know nothing else. */
  maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** True where temperature, top_p and stop are refused for this model. */
  refusesSampling(model: string): boolean;
  /** True where reasoning_effort is taken for this model. */
  takesEffort(model: string): boolean;
}

const reasons = (model: string): boolean => /^(o\d|gpt-5)/.test(model);

export const OPENAI_DIALECT: WireDialect = {
  maxTokensField: 'max_completion_tokens',
  refusesSampling: reasons,
  takesEffort: reasons,
};

export const COMPATIBLE_DIALECT: WireDialect = {
  maxTokensField: 'max_tokens',
  refusesSampling: () => false,
  takesEffort: () => true,
};

/** A lone surrogate has no UTF-8 form: providers answer 400 to its escape. */
const wellFormed = (text: string): string => (text.isWellFormed() ? text : text.toWellFormed());

/** Ollama and vLLM parse the arguments of earlier calls and refuse the whole request where they are broken. */
const sendableArguments = (text: string): string => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? text : '{}';
  } catch {
    return '{}';
  }
};

/** The words with the pictures behind them, each as a `data:` URL. */
const partsOf = (
  content: string,
  pictures: readonly Picture[],
  bytes: ModelRequest['pictures'],
): Record<string, unknown>[] => [
  ...(content === '' ? [] : [{ type: 'text', text: content }]),
  ...pictures.map((picture) => {
    const data = bytes?.get(picture.id);
    return data === undefined
      ? { type: 'text', text: wellFormed(pictureNote(picture)) }
      : { type: 'image_url', image_url: { url: `data:${picture.mediaType};base64,${data}` } };
  }),
];

const wireMessage = (message: ModelMessage, bytes: ModelRequest['pictures']): Record<string, unknown> => {
  const content = wellFormed(message.content);
  if (message.role === 'user' && message.pictures !== undefined && message.pictures.length > 0)
    return { role: 'user', content: partsOf(content, message.pictures, bytes) };
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.toolCallId, content };
  if (message.role !== 'assistant' || message.toolCalls === undefined || message.toolCalls.length === 0)
    return { role: message.role, content };
  return {
    role: 'assistant',
    content: content === '' ? null : content,
    tool_calls: message.toolCalls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: sendableArguments(call.arguments) },
    })),
  };
};

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * True where OpenAI's strict mode takes the schema: every object closed and all its properties required. A schema
 * that is not would be refused with `strict`, and is only a hint without it.
 */
export const fitsStrictMode = (schema: unknown): boolean => {
  if (Array.isArray(schema)) return schema.every(fitsStrictMode);
  if (!isFields(schema)) return true;
  // Keywords that the strict mode does not have.
  if (['oneOf', 'allOf', 'not', 'if', 'patternProperties'].some((key) => schema[key] !== undefined))
    return false;
  if (schema.type === 'object' || schema.properties !== undefined) {
    if (schema.additionalProperties !== false || !isFields(schema.properties)) return false;
    const required: unknown[] = Array.isArray(schema.required) ? schema.required : [];
    if (!Object.keys(schema.properties).every((name) => required.includes(name))) return false;
    if (!Object.values(schema.properties).every(fitsStrictMode)) return false;
  }
  return ['items', 'anyOf', '$defs', 'definitions'].every((key) => {
    const part = schema[key];
    return key.endsWith('s') && isFields(part)
      ? Object.values(part).every(fitsStrictMode)
      : fitsStrictMode(part);
  });
};

const writtenTools = new WeakMap<readonly ToolSpec[], Buffer>();

/** End of the body that declares the tools: kept, since the same ones go with every call and outweigh the messages. */
const toolsTail = (tools: readonly ToolSpec[]): Buffer => {
  let bytes = writtenTools.get(tools);
  if (bytes === undefined) {
    const declared = tools.map((tool) => ({
      type: 'function',
      function: { name: tool.name, description: tool.description, parameters: tool.inputSchema },
    }));
    bytes = Buffer.from(`,"tools":${JSON.stringify(declared)}}`);
    writtenTools.set(tools, bytes);
  }
  return bytes;
};

/** One allocation and one copy of each: the declarations of an agent with every tool are tens of kilobytes. */
const joined = (head: string, tail: Buffer): Buffer => {
  const headBytes = Buffer.byteLength(head);
  const bytes = Buffer.allocUnsafeSlow(headBytes + tail.length);
  bytes.write(head, 'utf8');
  tail.copy(bytes, headBytes);
  return bytes;
};

export const requestBody = (
  request: ModelRequest,
  stream: boolean,
  dialect: WireDialect,
): string | Buffer => {
  const body: Record<string, unknown> = {
    model: request.model,
    messages: request.messages.map((message) => wireMessage(message, request.pictures)),
  };
  if (stream) {
    body.stream = true;
    body.stream_options = { include_usage: true };
  }
  if (request.responseSchema !== undefined) {
    const { name, schema } = request.responseSchema;
    body.response_format = {
      type: 'json_schema',
      json_schema: fitsStrictMode(schema) ? { name, schema, strict: true } : { name, schema },
    };
  }
  if (request.maxOutputTokens !== undefined) body[dialect.maxTokensField] = request.maxOutputTokens;
  if (!dialect.refusesSampling(request.model)) {
    if (request.temperature !== undefined) body.temperature = request.temperature;
    if (request.topP !== undefined) body.top_p = request.topP;
    if (request.stop !== undefined) body.stop = request.stop;
  }
  if (request.seed !== undefined) body.seed = request.seed;
  if (request.reasoningEffort !== undefined && dialect.takesEffort(request.model))
    body.reasoning_effort = request.reasoningEffort;
  const tooled = request.tools !== undefined && request.tools.length > 0;
  const { toolChoice } = request;
  if (tooled && toolChoice !== undefined) {
    body.tool_choice =
      typeof toolChoice === 'string' ? toolChoice : { type: 'function', function: { name: toolChoice.name } };
  }
  if (tooled && request.parallelToolCalls === false) body.parallel_tool_calls = false;
  const text = JSON.stringify(body);
  return request.tools === undefined || request.tools.length === 0
    ? text
    : joined(text.slice(0, -1), toolsTail(request.tools));
};
