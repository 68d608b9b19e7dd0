import type { McpCallResult, McpContent } from '../../kernel/mcp.ts';

/** Results of tools, made safe in size: up to 1 MB goes on, the rest is cut and said to be cut. */
export const MAX_RESULT_BYTES = 1024 * 1024;
/** What a model reads of one result. */
const MAX_MODEL_CHARACTERS = 64 * 1024;

export interface CappedResult extends McpCallResult {
  truncated: boolean;
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

/** The first `maxBytes` bytes of a text, without cutting a character. */
const cutText = (text: string, maxBytes: number): string => {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  let end = Math.max(0, maxBytes);
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end).toString('utf8');
};

/** One block within `left` bytes, or a text that says what was left out. */
const capBlock = (block: McpContent, left: number): McpContent => {
  const size = sizeOf(block);
  if (block.type === 'text' && typeof block.text === 'string') {
    const kept = cutText(block.text, left);
    const note = `\n[truncated: ${Buffer.byteLength(kept)} of ${Buffer.byteLength(block.text)} bytes]`;
    return { ...block, text: kept + note };
  }
  return { type: 'text', text: `[left out: ${block.type} of ${size} bytes, over the limit of the result]` };
};

export const capResult = (result: McpCallResult, maxBytes = MAX_RESULT_BYTES): CappedResult => {
  let left = maxBytes;
  let truncated = false;
  const content = result.content.map((block) => {
    const size = sizeOf(block);
    if (size <= left) {
      left -= size;
      return block;
    }
    truncated = true;
    const capped = capBlock(block, left);
    left = Math.max(0, left - sizeOf(capped));
    return capped;
  });
  const keepsStructured = result.structured === undefined || sizeOf(result.structured) <= maxBytes;
  return {
    content,
    structured: keepsStructured ? result.structured : undefined,
    isError: result.isError,
    truncated: truncated || !keepsStructured,
  };
};

const blockText = (block: McpContent): string => {
  if (block.type === 'text') return String(block.text ?? '');
  if (block.type === 'resource' && typeof block.resource === 'object' && block.resource !== null) {
    const resource: Record<string, unknown> = { ...block.resource };
    return typeof resource.text === 'string'
      ? resource.text
      : `[binary resource ${String(resource.uri ?? '')} ${String(resource.mimeType ?? '')}]`;
  }
  if (block.type === 'resource_link')
    return `[resource ${String(block.name ?? '')} ${String(block.uri ?? '')}]`;
  return `[${block.type} ${String(block.mimeType ?? '')}]`;
};

/** What no reader sees but a model does: the Unicode tag block and zero-width marks that carry hidden text. */
const INVISIBLE = /[\u{e0000}-\u{e007f}]|[\u200b\u2060-\u2064\ufeff]/gu;

/** The result as text for a model. */
export const modelText = (result: McpCallResult): string => {
  const parts = result.content.map(blockText).filter((text) => text !== '');
  if (parts.length === 0 && result.structured !== undefined) parts.push(JSON.stringify(result.structured));
  const text = parts.join('\n').replaceAll(INVISIBLE, '').toWellFormed();
  if (text.length <= MAX_MODEL_CHARACTERS) return text;
  return `${text.slice(0, MAX_MODEL_CHARACTERS).toWellFormed()}\n[truncated: ${MAX_MODEL_CHARACTERS} of ${text.length} characters]`;
};

export const visibleText = (text: string, maxCharacters: number): string =>
  text.replaceAll(INVISIBLE, '').slice(0, maxCharacters).toWellFormed();

const mapTexts = (value: unknown, change: (text: string) => string): unknown => {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((entry) => mapTexts(entry, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, mapTexts(entry, change)]));
};

/** What a tool says about its failure, without what it must not tell: tools put their whole configuration there. */
export const redactErrorResult = (result: McpCallResult, redact: (text: string) => string): McpCallResult => {
  if (!result.isError) return result;
  return {
    ...result,
    content: result.content.map(
      (block): McpContent => ({
        ...block,
        ...Object.fromEntries(
          Object.entries(block)
            .filter(([key]) => key !== 'type')
            .map(([key, value]) => [key, mapTexts(value, redact)]),
        ),
      }),
    ),
    structured: mapTexts(result.structured, redact),
  };
};
