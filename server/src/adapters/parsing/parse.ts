import type { DocumentBlock, ParsedDocument } from '../../kernel/parser.ts';
import { cleanBlocks } from './blocks.ts';
import { parseCsv } from './csv.ts';
import { readDocling } from './docling.ts';
import { parseDocx } from './docx.ts';
import { EDGES } from './edge-texts.ts';
import { parseEml, parseMailbox } from './eml.ts';
import { parseEpub } from './epub.ts';
import { fail, LIMITS } from './fault.ts';
import { parseHtml } from './html.ts';
import { parseJson } from './json.ts';
import { detectLanguage } from './language.ts';
import { countLeftOut, type LeftOutCount } from './left-out.ts';
import { parseMarkdown } from './markdown.ts';
import type { Recognition } from './messages.ts';
import { parseMsg } from './msg.ts';
import { parseOdf } from './odf.ts';
import { realTitle } from './office-parts.ts';
import { parsePdf } from './pdf.ts';
import { parsePicture } from './picture.ts';
import { parsePptx } from './pptx.ts';
import type { RemoteAnswer } from './remote-parser.ts';
import { parseRtf } from './rtf.ts';
import { type Sniffed, sniff } from './sniff.ts';
import { parseText } from './text.ts';
import { readTika } from './tika.ts';
import { type ParseHints, TYPES, type TypeName } from './types.ts';
import { parseXlsx } from './xlsx.ts';

interface Content {
  title: string | null;
  pageCount?: number;
  unreadPages?: number[];
  blocks: DocumentBlock[];
}

/** Bytes → document, in this process: only for the limited child. Throws `ParseError`, and RangeError out of memory. */
export async function parseDocument(
  bytes: Uint8Array,
  hints: ParseHints,
  {
    depth = 0,
    recognition = null,
    onPage,
  }: { depth?: number; recognition?: Recognition | null; onPage?: Work['onPage'] } = {},
): Promise<ParsedDocument> {
  const sniffed = await sniff(bytes, hints);
  const leftOut = countLeftOut();
  const content = await parseContent(sniffed, { bytes, depth, leftOut, recognition, onPage });
  return finished(sniffed.type, content, leftOut);
}

/** The same of what another program has read: only for the limited child as well, since strangers wrote the file. */
export function importDocument({ format, content }: RemoteAnswer, type: TypeName): ParsedDocument {
  const leftOut = countLeftOut();
  const { pageCount, ...read } =
    format === 'docling' ? readDocling(content, leftOut) : readTika(content, leftOut);
  return finished(type, { ...read, ...(pageCount === null ? {} : { pageCount }) }, leftOut);
}

function finished(type: TypeName, content: Content, leftOut: LeftOutCount): ParsedDocument {
  const blocks = cleanBlocks(content.blocks);
  if (blocks.length === 0) return fail('no_text', 'the file has no text in it');
  const units = blocks.reduce((sum, b) => sum + b.text.length, 0);
  if (units > LIMITS.textUnits) return fail('too_large', 'the file holds more text than is allowed');
  return {
    contentType: TYPES[type],
    title: cleanTitle(realTitle(content.title) ?? firstHeading(type, blocks)),
    // Names of columns and fields are of no language that a reader would mean.
    language: type === 'csv' || type === 'json' ? null : detectLanguage(blocks),
    pageCount: content.pageCount ?? null,
    ...(content.unreadPages?.length ? { unreadPages: content.unreadPages } : {}),
    blocks,
    leftOut: leftOut.list(),
  };
}

interface Work {
  bytes: Uint8Array;
  depth: number;
  leftOut: LeftOutCount;
  recognition: Recognition | null;
  onPage?: ((done: number, of: number) => void) | undefined;
}

async function parseContent(sniffed: Sniffed, work: Work): Promise<Content> {
  const { bytes, depth, leftOut, recognition } = work;
  const parsePart = async (part: Uint8Array, hints: ParseHints): Promise<ParsedDocument> => {
    if (depth >= 3) return fail('too_large', 'documents within documents');
    const document = await parseDocument(part, hints, { depth: depth + 1 });
    for (const { what, count } of document.leftOut ?? []) leftOut.add(what, count);
    return document;
  };
  switch (sniffed.type) {
    case 'pdf':
      return parsePdf(bytes, leftOut, recognition, work.onPage);
    case 'docx':
      return parseDocx(sniffed.zip, leftOut, parsePart);
    case 'pptx':
      return parsePptx(sniffed.zip, leftOut);
    case 'xlsx':
      return parseXlsx(sniffed.zip, leftOut);
    case 'eml':
      return parseEml(bytes, leftOut, parsePart);
    case 'mbox':
      return parseMailbox(bytes, parsePart);
    case 'epub':
      return parseEpub(sniffed.zip, leftOut);
    case 'odt':
    case 'ods':
    case 'odp':
      return parseOdf(sniffed.type, sniffed.zip, leftOut);
    case 'rtf':
      return parseRtf(bytes, leftOut);
    case 'png':
    case 'jpeg':
    case 'tiff':
    case 'webp':
      return parsePicture(bytes, sniffed.type, recognition);
    case 'msg':
      return parseMsg(bytes, leftOut, parsePart);
    case 'html':
      return parseHtml(sniffed.text, leftOut);
    case 'markdown':
      return parseMarkdown(sniffed.text);
    case 'csv':
      return { title: null, blocks: parseCsv(sniffed.text) };
    case 'json':
      return parseJson(sniffed.text);
    case 'text':
      return { title: null, blocks: parseText(sniffed.text) };
  }
}

/** What a document calls itself; names of sheets are no titles, the file's name says more. */
const firstHeading = (type: TypeName, blocks: readonly DocumentBlock[]): string | null =>
  NAMED_BY_FILE.has(type)
    ? null
    : (blocks.find(
        (b) => b.kind === 'heading' && b.level === 1 && b.text !== EDGES && realTitle(b.text) !== null,
      )?.text ?? null);
const NAMED_BY_FILE: ReadonlySet<TypeName> = new Set(['xlsx', 'ods', 'csv', 'json', 'mbox']);

function cleanTitle(title: string | null): string | null {
  const text = title
    ?.toWellFormed()
    .replace(/[\u0000-\u001f\s]+/g, ' ')
    .trim()
    .slice(0, 300)
    .toWellFormed();
  return text || null;
}
