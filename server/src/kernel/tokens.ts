/**
 * Token counts without a tokenizer. The estimate stands in where a provider gives no usage; the bound is what a
 * budget reserves, so it must never be below what a provider can charge.
 */
import type { ModelRequest } from './model.ts';

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

/** Every text that the provider reads as prompt, one after the other. */
const promptTexts = function* (request: Prompt): Generator<string> {
  for (const message of request.messages) {
    yield message.content;
    if (message.role !== 'assistant') continue;
    for (const call of message.toolCalls ?? []) {
      yield call.name;
      yield call.arguments;
    }
  }
  for (const tool of request.tools ?? []) yield JSON.stringify(tool);
  if (request.responseSchema !== undefined) yield JSON.stringify(request.responseSchema);
};

/** Estimated prompt tokens of a request, tools and schema included. */
export const estimatePromptTokens = (request: Prompt): number => {
  let tokens = MESSAGE_OVERHEAD_TOKENS * request.messages.length;
  for (const text of promptTexts(request)) tokens += estimateTokens(text);
  return tokens;
};

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

/** More prompt tokens than any provider can count for this request: one a byte, and its template. */
export const promptTokensBound = (request: Prompt): number => {
  let tokens = 32 + 16 * request.messages.length;
  if ((request.tools?.length ?? 0) > 0 || request.responseSchema !== undefined)
    tokens += TOOL_PREAMBLE_TOKENS;
  for (const text of promptTexts(request)) tokens += 8 + utf8Bytes(text);
  return tokens;
};
