import { type OcrSettings, type OcrWord, ocrEngine } from './ocr-engine.ts';
import { openPdf } from './pdf-open.ts';
import { type PageRaster, rasterOf } from './pdf-raster.ts';
import { type PdfRun, RTL } from './pdf-run.ts';
import { isPictureType, PICTURE_PAGE, picturePage } from './picture.ts';
import { sniff } from './sniff.ts';

/** One page of a PDF, or of a picture, by text recognition: to words in their places. */

/** Less sure words are what a recogniser sees in pictures and dirt. */
const MIN_WORD_CONFIDENCE = 30;
/** A page whose words are less sure on average is a picture. */
const MIN_PAGE_CONFIDENCE = 50;
/** Lines whose height differs less from that of most are of one size: heights of scanned lines vary by their letters. */
const SAME_SIZE = 0.3;
/** Size of the type by the height of its words, most of which have no letter that is as high and as deep as can be. */
const SIZE_OF_HEIGHT = 1.2;

/** Empty for a page that holds no text. Throws `ParseError`. */
export async function recognizePage(
  bytes: Uint8Array,
  number: number,
  settings: OcrSettings,
): Promise<PdfRun[]> {
  const { type } = await sniff(bytes, { filename: null, declaredType: null });
  if (isPictureType(type)) return recognizePicture(picturePage(bytes, type, number), settings);
  const document = await openPdf(bytes, true);
  try {
    const page = await document.getPage(number);
    const raster = await rasterOf(page);
    if (raster === null) return [];
    const recognize = await ocrEngine(settings);
    const { words } = recognize({ file: greyMap(raster), dpi: Math.round(raster.scale * 72) });
    return runsOf(words, raster.scale, raster.height);
  } finally {
    await document.loadingTask.destroy();
  }
}

async function recognizePicture(
  picture: { file: Uint8Array; orientation: number },
  settings: OcrSettings,
): Promise<PdfRun[]> {
  const recognize = await ocrEngine(settings);
  const { words, width, height } = recognize(picture);
  const scale = Math.max(width / PICTURE_PAGE.width, height / PICTURE_PAGE.height);
  return runsOf(words, scale, PICTURE_PAGE.height * scale);
}

/** A picture in the plainest of formats (PGM). */
function greyMap({ data, width, height }: PageRaster): Uint8Array {
  const head = Buffer.from(`P5\n${width} ${height}\n255\n`, 'latin1');
  return Buffer.concat([head, data]);
}

export function runsOf(all: readonly OcrWord[], scale: number, height: number): PdfRun[] {
  const words = all.filter(
    ({ confidence, text }) => confidence >= MIN_WORD_CONFIDENCE && /[\p{L}\p{N}]/u.test(text),
  );
  const letters = words.reduce((sum, { text }) => sum + text.length, 0);
  const sure = words.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0);
  if (letters === 0 || sure / letters < MIN_PAGE_CONFIDENCE) return [];
  const lines = asRows(linesOf(all.filter((word) => word.confidence >= MIN_WORD_CONFIDENCE)));
  const usual = median(lines.flatMap(({ words: own }) => own.map(() => heightOf(own))));
  return lines.flatMap(({ words: line }) => {
    const own = heightOf(line);
    const size = Math.abs(own - usual) < usual * SAME_SIZE ? usual : own;
    const bottom = bottomOf(line);
    return line.map(
      (word): PdfRun => ({
        text: word.text,
        x: word.left / scale,
        end: (word.left + word.width) / scale,
        y: (height - bottom) / scale,
        size: (size / scale) * SIZE_OF_HEIGHT,
        frame: 0,
        rtl: RTL.test(word.text),
      }),
    );
  });
}

interface Line {
  block: string;
  words: OcrWord[];
}

const heightOf = (line: readonly OcrWord[]): number => median(line.map((word) => word.height));
const bottomOf = (line: readonly OcrWord[]): number => median(line.map((word) => word.top + word.height));
const leftOf = (words: readonly OcrWord[]): number => Math.min(...words.map((word) => word.left));
const rightOf = (words: readonly OcrWord[]): number =>
  Math.max(...words.map((word) => word.left + word.width));

function linesOf(words: readonly OcrWord[]): Line[] {
  const lines = new Map<string, Line>();
  for (const word of words) {
    const line = lines.get(word.line) ?? { block: word.line.split('/')[0] ?? '', words: [] };
    line.words.push(word);
    lines.set(word.line, line);
  }
  return [...lines.values()];
}

/** A column this narrow (of the width of what is written) is one of a table; a wider one is read by itself. */
const NARROW = 0.3;
/** Lines of a narrow column that stand beside another line, so that it is one of a table. */
const MOST = 0.6;

/** The recogniser takes columns of tables for blocks of their own: their cells go back to their rows. */
function asRows(lines: readonly Line[]): Line[] {
  const all = lines.flatMap(({ words }) => words);
  const width = rightOf(all) - leftOf(all);
  const blocks = new Map<string, Line[]>();
  for (const line of lines) blocks.set(line.block, [...(blocks.get(line.block) ?? []), line]);
  const taken = new Set<Line>();
  for (const [block, own] of blocks) {
    const words = own.flatMap((line) => line.words);
    if (own.length < 2 || rightOf(words) - leftOf(words) > width * NARROW) continue;
    const pairs = own.flatMap((line) => {
      const row = lines.find((other) => other.block !== block && !taken.has(other) && isBeside(other, line));
      return row ? [{ line, row }] : [];
    });
    if (pairs.length < own.length * MOST) continue;
    for (const { line, row } of pairs) {
      row.words = [...row.words, ...line.words].sort((a, b) => a.left - b.left);
      taken.add(line);
    }
  }
  return lines.filter((line) => !taken.has(line));
}

const isBeside = (a: Line, b: Line): boolean =>
  Math.abs(bottomOf(a.words) - bottomOf(b.words)) < heightOf(b.words) * 0.5 &&
  (leftOf(a.words) > rightOf(b.words) || rightOf(a.words) < leftOf(b.words));

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
};
