import type { DocumentBlock } from '../../kernel/parser.ts';
import { block } from './blocks.ts';
import { fail, LIMITS } from './fault.ts';
import type { LeftOutCount } from './left-out.ts';
import type { Recognition } from './messages.ts';
import { altTextsOf } from './pdf-alt-texts.ts';
import { readFilledIn } from './pdf-forms.ts';
import { layoutPages, type PdfPageLines } from './pdf-layout.ts';
import { linesOf } from './pdf-lines.ts';
import { openPdf, type PdfDocument, type PdfPage } from './pdf-open.ts';
import { imageShare } from './pdf-raster.ts';
import type { PdfRun } from './pdf-run.ts';
import { readRuns } from './pdf-runs.ts';
import { showsSomething, unreadNote } from './pdf-unread.ts';

/** A document may claim any number of pages: reading ends after this many that are not there. */
const MAX_MISSING_PAGES = 3;

/** Thrown where pages are to be recognised before the document can be read. */
export class WantedPages extends Error {
  readonly pages: readonly number[];
  constructor(pages: readonly number[]) {
    super('pages are wanted');
    this.pages = pages;
  }
}

/** Throws `ParseError`: broken, encrypted, no_text, too_large; `WantedPages`. Scripts in the file are never run, nothing is fetched. */
export async function parsePdf(
  bytes: Uint8Array,
  leftOut: LeftOutCount,
  recognition: Recognition | null,
  onPage: (done: number, of: number) => void = () => undefined,
): Promise<{ title: string | null; pageCount: number; unreadPages: number[]; blocks: DocumentBlock[] }> {
  // A reader repairs a file without its end and shows half of it as if it were whole.
  if (!Buffer.from(bytes.subarray(-4096)).includes('%%EOF')) {
    return fail('broken', 'the PDF is cut off: its end is missing');
  }
  const document = await openPdf(bytes);
  const { pages, unreadPages, wanted } = await readPages(document, { leftOut, recognition, onPage });
  if (recognition !== null && recognition.pages === null && wanted.length > 0) throw new WantedPages(wanted);
  if (pages.length === 0) return fail('broken', 'the PDF has no readable page');
  if (pages.every(({ lines, alternatives = [] }) => lines.length + alternatives.length === 0))
    return fail('no_text', noText(recognition !== null));
  const meta = await document.getMetadata().catch(() => null);
  const attached = await document.getAttachments().catch(() => null);
  leftOut.add('embedded_files', attached instanceof Map ? attached.size : Object.keys(attached ?? {}).length);
  await document.loadingTask.destroy();
  const blocks = layoutPages(pages);
  const [firstUnread] = unreadPages;
  // Of a file without any other text nothing is said: it is refused.
  if (firstUnread !== undefined && blocks.length > 0)
    blocks.push(block('text', unreadNote(unreadPages), firstUnread));
  return { title: metaTitle(meta?.info), pageCount: pages.length, unreadPages, blocks };
}

const noText = (recognized: boolean): string =>
  recognized
    ? 'the PDF has no text in it, and none was recognised in its pictures'
    : 'the PDF has no text in it: it seems to be a scan or pictures; run text recognition (OCR) first';

interface ReadPages {
  pages: PdfPageLines[];
  unreadPages: number[];
  /** Pages to be recognised. */
  wanted: number[];
}

interface PageWork {
  leftOut: LeftOutCount;
  recognition: Recognition | null;
  onPage(done: number, of: number): void;
}

async function readPages(
  document: PdfDocument,
  { leftOut, recognition, onPage }: PageWork,
): Promise<ReadPages> {
  const pages: PdfPageLines[] = [];
  const unreadPages: number[] = [];
  const wanted: number[] = [];
  let missing = 0;
  let units = 0;
  for (let number = 1; number <= document.numPages && missing < MAX_MISSING_PAGES; number++) {
    try {
      const page = await document.getPage(number);
      const known = recognition?.pages?.get(number) ?? [];
      const { read, units: own } = await readPage(page, leftOut, {
        known,
        instead: recognition?.force === true,
      });
      const isUnread = read.lines.length === 0 && (await showsSomething(page));
      if (isUnread) unreadPages.push(number);
      if (recognition !== null && recognition.pages === null) {
        const isMostlyPicture = own < FEW_UNITS && !isUnread && (await imageShare(page)) >= MOST_OF_PAGE;
        const forced = recognition.force && (await imageShare(page)) > 0;
        if (isUnread || isMostlyPicture || forced) wanted.push(number);
      }
      page.cleanup();
      while (pages.length < number - 1) pages.push({ lines: [], width: 0, height: 0 });
      pages.push(read);
      missing = 0;
      units += own;
      onPage(number, document.numPages);
    } catch (error) {
      if (error instanceof RangeError) throw error;
      missing++;
    }
    if (units > LIMITS.textUnits) return fail('too_large', 'the PDF holds more text than is allowed');
  }
  return { pages, unreadPages, wanted };
}

/** A scan with a stamp or a page number on it. */
const FEW_UNITS = 120;
const MOST_OF_PAGE = 0.5;

/** `known`: words that were recognised on the page; they stand beside its own text, or instead of it. */
async function readPage(
  page: PdfPage,
  leftOut: LeftOutCount,
  { known, instead }: { known: readonly PdfRun[]; instead: boolean },
): Promise<{ read: PdfPageLines; units: number }> {
  const [left = 0, bottom = 0, right = 0, top = 0] = page.view;
  const filled = await readFilledIn(page, leftOut).catch((error: unknown) => {
    if (error instanceof RangeError) throw error;
    return [];
  });
  const own = instead && known.length > 0 ? [] : await readRuns(page);
  const lines = linesOf([...own, ...known], filled);
  const units = lines.reduce((sum, line) => sum + line.text.length, 0);
  const alternatives = await altTextsOf(page);
  return { read: { lines, width: right - left, height: top - bottom, alternatives }, units };
}

/** What programs write there when nobody said anything, and names of files, which say less than the heading. */
const USELESS_TITLE =
  /\.(docx?|pptx?|xlsx?|odt|pdf|indd|tex|dvi|html?)$|^(\(?anonymous\)?|\(?untitled\)?|unspecified|no title|title|(microsoft )?(word|power ?point|excel)\b.*|power ?point presentation|pr[äe]sentation\d*|presentation\d*|document\d*|dokument\d*|sheet\d*|slide \d+|folie \d+|book\d*|scan(ned)?\b.*|print|layout ?\d*|new document|template)$/i;

function metaTitle(info: unknown): string | null {
  const title = typeof info === 'object' && info !== null && 'Title' in info ? info.Title : null;
  if (typeof title !== 'string') return null;
  const text = title.replace(/[\u0000-\u001f\ufffd\s]+/g, ' ').trim();
  return /\p{L}/u.test(text) && !USELESS_TITLE.test(text) ? text : null;
}
