import { isUtf8 } from 'node:buffer';
import PostalMime, { type Address } from 'postal-mime';
import type { DocumentBlock, ParsedDocument } from '../../kernel/parser.ts';
import { block } from './blocks.ts';
import { decodeText } from './decode.ts';
import { fail } from './fault.ts';
import { parseHtml } from './html.ts';
import type { LeftOutCount } from './left-out.ts';
import { parseText } from './text.ts';
import type { ParseHints } from './types.ts';

export const MAX_ATTACHMENTS = 50;

export type ParsePart = (bytes: Uint8Array, hints: ParseHints) => Promise<ParsedDocument>;

/** A message (RFC 5322): its header, its text, and the text of those attachments that can be read. */
export async function parseEml(
  bytes: Uint8Array,
  leftOut: LeftOutCount,
  parsePart: ParsePart,
): Promise<{ title: string | null; blocks: DocumentBlock[] }> {
  const mail = await PostalMime.parse(readableBytes(bytes), { attachmentEncoding: 'arraybuffer' });
  refuseCiphertext(mail.headers, inOrder(mail.text) ?? '');
  const title = mail.subject?.trim() || null;
  const blocks: DocumentBlock[] = [
    headerBlock({
      From: addresses(mail.from ? [mail.from] : []),
      To: addresses(mail.to ?? []),
      Cc: addresses(mail.cc ?? []),
      Date: mail.date ?? '',
      Subject: title ?? '',
    }),
  ];
  const plain = inOrder(mail.text)?.replace(/\r\n?/g, '\n').trim();
  if (plain) blocks.push(...parseText(plain));
  else if (mail.html) blocks.push(...parseHtml(inOrder(mail.html) ?? '', leftOut).blocks);
  leftOut.add('attachments', mail.attachments.length - MAX_ATTACHMENTS);
  for (const part of mail.attachments.slice(0, MAX_ATTACHMENTS)) {
    if (part.disposition === 'inline' && part.mimeType.startsWith('image/')) {
      leftOut.add('pictures');
      continue;
    }
    blocks.push(block('heading', `Attachment: ${part.filename ?? part.mimeType}`, null, 2));
    const { content, filename, mimeType } = part;
    blocks.push(...(await attachmentBlocks({ content, filename, mimeType }, leftOut, parsePart)));
  }
  return { title, blocks };
}

/** Who wrote to whom, one line each. */
export const headerBlock = (header: Readonly<Record<string, string>>): DocumentBlock =>
  block(
    'text',
    Object.entries(header)
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
  );

/** What only its receiver's key opens (RFC 3156, RFC 8551). */
function refuseCiphertext(headers: readonly { key: string; value: string }[], text: string): void {
  const type = headers.find(({ key }) => key === 'content-type')?.value ?? '';
  const isEnvelope =
    /^\s*application\/(x-)?pkcs7-mime/i.test(type) && !/smime-type\s*=\s*"?signed-data/i.test(type);
  if (isEnvelope || /^\s*multipart\/encrypted/i.test(type) || /^\s*-----BEGIN PGP MESSAGE-----/.test(text))
    fail('encrypted', 'the message is encrypted');
}

const MAX_MAILS = 20_000;

/** A mailbox (RFC 4155) as single mails, each under a heading of its subject; one that cannot be read says so in its place. */
export async function parseMailbox(
  bytes: Uint8Array,
  parsePart: ParsePart,
): Promise<{ title: string | null; blocks: DocumentBlock[] }> {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const starts: number[] = raw.subarray(0, 5).toString('latin1') === 'From ' ? [0] : [];
  for (let at = raw.indexOf('\nFrom '); at >= 0; at = raw.indexOf('\nFrom ', at + 1)) starts.push(at + 1);
  if (starts.length > MAX_MAILS) fail('too_large', 'the mailbox has more mails than are allowed');
  const blocks: DocumentBlock[] = [];
  for (const [i, start] of starts.entries()) {
    const mail = raw.subarray(raw.indexOf('\n', start) + 1, starts[i + 1] ?? raw.length);
    const unquoted = Buffer.from(mail.toString('latin1').replace(/^>(>*From )/gm, '$1'), 'latin1');
    try {
      const read = await parsePart(unquoted, { filename: 'mail.eml', declaredType: 'message/rfc822' });
      blocks.push(block('heading', read.title ?? `Mail ${i + 1}`, null, 1));
      blocks.push(...read.blocks.map((b) => (b.level ? { ...b, level: Math.min(6, b.level + 1) } : b)));
    } catch (error) {
      if (error instanceof RangeError) throw error;
      blocks.push(block('text', '(this mail has no text that can be read)'));
    }
  }
  return { title: null, blocks };
}

/** As UTF-8 where the message is kept as UTF-16, or has bytes beyond ASCII and says nowhere of which charset. */
function readableBytes(bytes: Uint8Array): Uint8Array {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isWide = raw.subarray(0, 4096).includes(0);
  if (!isWide && (isUtf8(raw) || /charset\s*=/i.test(raw.toString('latin1')))) return bytes;
  return new TextEncoder().encode(
    decodeText(bytes)
      .replaceAll('\n', '\r\n')
      .replace(/^\ufeff/, ''),
  );
}

/** UTF-16 whose byte-order mark says the other order than its name was read for. */
const inOrder = (text: string | undefined): string | undefined =>
  text?.startsWith('\ufffe') ? Buffer.from(text.slice(1), 'utf16le').swap16().toString('utf16le') : text;

export async function attachmentBlocks(
  part: { content: ArrayBuffer | Uint8Array | string; filename: string | null; mimeType: string },
  leftOut: LeftOutCount,
  parsePart: ParsePart,
): Promise<DocumentBlock[]> {
  const { content, filename } = part;
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);
  try {
    const { blocks } = await parsePart(bytes, { filename, declaredType: part.mimeType });
    // Pages and levels of the attachment are not those of the message.
    return blocks.map(({ kind, text, level }) =>
      block(kind, text, null, level ? Math.min(6, level + 2) : undefined),
    );
  } catch (error) {
    // The message itself can be read; what stands in the way of one attachment is said in its place.
    if (error instanceof RangeError) throw error;
    leftOut.add('attachments');
    return [block('text', '(this attachment has no text that can be read)')];
  }
}

const addresses = (list: readonly Address[]): string =>
  list
    .flatMap((entry) => (entry.group ? entry.group : [entry]))
    .map(({ name, address }) => (name && address ? `${name} <${address}>` : name || address || ''))
    .filter((text) => text !== '')
    .join(', ');
