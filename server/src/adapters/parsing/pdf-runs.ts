import { readingOrder, leftwardShare as shareOf } from './pdf-bidi.ts';
import { type PdfGlyph, readGlyphs } from './pdf-glyphs.ts';
import type { PdfPage, TextItem } from './pdf-open.ts';
import { frameOf, inFrame, MIN_SIZE_PT, type PdfRun, RTL, VERTICAL_FRAME } from './pdf-run.ts';
import { joinTilted } from './pdf-tilted.ts';

/** In sizes: wider gaps part words, and may part cells. */
const WORD_GAP = 0.11;
/** Letters that were placed one by one, with blanks between the words, may stand apart. */
const LOOSE_GAP = 0.5;
/** Connected letters and their marks are placed less exactly. */
const LEFTWARD_GAP = 0.3;
export const CELL_GAP = 1;

/** Fewer characters than this share of the reader's own text: the page is drawn in a way that is not followed here. */
const MIN_SHARE = 0.6;

/** The text of a page in the order of its drawing. Throws what the reader throws. */
export async function readRuns(page: PdfPage): Promise<PdfRun[]> {
  const { items, styles } = await page.getTextContent();
  const texts = items.filter((item): item is TextItem => 'str' in item && item.str.trim() !== '');
  const spaced = spacedItems(items);
  const placed = texts.map((item) => {
    const vertical = styles[item.fontName]?.vertical === true;
    const run = { ...runOf(item, vertical), ...(spaced.has(item) ? { spaced: true } : {}) };
    const [a = 1, b = 0, , , x = 0, y = 0] = item.transform as number[];
    return { run, x, y, length: run.end - run.x, angle: vertical ? 0 : Math.atan2(b, a) };
  });
  const kept = joinTilted(placed.filter(({ run }) => run.size >= MIN_SIZE_PT));
  if (!kept.some((run) => RTL.test(run.text)) && !isDrawnTwice(kept)) return kept;
  const glyphs = await readGlyphs(page).catch((error: unknown) => {
    if (error instanceof RangeError) throw error;
    return null;
  });
  if (glyphs === null || glyphs.length < MIN_SHARE * kept.reduce((sum, run) => sum + run.text.length, 0))
    return kept;
  return runsOf(glyphs);
}

/** Those behind a blank that has a width of its own. */
function spacedItems(items: readonly object[]): ReadonlySet<object> {
  return new Set(
    items.filter((_, i) => {
      const before = items[i - 1];
      return (
        before !== undefined &&
        'str' in before &&
        before.str === ' ' &&
        'width' in before &&
        Number(before.width) > 0
      );
    }),
  );
}

function runOf(item: TextItem, vertical: boolean): PdfRun {
  const [a = 1, b = 0, c = 0, d = 0, e = 0, f = 0] = item.transform as number[];
  const frame = vertical ? VERTICAL_FRAME : frameOf(a, b);
  const [x, y] = inFrame(frame, e, f);
  const size = Math.hypot(c, d) || item.height || 10;
  const length = vertical ? Math.abs(item.height) : item.width;
  return { text: item.str, x, end: x + length, y, size, frame, rtl: false };
}

/** "Bold" by drawing each character, word or line again beside itself. */
function isDrawnTwice(runs: readonly PdfRun[]): boolean {
  const seen = new Map<string, PdfRun[]>();
  let overlaps = 0;
  runs.forEach((run, i) => {
    const same = seen.get(run.text) ?? [];
    if (same.some((other) => isNear(other, run, 0.2))) overlaps += 2;
    seen.set(run.text, [...same.slice(-50), run]);
    const before = runs[i - 1];
    if (!before || before.frame !== run.frame || Math.abs(before.y - run.y) > run.size * 0.3) return;
    const inside = before.end - run.x;
    if (inside > run.size * 0.25 && run.x > before.x - run.size * 0.3) overlaps++;
  });
  return overlaps >= 2;
}

interface Place {
  x: number;
  y: number;
  size: number;
  frame: number;
}

const isNear = (a: Place, b: Place, sizes: number): boolean =>
  a.frame === b.frame &&
  Math.abs(a.x - b.x) < b.size * sizes &&
  Math.abs(a.y - b.y) < b.size * sizes &&
  Math.abs(a.size - b.size) < b.size * 0.1;

type Drawn = PdfGlyph & { again?: boolean };

/** Each character once, however often it is drawn in its place. Narrow ones stand close, so half their width counts. */
function drawnOnce(glyphs: readonly PdfGlyph[]): Drawn[] {
  const seen = new Map<string, Drawn[]>();
  return glyphs.filter((glyph: Drawn) => {
    if (glyph.text.trim() === '') return true;
    const at = (dx: number, dy: number) =>
      `${glyph.text} ${Math.round(glyph.x / glyph.size) + dx} ${Math.round(glyph.y / glyph.size) + dy}`;
    const around = [-1, 0, 1].flatMap((dx) => [-1, 0, 1].flatMap((dy) => seen.get(at(dx, dy)) ?? []));
    const reach = Math.min(0.15, (glyph.width / glyph.size) * 0.5);
    const first = reach > 0 ? around.find((other) => isNear(other, glyph, reach)) : undefined;
    if (first) {
      first.again = true;
      return false;
    }
    seen.set(at(0, 0), [...(seen.get(at(0, 0)) ?? []), glyph]);
    return true;
  });
}

const MARK = /^\p{M}+$/u;

export function runsOf(glyphs: readonly PdfGlyph[]): PdfRun[] {
  const lines: Drawn[][] = [];
  for (const glyph of drawnOnce(glyphs)) {
    const line = lines.at(-1);
    const first = line?.[0];
    const reach = MARK.test(glyph.text) ? 1.2 : 0.35;
    const sameLine =
      first?.frame === glyph.frame && Math.abs(first.y - glyph.y) < Math.max(first.size, glyph.size) * reach;
    if (line && sameLine) line.push(glyph);
    else lines.push([glyph]);
  }
  const usual = leftwardShare(glyphs) > 0.5;
  return lines.flatMap((line) => {
    if (!line.some((glyph) => RTL.test(glyph.text))) return rightwardRuns(line);
    // On a page of such text, a few words of it make a line theirs, however many names of another script it has.
    return leftwardRuns(line, leftwardShare(line) > (usual ? 0.25 : 0.5));
  });
}

const hasBlanks = (line: readonly PdfGlyph[]): boolean => line.some((glyph) => glyph.text.trim() === '');

/** Pieces between wide gaps, in the order of their drawing. */
function rightwardRuns(line: readonly Drawn[]): PdfRun[] {
  const runs: PdfRun[] = [];
  const apart = hasBlanks(line) && line.some((glyph) => glyph.again) ? LOOSE_GAP : WORD_GAP;
  let blank = false;
  for (const { text, x, y, width, size, frame } of line) {
    if (text.trim() === '') {
      blank = true;
      continue;
    }
    const run = runs.at(-1);
    const gap = run ? x - run.end : 0;
    if (!run || gap > size * CELL_GAP || gap < -size * 3) {
      runs.push({ text, x, end: x + width, y, size, frame, rtl: false });
    } else {
      run.text += blank || gap > size * apart ? ` ${text}` : text;
      run.end = Math.max(run.end, x + width);
    }
    blank = false;
  }
  return runs;
}

const leftwardShare = (glyphs: readonly PdfGlyph[]): number => shareOf(glyphs.map((glyph) => glyph.text));

const PRESENTATION = /[\ufb1d-\ufdff\ufe70-\ufefc]/;
const plain = (text: string): string => (PRESENTATION.test(text) ? text.normalize('NFKC') : text);

/** Pieces between wide gaps, each in reading order; the line's first is the rightmost where it reads leftwards. */
function leftwardRuns(line: readonly PdfGlyph[], leftwards: boolean): PdfRun[] {
  const letters = line.filter((glyph) => !MARK.test(glyph.text));
  const placed = letters.map((glyph) => ({ ...glyph, text: plain(glyph.text) })).sort((a, b) => a.x - b.x);
  for (const mark of line.filter((glyph) => MARK.test(glyph.text))) {
    const middle = mark.x + mark.width / 2;
    const distance = (g: PdfGlyph) => Math.max(0, g.x - middle, middle - g.x - g.width);
    const written = placed.filter((g) => g.text.trim() !== '');
    const base = written.reduce<PdfGlyph | null>(
      (best, g) => (best === null || distance(g) < distance(best) ? g : best),
      null,
    );
    if (base) base.text += mark.text;
  }
  const pieces = piecesOf(placed).map(({ parts, x, end, y, size, frame }) => ({
    text: readingOrder(parts, leftwards),
    x,
    end,
    y,
    size,
    frame,
    rtl: leftwards,
  }));
  return leftwards ? pieces.reverse() : pieces;
}

function piecesOf(glyphs: readonly PdfGlyph[]): (Omit<PdfRun, 'text' | 'rtl'> & { parts: string[] })[] {
  const pieces: (Omit<PdfRun, 'text' | 'rtl'> & { parts: string[] })[] = [];
  const apart = hasBlanks(glyphs) ? LEFTWARD_GAP : WORD_GAP;
  let blank = false;
  for (const { text, x, y, width, size, frame } of glyphs) {
    const piece = pieces.at(-1);
    if (text.trim() === '') {
      // One that lies beneath a letter, as those at the end of a line may, parts nothing.
      blank ||= piece === undefined || x + width / 2 > piece.end;
      continue;
    }
    const gap = piece ? x - piece.end : 0;
    if (!piece || gap > size * CELL_GAP) {
      pieces.push({ parts: [text], x, end: x + width, y, size, frame });
    } else {
      if (blank || gap > size * apart) piece.parts.push(' ');
      piece.parts.push(text);
      piece.end = Math.max(piece.end, x + width);
    }
    blank = false;
  }
  return pieces;
}
