import { createRequire } from 'node:module';
import path from 'node:path';
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { fail } from './fault.ts';

/** Opens PDFs with all that the reader ships: nothing is fetched, and no script of a file is ever run. */

export type PdfDocument = PDFDocumentProxy;
export type PdfPage = PDFPageProxy;
export type TextItem = Extract<
  Awaited<ReturnType<PdfPage['getTextContent']>>['items'][number],
  { str: string }
>;

const home = path.dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
const folder = (name: string): string => `${path.join(home, name)}${path.sep}`;

/** Characters of some fonts are small images; larger ones are no text, and cost time and memory. */
const MAX_GLYPH_PIXELS = 65_536;

/** Throws `ParseError`: broken, encrypted. `images`: with their pixels, which only text recognition needs. */
export const openPdf = (bytes: Uint8Array, images = false): Promise<PdfDocument> =>
  getDocument({
    // The reader takes the buffer away from who gave it.
    data: new Uint8Array(bytes),
    stopAtErrors: false,
    verbosity: 0,
    // No substitute is drawn, so none is loaded: with its file, codes of fonts that are not in the PDF are read wrong.
    useSystemFonts: true,
    useWorkerFetch: false,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    // Files of Asian offices name the tables by which their codes become text; most fonts of them are not in the file.
    cMapUrl: folder('cmaps'),
    cMapPacked: true,
    wasmUrl: folder('wasm'),
    iccUrl: folder('iccs'),
    ...(images ? {} : { maxImageSize: MAX_GLYPH_PIXELS }),
  }).promise.catch(openFault);

function openFault(error: unknown): never {
  if (error instanceof RangeError) throw error;
  const name = error instanceof Error ? error.name : '';
  return name === 'PasswordException'
    ? fail('encrypted', 'the PDF is protected by a password')
    : fail('broken', 'the PDF is damaged');
}
