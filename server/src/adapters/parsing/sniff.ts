import { fileTypeFromBuffer } from 'file-type';
import { compoundType, isCompound } from './compound.ts';
import { decodeText, isKnownEncoding } from './decode.ts';
import { fail } from './fault.ts';
import { type OdfType, odfType } from './odf.ts';
import { type PictureType, pictureType } from './picture.ts';
import { hintedType, type ParseHints, type TypeName } from './types.ts';
import { openZip, type Zip } from './zip.ts';

/** What the bytes are, with the work done so far. */
export type Sniffed =
  | { type: 'pdf' }
  | { type: 'docx' | 'pptx' | 'xlsx' | 'epub' | OdfType; zip: Zip }
  | { type: 'eml' | 'mbox' | 'rtf' | 'msg' | PictureType }
  | { type: 'html' | 'markdown' | 'text' | 'csv' | 'json'; text: string };

const startsWith = (bytes: Uint8Array, ascii: string): boolean =>
  bytes.length >= ascii.length && [...ascii].every((char, i) => bytes[i] === char.charCodeAt(0));

/** Throws `ParseError`: empty, encrypted, broken, unsupported_type. */
export async function sniff(bytes: Uint8Array, hints: ParseHints): Promise<Sniffed> {
  if (bytes.length === 0) return fail('empty', 'the file is empty');
  // PDF readers accept the mark anywhere in the first kilobyte.
  if (Buffer.from(bytes.subarray(0, 1024)).includes('%PDF-')) return { type: 'pdf' };
  if (startsWith(bytes, 'PK\u0003\u0004') || startsWith(bytes, 'PK\u0005\u0006')) return sniffZip(bytes);
  if (isCompound(bytes)) return sniffCompound(bytes);
  if (startsWith(bytes, '{\\rtf')) return { type: 'rtf' };
  const picture = pictureType(bytes);
  if (picture !== null) return { type: picture };
  if (!isPlainText(bytes)) {
    const known = await fileTypeFromBuffer(bytes);
    if (known && !known.mime.endsWith('/xml'))
      return fail('unsupported_type', `files of type ${known.mime} cannot be read`);
  }
  const text = decodeText(bytes, declaredEncoding(bytes));
  if (/^\s*-----BEGIN PGP MESSAGE-----/.test(text)) return fail('encrypted', 'the text is encrypted (PGP)');
  if (text.trim() === '') return fail('empty', 'the file holds nothing but white space');
  const type = textType(text, hintedType(hints));
  return type === 'eml' || type === 'mbox' ? { type } : { type, text };
}

/** Some programs put the main part elsewhere. */
const OFFICE_MAIN =
  /\b(wordprocessingml|presentationml|spreadsheetml)\.(?:document|presentation|sheet)\.main\+xml"/;
const OFFICE_TYPES: Readonly<Record<string, 'docx' | 'pptx' | 'xlsx'>> = {
  wordprocessingml: 'docx',
  presentationml: 'pptx',
  spreadsheetml: 'xlsx',
};

function sniffZip(bytes: Uint8Array): Sniffed {
  const zip = openZip(bytes);
  if (zip.has('word/document.xml')) return { type: 'docx', zip };
  if (zip.has('ppt/presentation.xml')) return { type: 'pptx', zip };
  if (zip.has('xl/workbook.xml')) return { type: 'xlsx', zip };
  if (zip.has('META-INF/container.xml')) return { type: 'epub', zip };
  const other = OFFICE_MAIN.exec(zip.readText('[Content_Types].xml') ?? '')?.[1];
  if (other !== undefined && zip.has('_rels/.rels')) return { type: OFFICE_TYPES[other] ?? 'docx', zip };
  const open = odfType(zip);
  if (open !== null) return { type: open, zip };
  if (zip.names.length === 0) return fail('empty', 'the archive is empty');
  return fail(
    'unsupported_type',
    'archives and office files other than docx, pptx, xlsx, odt, ods and odp cannot be read',
  );
}

/** The container of messages, old office files, and new ones under a password. */
function sniffCompound(bytes: Uint8Array): Sniffed {
  const type = compoundType(bytes);
  if (type === 'msg') return { type };
  if (type === 'encrypted') return fail('encrypted', 'the file is protected by a password');
  return fail(
    'unsupported_type',
    type === null
      ? 'files of this kind cannot be read'
      : 'old office formats (doc, xls, ppt) are read where LibreOffice is set (SOFFICE_PATH); save it as docx, xlsx or pptx',
  );
}

/** Valid UTF-8 without control characters: short magic numbers such as "BM" or "MZ" mean nothing there. */
function isPlainText(bytes: Uint8Array): boolean {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) return true;
  try {
    const sample = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, 4096), {
      stream: true,
    });
    return !/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(sample);
  } catch {
    return false;
  }
}

function declaredEncoding(bytes: Uint8Array): string | null {
  // Styles and scripts may stand before it; the standard's first kilobyte is not what pages keep to.
  const head = Buffer.from(bytes.subarray(0, 262_144)).toString('latin1');
  const name =
    /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{2,40})/i.exec(head)?.[1] ??
    /^\s*<\?xml[^>]{0,100}encoding\s*=\s*["']([\w-]{2,40})/i.exec(head.slice(0, 2048))?.[1];
  return name && isKnownEncoding(name) ? name : null;
}

type TextType = Extract<TypeName, 'html' | 'markdown' | 'text' | 'csv' | 'json' | 'eml' | 'mbox'>;

/** Strong signs of the content first, then the hint, then weak signs. */
function textType(text: string, hint: TypeName | null): TextType {
  const head = text.slice(0, 4096).trimStart();
  if (/^(<\?xml[^>]*>\s*)?<svg\b/i.test(head)) return fail('unsupported_type', 'images (svg) cannot be read');
  if (/^(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*)*(<!doctype html|<html\b|<head\b|<body\b)/i.test(head))
    return 'html';
  if (
    hint === 'html' ||
    hint === 'markdown' ||
    hint === 'text' ||
    hint === 'csv' ||
    hint === 'json' ||
    hint === 'eml' ||
    hint === 'mbox'
  ) {
    return hint;
  }
  if (isMessage(head)) return 'eml';
  if (isMailbox(head)) return 'mbox';
  if (/^[{[]/.test(head) && isJson(text)) return 'json';
  if (/^<(\?xml|div|p|table|section|article|h[1-6]|ul|ol|script)\b/i.test(head)) return 'html';
  if (looksLikeMarkdown(head)) return 'markdown';
  return looksLikeCsv(head) ? 'csv' : 'text';
}

function isMessage(head: string): boolean {
  const header = head.split('\n\n')[0] ?? '';
  if (!/^[A-Za-z][A-Za-z0-9-]*:[ \t]/.test(header)) return false;
  return /^from:/im.test(header) && /^(date|message-id|received|mime-version):/im.test(header);
}

/** Mails one after another, each behind a line of its own (RFC 4155). */
const isMailbox = (head: string): boolean =>
  /^From \S.*\n/.test(head) && isMessage(head.slice(head.indexOf('\n') + 1));

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function looksLikeMarkdown(head: string): boolean {
  const signs = [
    /^#{1,6} \S/m,
    /^(```|~~~)/m,
    /\[[^\]\n]+\]\([^)\s]+\)/,
    /^\|?[ :-]+\|[ :|-]+$/m,
    /^[-*] \S.*\n[-*] \S/m,
    /\*\*\S[^*\n]*\*\*/,
  ];
  return /^#{1,3} \S/.test(head) || signs.filter((sign) => sign.test(head)).length >= 2;
}

function looksLikeCsv(head: string): boolean {
  const lines = head
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.trim() !== '')
    .slice(0, 20);
  if (lines.length < 3) return false;
  return [',', ';', '\t'].some((delimiter) => {
    const counts = lines.map((line) => line.replace(/"[^"]*"/g, '').split(delimiter).length);
    return (counts[0] ?? 0) >= 2 && counts.every((count) => count === counts[0]) && !/[.!?]\s*$/m.test(head);
  });
}
