import { decompressRTF } from '@kenjiuno/decompressrtf';
import MsgReaderModule, { type FieldsData } from '@kenjiuno/msgreader';
import type { DocumentBlock } from '../../kernel/parser.ts';
import { block } from './blocks.ts';
import { decodeText } from './decode.ts';
import { attachmentBlocks, headerBlock, MAX_ATTACHMENTS, type ParsePart } from './eml.ts';
import { fail } from './fault.ts';
import { parseHtml } from './html.ts';
import type { LeftOutCount } from './left-out.ts';
import { parseRtf } from './rtf.ts';
import { parseText } from './text.ts';

// It is CommonJS with a default of its own.
const MsgReader = 'default' in MsgReaderModule ? MsgReaderModule.default : MsgReaderModule;
type Reader = InstanceType<typeof MsgReader>;

/** Messages of Outlook ([MS-OXMSG]), as those of RFC 5322 are read: header, text, attachments. */
export async function parseMsg(
  bytes: Uint8Array,
  leftOut: LeftOutCount,
  parsePart: ParsePart,
): Promise<{ title: string | null; blocks: DocumentBlock[] }> {
  const { reader, fields } = openMessage(bytes);
  const sealed = /^IPM\.Note\.SMIME$/i.test(fields.messageClass ?? '');
  if (sealed) return fail('encrypted', 'the message is encrypted');
  return messageBlocks(reader, fields, leftOut, parsePart);
}

function openMessage(bytes: Uint8Array): { reader: Reader; fields: FieldsData } {
  // It reads from the start of the buffer, whatever part of it is given.
  const { buffer } = new Uint8Array(bytes);
  const first = new MsgReader(buffer);
  const fields = first.getFileData();
  if (fields.error) return fail('broken', 'the message is damaged');
  const page = fields.internetCodepage ?? fields.messageCodepage;
  if (page === undefined || page === 1252 || page === 65001) return { reader: first, fields };
  // Text of one byte a character is in the message's own code page.
  const again = new MsgReader(buffer);
  again.parserConfig = { ansiEncoding: `cp${page}` };
  try {
    return { reader: again, fields: again.getFileData() };
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return { reader: first, fields };
  }
}

async function messageBlocks(
  reader: Reader,
  fields: FieldsData,
  leftOut: LeftOutCount,
  parsePart: ParsePart,
): Promise<{ title: string | null; blocks: DocumentBlock[] }> {
  const title = fields.subject?.trim() || null;
  const receivers = (type: string) =>
    (fields.recipients ?? [])
      .filter(({ recipType }) => recipType === type)
      .map(({ name, smtpAddress, email }) => person(name, smtpAddress ?? email))
      .join(', ');
  const sent = fields.clientSubmitTime ?? fields.messageDeliveryTime ?? '';
  const blocks = [
    headerBlock({
      From: person(fields.senderName, fields.senderSmtpAddress ?? fields.senderEmail),
      To: receivers('to'),
      Cc: receivers('cc'),
      Date: Number.isNaN(Date.parse(sent)) ? sent : new Date(sent).toISOString(),
      Subject: title ?? '',
    }),
    ...textOf(fields, leftOut),
  ];
  leftOut.add('attachments', (fields.attachments?.length ?? 0) - MAX_ATTACHMENTS);
  for (const part of (fields.attachments ?? []).slice(0, MAX_ATTACHMENTS)) {
    const { fileName, content } = reader.getAttachment(part);
    // Pictures within the text are no attachments to whoever reads it.
    if (part.pidContentId && /\.(png|jpe?g|gif|bmp|svg)$/i.test(fileName)) leftOut.add('pictures');
    else {
      const attached = { content, filename: fileName, mimeType: part.attachMimeTag ?? '' };
      blocks.push(block('heading', `Attachment: ${fileName}`, null, 2));
      blocks.push(...(await attachmentBlocks(attached, leftOut, parsePart)));
    }
  }
  return { title, blocks };
}

function textOf(fields: FieldsData, leftOut: LeftOutCount): DocumentBlock[] {
  const plain = fields.body?.replace(/\r\n?/g, '\n').trim();
  if (plain) return parseText(plain);
  const html = fields.bodyHtml ?? (fields.html ? decodeText(fields.html) : '');
  if (html.trim() !== '') return parseHtml(html, leftOut).blocks;
  if (!fields.compressedRtf) return [];
  return parseRtf(Uint8Array.from(decompressRTF([...fields.compressedRtf])), leftOut).blocks;
}

/** Addresses within an organisation are long names that nobody reads. */
function person(name: string | undefined, address: string | undefined): string {
  const shown = address?.includes('@') ? address : '';
  if (name && shown && name !== shown) return `${name} <${shown}>`;
  return name || shown;
}
