/**
 * Token counts without a tokenizer. The estimate stands in where a provider gives no usage; the bound is what a
 * budget reserves, so it must never be below what a provider can charge.
 */
import type { ModelMessage, ModelRequest, ToolSpec } from './model.ts';
import type { Picture } from './picture.ts';
import { estimatePictureTokens, pictureTokensBound } from './pictures/tokens.ts';

/** What a chat template adds for each message: role, separators. */
const MESSAGE_OVERHEAD_TOKENS = 4;

/**
 * Estimated tokens of a text: four ASCII characters a token, two characters of other alphabets, one for each
 * ideograph, kana, hangul syllable, emoji or other character outside of the alphabets. 0 for the empty text.
 */
export const estimateTokens = (text: string): number => {
  let quarters = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) quarters += 1;
    else if (code < 0x1100) quarters += 2;
    // Both halves of a surrogate pair together make one character.
    else if (code >= 0xd800 && code < 0xe000) quarters += 2;
    else quarters += 4;
  }
  return Math.ceil(quarters / 4);
};

type Prompt = Pick<ModelRequest, 'messages' | 'tools' | 'responseSchema'>;

/** Of the messages, in their order. */
export const picturesIn = (messages: readonly ModelMessage[]): Picture[] =>
  messages.flatMap((message) => (message.role === 'user' ? (message.pictures ?? []) : []));

/** A measure over every text that the provider reads as prompt; what it says of a list of tools is kept. */
const createMeasure = (measure: (text: string) => number): ((request: Prompt) => number) => {
  const lists = new WeakMap<readonly ToolSpec[], number>();
  const measureTools = (tools: readonly ToolSpec[]): number => {
    let sum = lists.get(tools);
    if (sum === undefined) {
      sum = 0;
      for (const tool of tools) sum += measure(JSON.stringify(tool));
      lists.set(tools, sum);
    }
    return sum;
  };
  return ({ messages, tools, responseSchema }) => {
    let sum = tools === undefined ? 0 : measureTools(tools);
    for (const message of messages) {
      sum += measure(message.content);
      if (message.role !== 'assistant') continue;
      for (const call of message.toolCalls ?? []) sum += measure(call.name) + measure(call.arguments);
    }
    return responseSchema === undefined ? sum : sum + measure(JSON.stringify(responseSchema));
  };
};

const estimateOf = createMeasure(estimateTokens);

/** Estimated prompt tokens of a request, tools and schema included. */
export const estimatePromptTokens = (request: Prompt): number =>
  MESSAGE_OVERHEAD_TOKENS * request.messages.length +
  estimateOf(request) +
  picturesIn(request.messages).reduce((sum, picture) => sum + estimatePictureTokens(picture), 0);

/** A token of a byte-level vocabulary covers one UTF-8 byte at least. */
const utf8Bytes = (text: string): number => {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) bytes += 1;
    else if (code < 0x800) bytes += 2;
    else if (code >= 0xd800 && code < 0xe000) bytes += 2;
    else bytes += 3;
  }
  return bytes;
};

/** Providers put instructions of their own before tools and schemas. */
const TOOL_PREAMBLE_TOKENS = 700;

/** 8 for what stands around each text. */
const boundOf = createMeasure((text) => 8 + utf8Bytes(text));

/**
 * More prompt tokens than a provider can count for this request: one a byte, and its template; pictures by the rules of the models
 * that may be asked.
 */
export const promptTokensBound = (
  request: Prompt,
  models: readonly { provider: string; name: string }[] = [],
): number => {
  let tokens = 32 + 16 * request.messages.length;
  if ((request.tools?.length ?? 0) > 0 || request.responseSchema !== undefined)
    tokens += TOOL_PREAMBLE_TOKENS;
  for (const picture of picturesIn(request.messages))
    tokens += Math.max(
      ...(models.length === 0
        ? [pictureTokensBound(picture)]
        : models.map((model) => pictureTokensBound(picture, model))),
    );
  return tokens + boundOf(request);
};

/** The same for a call that embeds these texts. */
export const textTokensBound = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + 8 + utf8Bytes(text), 0);
