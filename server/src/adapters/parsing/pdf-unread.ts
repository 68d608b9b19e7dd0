import { OPS } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { PdfPage } from './pdf-open.ts';

/** Pages that show something and have no text: scans, pictures, drawings. */

/** What nothing is drawn without: an image is put into its place by a transformation. */
const DRAWS: ReadonlySet<number> = new Set([
  OPS.transform,
  OPS.constructPath,
  OPS.shadingFill,
  OPS.paintFormXObjectBegin,
  OPS.paintImageXObject,
  OPS.paintInlineImageXObject,
  OPS.paintImageMaskXObject,
  OPS.showText,
]);

/** False for a page that is left blank. */
export async function showsSomething(page: PdfPage): Promise<boolean> {
  const { fnArray } = await page.getOperatorList({ annotationMode: 0 });
  return fnArray.some((operator) => DRAWS.has(operator));
}

/** As a reader would say it: 2–4, 7. */
export function pageRanges(pages: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const page of pages) {
    const last = ranges.at(-1);
    if (last && page === last[1] + 1) last[1] = page;
    else ranges.push([page, page]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(', ');
}

/** Stands in the text, so that whoever searches, reads or answers from the document is told. */
export const unreadNote = (pages: readonly number[]): string =>
  pages.length === 1
    ? `(Page ${pageRanges(pages)} of this document has no text that can be read: it is a scan or a picture.)`
    : `(Pages ${pageRanges(pages)} of this document have no text that can be read: they are scans or pictures.)`;
