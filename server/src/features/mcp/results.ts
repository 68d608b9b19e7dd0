import type { McpCallResult, McpContent } from '../../kernel/mcp.ts';

/** Results of tools, made safe in size: up to 1 MB of JSON goes on, the rest is cut and said to be cut. */
export const MAX_RESULT_BYTES = 1024 * 1024;
/** What a model reads of one result. */
const MAX_MODEL_CHARACTERS = 64 * 1024;

export interface CappedResult extends McpCallResult {
  truncated: boolean;
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

/** More blocks than any reader looks at; each costs the readers more than its bytes. */
export const MAX_RESULT_BLOCKS = 1_000;
/** So many blocks that do not fit are named one by one. */
const MAX_NAMED_BLOCKS = 20;
/** Room for the words that say what was cut. */
const NOTE_BYTES = 128;

/** The first characters of a text that take at most `maxBytes` as JSON (controls take six bytes), none cut in two. */
const cutText = (text: string, maxBytes: number): string => {
  let fits = 0;
  let over = Math.min(text.length, Math.max(0, maxBytes)) + 1;
  while (over - fits > 1) {
    const middle = (fits + over) >>> 1;
    if (sizeOf(text.slice(0, middle)) <= maxBytes) fits = middle;
    else over = middle;
  }
  const last = text.charCodeAt(fits - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? fits - 1 : fits);
};

/** One block within `left` bytes, or a text that says what was left out. */
const capBlock = (block: McpContent, size: number, left: number): McpContent => {
  if (block.type === 'text' && typeof block.text === 'string') {
    const frame = sizeOf({ ...block, text: '' });
    const room = left - frame - NOTE_BYTES;
    if (room > 0) {
      const kept = cutText(block.text, room);
      const note = `\n[truncated: ${Buffer.byteLength(kept)} of ${Buffer.byteLength(block.text)} bytes]`;
      return { ...block, text: kept + note };
    }
  }
  const type = block.type.slice(0, 40);
  return { type: 'text', text: `[left out: ${type} of ${size} bytes, over the limit of the result]` };
};

/**
 * A result of at most `maxBytes` as JSON, content and structured content together, but for a few words that say what
 * was cut.
 */
export const capResult = (result: McpCallResult, maxBytes = MAX_RESULT_BYTES): CappedResult => {
  let left = maxBytes;
  let unnamed = 0;
  let named = 0;
  const content: McpContent[] = [];
  for (const block of result.content) {
    if (content.length >= MAX_RESULT_BLOCKS || named >= MAX_NAMED_BLOCKS) {
      unnamed++;
      continue;
    }
    // With the comma.
    const size = sizeOf(block) + 1;
    const fits = size <= left;
    const kept = fits ? block : capBlock(block, size, left);
    if (!fits) named++;
    content.push(kept);
    left = Math.max(0, left - (fits ? size : sizeOf(kept) + 1));
  }
  if (unnamed > 0) {
    content.push({ type: 'text', text: `[left out: ${unnamed} more blocks, over the limit of the result]` });
  }
  const keepsStructured = result.structured === undefined || sizeOf(result.structured) <= left;
  return {
    content,
    structured: keepsStructured ? result.structured : undefined,
    isError: result.isError,
    truncated: named > 0 || unnamed > 0 || !keepsStructured,
  };
};

type Entry = Record<string, unknown>;

/** One entry within `left` bytes: its text cut, its bytes left out; null where not even the rest of it fits. */
const capEntry = (entry: Entry, size: number, left: number): Entry | null => {
  const { text, blob, ...frame } = entry;
  const room = left - sizeOf({ ...frame, text: '' }) - NOTE_BYTES;
  if ((typeof text !== 'string' && blob === undefined) || room <= 0) return null;
  if (typeof text !== 'string') return { ...frame, text: `[left out: ${size} bytes, over the limit]` };
  const kept = cutText(text, room);
  return {
    ...frame,
    text: `${kept}\n[truncated: ${Buffer.byteLength(kept)} of ${Buffer.byteLength(text)} bytes]`,
  };
};

export interface CappedEntries {
  items: Entry[];
  truncated: boolean;
}

/** Entries of a listing, or contents of a resource, of at most `maxBytes` as JSON; the first come first. */
export const capEntries = (entries: readonly Entry[], maxBytes = MAX_RESULT_BYTES): CappedEntries => {
  let left = maxBytes;
  let truncated = false;
  const items: Entry[] = [];
  for (const entry of entries) {
    // With the comma.
    const size = sizeOf(entry) + 1;
    const fits = size <= left;
    truncated ||= !fits;
    const kept = fits ? entry : capEntry(entry, size, left);
    if (kept === null) continue;
    items.push(kept);
    left -= fits ? size : sizeOf(kept) + 1;
  }
  return { items, truncated };
};

/** A prompt whose messages take at most `maxBytes` as JSON. */
export const capPrompt = (prompt: Entry, maxBytes = MAX_RESULT_BYTES): Entry => {
  const messages: unknown[] = Array.isArray(prompt.messages) ? prompt.messages : [];
  let left = maxBytes;
  let truncated = false;
  const kept: unknown[] = [];
  for (const message of messages) {
    const size = sizeOf(message) + 1;
    if (size <= left) {
      kept.push(message);
      left -= size;
      continue;
    }
    truncated = true;
    const { role, content }: Entry = { ...(message as object) };
    const cut = capEntry({ ...(content as object) }, size, left - sizeOf({ role }) - NOTE_BYTES);
    if (cut === null) continue;
    kept.push({ role, content: { ...cut, type: 'text' } });
    left -= sizeOf(kept.at(-1)) + 1;
  }
  return { ...prompt, messages: kept, truncated };
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
