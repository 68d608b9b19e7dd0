import { getDocumentProxy } from 'unpdf';
import type { DocumentBlock } from '../../kernel/parser.ts';
import { fail, LIMITS } from './fault.ts';
import { layoutPages, type PdfLine } from './pdf-layout.ts';

/** In widths of the font size; justified prose stays below. */
const CELL_GAP = 1;
/** A document may claim any number of pages: reading ends after this many that are not there. */
const MAX_MISSING_PAGES = 3;

/** Throws `ParseError`: broken, encrypted, no_text, too_large. Scripts in the file are never run, nothing is fetched. */
export async function parsePdf(
  bytes: Uint8Array,
): Promise<{ title: string | null; pageCount: number; blocks: DocumentBlock[] }> {
  // A reader repairs a file without its end and shows half of it as if it were whole.
  if (!Buffer.from(bytes.subarray(-4096)).includes('%%EOF')) {
    return fail('broken', 'the PDF is cut off: its end is missing');
  }
  const document = await getDocumentProxy(new Uint8Array(bytes), {
    stopAtErrors: false,
    verbosity: 0,
    useSystemFonts: false,
    useWorkerFetch: false,
  }).catch(openFault);
  const pages: PdfLine[][] = [];
  let missing = 0;
  let units = 0;
  for (let number = 1; number <= document.numPages && missing < MAX_MISSING_PAGES; number++) {
    try {
      const page = await document.getPage(number);
      const content = await page.getTextContent();
      const lines = readLines(content.items);
      page.cleanup();
      while (pages.length < number - 1) pages.push([]);
      pages.push(lines);
      missing = 0;
      units += lines.reduce((sum, line) => sum + line.text.length, 0);
    } catch (error) {
      if (error instanceof RangeError) throw error;
      missing++;
    }
    if (units > LIMITS.textUnits) return fail('too_large', 'the PDF holds more text than is allowed');
  }
  if (pages.length === 0) return fail('broken', 'the PDF has no readable page');
  if (units === 0) {
    return fail(
      'no_text',
      'the PDF has no text in it: it seems to be a scan or pictures; run text recognition (OCR) first',
    );
  }
  const meta = await document.getMetadata().catch(() => null);
  await document.loadingTask.destroy();
  return { title: metaTitle(meta?.info), pageCount: pages.length, blocks: layoutPages(pages) };
}

function openFault(error: unknown): never {
  if (error instanceof RangeError) throw error;
  const name = error instanceof Error ? error.name : '';
  return name === 'PasswordException'
    ? fail('encrypted', 'the PDF is protected by a password')
    : fail('broken', 'the PDF is damaged');
}

const USELESS_TITLE = /\.(docx?|pdf|indd|tex)$|^(untitled|microsoft word\b.*|document\d*)$/i;

function metaTitle(info: unknown): string | null {
  const title = typeof info === 'object' && info !== null && 'Title' in info ? info.Title : null;
  // Word processors leave file names there, which say less than the heading.
  if (typeof title !== 'string' || USELESS_TITLE.test(title.trim())) return null;
  return title.trim() || null;
}

type TextItems = Awaited<
  ReturnType<Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>['getPage']>>['getTextContent']>
>['items'];

/** Smaller text is meant for no human reader. */
const MIN_SIZE_PT = 2;

/** Joins the runs of one base line; a wide gap between them parts the cells of a table. */
function readLines(items: TextItems): PdfLine[] {
  const lines: (PdfLine & { runUnits: number })[] = [];
  let endX = 0;
  for (const item of items) {
    if (!('str' in item) || item.str.trim() === '') continue;
    const [, , skew = 0, scale = 0, x = 0, y = 0] = item.transform as number[];
    const size = Math.hypot(skew, scale) || item.height || 10;
    if (size < MIN_SIZE_PT) continue;
    let line = lines.at(-1);
    const gap = x - endX;
    if (!line || Math.abs(line.y - y) > Math.max(line.size, size) * 0.5 || gap < -size * 3) {
      line = { text: item.str, x, y, size, runUnits: item.str.length };
      lines.push(line);
    } else {
      const space = /\s$/.test(line.text) || /^\s/.test(item.str) || gap < size * 0.15 ? '' : ' ';
      line.text += `${gap > size * CELL_GAP ? ' | ' : space}${item.str}`;
      // The size of its longest run: bullets and initials are often larger.
      if (item.str.length > line.runUnits) {
        line.size = size;
        line.runUnits = item.str.length;
      }
    }
    endX = x + item.width;
  }
  return lines.map(({ text, x, y, size }) => ({ text: text.replace(/\s+/g, ' ').trim(), x, y, size }));
}
