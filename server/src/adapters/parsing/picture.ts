import type { DocumentBlock } from '../../kernel/parser.ts';
import { fail } from './fault.ts';
import type { Recognition } from './messages.ts';
import { WantedPages } from './pdf.ts';
import { layoutPages } from './pdf-layout.ts';
import { linesOf } from './pdf-lines.ts';
import { repacked } from './tiff-repack.ts';

/** Files that are pictures themselves: their text is what is recognised in them. */

const PICTURES = ['png', 'jpeg', 'tiff', 'webp'] as const;
export type PictureType = (typeof PICTURES)[number];

const MARKS: readonly [PictureType, RegExp][] = [
  ['png', /^\x89PNG\r\n\x1a\n/],
  ['jpeg', /^\xff\xd8\xff/],
  ['tiff', /^(II\*\0|MM\0\*)/],
  ['webp', /^RIFF.{4}WEBP/s],
];

/** By what the file begins with, so that half of one is no text. */
export function pictureType(bytes: Uint8Array): PictureType | null {
  const head = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
  return MARKS.find(([, mark]) => mark.test(head))?.[0] ?? null;
}

export const isPictureType = (name: string): name is PictureType =>
  PICTURES.some((picture) => picture === name);

/** Pictures lie on a page of this size in points, from its top left corner. */
export const PICTURE_PAGE = { width: 595, height: 842 };
const MAX_PAGES = 2_000;

interface PicturePages {
  title: null;
  pageCount: number;
  unreadPages: number[];
  blocks: DocumentBlock[];
}

/** Throws `ParseError`: broken, no_text, unsupported_type; `WantedPages`. */
export function parsePicture(
  bytes: Uint8Array,
  type: PictureType,
  recognition: Recognition | null,
): PicturePages {
  if (recognition === null)
    return fail(
      'unsupported_type',
      `pictures (${type}) are read by text recognition, which is off on this server (OCR)`,
    );
  const numbers = Array.from(
    { length: type === 'tiff' ? tiffPages(bytes).length : 1 },
    (_, index) => index + 1,
  );
  if (recognition.pages === null) throw new WantedPages(numbers);
  const pages = numbers.map((number) => linesOf(recognition.pages?.get(number) ?? [], []));
  const unreadPages = numbers.filter((_, index) => pages[index]?.length === 0);
  const [fault] = numbers.flatMap((number) => recognition.faults?.get(number) ?? []);
  if (unreadPages.length === numbers.length)
    return fault === undefined
      ? fail('no_text', 'no text was recognised in the picture')
      : fail(fault.fault, fault.message);
  const blocks = layoutPages(pages.map((lines) => ({ lines, ...PICTURE_PAGE })));
  return { title: null, pageCount: numbers.length, unreadPages, blocks };
}

interface Directory {
  at: number;
  next: number;
  orientation: number;
}

const ORIENTATION = 0x0112;
const ENTRY_BYTES = 12;

/** The list of fields at `at` (TIFF 6.0), which a picture, or what a camera says of it, begins with. Null beyond the end. */
function directoryAt(view: DataView, at: number, little: boolean): Directory | null {
  if (at < 8 || at + 2 > view.byteLength) return null;
  const count = view.getUint16(at, little);
  const end = at + 2 + count * ENTRY_BYTES;
  if (end + 4 > view.byteLength) return null;
  let orientation = 1;
  for (let entry = at + 2; entry < end; entry += ENTRY_BYTES)
    if (view.getUint16(entry, little) === ORIENTATION) orientation = view.getUint16(entry + 8, little);
  return { at, next: view.getUint32(end, little), orientation };
}

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const isLittle = (bytes: Uint8Array): boolean => bytes[0] === 0x49;

function tiffPages(bytes: Uint8Array): Directory[] {
  if (bytes.length < 8) return fail('broken', 'the picture is damaged');
  const view = viewOf(bytes);
  const little = isLittle(bytes);
  const pages: Directory[] = [];
  const seen = new Set<number>();
  let at = view.getUint32(4, little);
  for (let page = directoryAt(view, at, little); page !== null; page = directoryAt(view, at, little)) {
    if (seen.has(at)) break;
    if (pages.length >= MAX_PAGES) return fail('too_large', 'the picture has more pages than are read');
    seen.add(at);
    pages.push(page);
    at = page.next;
  }
  return pages.length === 0 ? fail('broken', 'the picture is damaged') : pages;
}

const EXIF = Buffer.from('Exif\0\0', 'latin1');
const HEAD_BYTES = 131_072;

/** How it is to be turned (1 to 8, as Exif counts) by what the camera wrote. */
function exifOrientation(bytes: Uint8Array): number {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES));
  const start = head.indexOf(EXIF);
  if (start < 0) return 1;
  const part = head.subarray(start + EXIF.length);
  if (part.length < 8) return 1;
  const little = isLittle(part);
  const view = viewOf(part);
  return directoryAt(view, view.getUint32(4, little), little)?.orientation ?? 1;
}

const END_OF_JPEG = Buffer.from([0xff, 0xd9]);

/** Some programs leave the mark of the end out; one that is cut off is found out all the same. */
const withEnd = (bytes: Uint8Array): Uint8Array =>
  Buffer.from(bytes.subarray(-1024)).includes(END_OF_JPEG) ? bytes : Buffer.concat([bytes, END_OF_JPEG]);

/** One page as a file of its own, and how it is to be turned. */
export function picturePage(
  bytes: Uint8Array,
  type: PictureType,
  number: number,
): { file: Uint8Array; orientation: number } {
  if (type === 'jpeg') return { file: withEnd(bytes), orientation: exifOrientation(bytes) };
  if (type !== 'tiff') return { file: bytes, orientation: 1 };
  const page = tiffPages(bytes)[number - 1];
  if (page === undefined) return fail('broken', 'the picture has no such page');
  const plain = repacked(bytes, page.at, isLittle(bytes));
  if (plain !== null) return { file: plain, orientation: page.orientation };
  const file = Uint8Array.from(bytes);
  // A reader takes the first page: its place is named here.
  viewOf(file).setUint32(4, page.at, isLittle(bytes));
  return { file, orientation: page.orientation };
}
