import type { DocumentBlock } from '../../kernel/parser.ts';
import { block } from './blocks.ts';
import type { PdfLine } from './pdf-lines.ts';
import { findTables } from './pdf-tables.ts';

export interface PdfPageLines {
  lines: PdfLine[];
  width: number;
  height: number;
  /** What is said of its pictures. */
  alternatives?: readonly string[];
}

/** How far apart, in sizes, lines of one paragraph are, and items of a list or rows of a table. */
const LINE_REACH = 1.75;
const ROW_REACH = 2.6;
const BULLET = /^([-•‣●▪*–]|\d{1,3}[.)])\s/;
/** In sizes, how far apart fields of one record are, and how long it gets. */
const RECORD_REACH = 5;
const RECORD_UNITS = 300;
/** A line this much larger than the body's is a heading. */
const HEADING_RATIO = 1.15;
const HEADING_MAX_UNITS = 160;
/** Fewer words alone on a page are its number or the name of the book. */
const MIN_PAGE_WORDS = 6;

/** Lines → paragraphs, lists, tables and headings, by size and distance. Running heads and feet fall away. */
export function layoutPages(pages: readonly PdfPageLines[]): DocumentBlock[] {
  let tables = 0;
  const without = (running: ReadonlySet<string>) =>
    pages.map(({ lines }) => {
      const rest = lines.filter((line, i) => !(isEdge(lines, i) && running.has(shape(line.text))));
      // Of a page that has nothing else they are its text, unless they only number it.
      const words = lines.reduce((sum, line) => sum + line.text.split(/\s+/).length, 0);
      return findTables(rest.length === 0 && words >= MIN_PAGE_WORDS ? lines : rest, () => ++tables);
    });
  const running = runningLines(pages.map((page) => page.lines));
  const apart = without(running);
  // A document of nothing but such lines says something, unless they only number its pages.
  const numbers = new Set([...running].filter((line) => line.includes('#')));
  const kept = apart.some((lines) => lines.length > 0) ? apart : without(numbers);
  const bodySize = commonSize(kept.flat());
  const slides = areSlides(pages);
  const headings = new Set(
    kept.flatMap((lines) => {
      const large = lines.filter((line) => isLarge(line, bodySize));
      return slides || large.length > MAX_HEADINGS * lines.length ? slideTitle(large) : large;
    }),
  );
  const sizes = [...new Set([...headings].map((l) => Math.round(l.size)))].sort((a, b) => b - a);
  return kept.flatMap((lines, index) => [
    ...layoutPage(lines, index + 1, headings, sizes),
    ...(pages[index]?.alternatives ?? []).map((text) => block('text', text, index + 1)),
  ]);
}

/** On a page of boxes in many sizes, more than this share of large lines are its text. */
const MAX_HEADINGS = 0.5;
const SLIDE_WORDS = 120;

/** Pages that are wider than high and hold few words: each box would else be a section of its own. */
function areSlides(pages: readonly PdfPageLines[]): boolean {
  const written = pages.filter((page) => page.lines.length > 0);
  const wide = written.filter(
    ({ lines, width, height }) =>
      width > height * 1.2 &&
      lines.reduce((sum, line) => sum + line.text.split(/\s+/).length, 0) <= SLIDE_WORDS,
  );
  return wide.length > written.length / 2;
}

/** The largest line, the upper one of two; all lines of that size that stand together with it. */
function slideTitle(large: readonly PdfLine[]): PdfLine[] {
  const size = Math.max(...large.map((line) => line.size));
  const first = large.find((line) => line.size > size - 0.6);
  if (!first) return [];
  const from = large.indexOf(first);
  const title: PdfLine[] = [];
  for (const line of large.slice(from)) {
    const above = title.at(-1);
    if (above && (Math.abs(above.size - line.size) > 0.6 || above.y - line.y > line.size * LINE_REACH)) break;
    title.push(line);
  }
  return title;
}

function layoutPage(
  lines: PdfLine[],
  page: number,
  headings: ReadonlySet<PdfLine>,
  sizes: number[],
): DocumentBlock[] {
  const blocks: DocumentBlock[] = [];
  let before: PdfLine | null = null;
  let kind: DocumentBlock['kind'] | null = null;
  for (const line of lines) {
    const next = kindOf(line, headings);
    const last = blocks.at(-1);
    if (last && before && isOneRecord(before, line, last, next)) last.text += `; ${line.text}`;
    else if (last && before && joins(before, line, kind, next))
      last.text = joinLine(last.text, line.text, last.kind, next);
    else
      blocks.push(
        block(next, marked(line.text), page, next === 'heading' ? levelOf(line, sizes) : undefined),
      );
    kind = blocks.at(-1)?.kind ?? null;
    before = line;
  }
  return blocks;
}

/** Fields of a form that follow each other belong together: whose days they are stands in another field. */
function isOneRecord(
  before: PdfLine,
  line: PdfLine,
  last: DocumentBlock,
  next: DocumentBlock['kind'],
): boolean {
  return (
    before.filled &&
    line.filled &&
    last.kind === 'text' &&
    next === 'text' &&
    before.y > line.y &&
    before.y - line.y < line.size * RECORD_REACH &&
    last.text.length + line.text.length < RECORD_UNITS
  );
}

function kindOf(line: PdfLine, headings: ReadonlySet<PdfLine>): DocumentBlock['kind'] {
  if (line.table !== null) return 'table';
  if (headings.has(line)) return 'heading';
  if (BULLET.test(line.text)) return 'list';
  return line.text.includes(' | ') ? 'table' : 'text';
}

function joins(
  before: PdfLine,
  line: PdfLine,
  kind: DocumentBlock['kind'] | null,
  next: DocumentBlock['kind'],
): boolean {
  if (before.table !== null || line.table !== null) return before.table === line.table;
  const reach = next === 'list' || (next === 'table' && kind === 'table') ? ROW_REACH : LINE_REACH;
  const near =
    before.frame === line.frame &&
    before.y - line.y < Math.max(before.size, line.size) * reach &&
    before.y >= line.y;
  const sameSize = Math.abs(before.size - line.size) < 0.6;
  // An item of a list goes on in lines that have no mark of their own.
  const sameKind = kind === next || (kind === 'list' && next === 'text');
  return near && sameKind && (sameSize || next !== 'heading');
}

const marked = (text: string): string => text.replace(/^[•‣●▪]\s*\|?\s*/, '- ');

function joinLine(text: string, line: string, kind: string, next: string): string {
  if (next === 'list') return `${text}\n${marked(line)}`;
  if (kind === 'table') return `${text}\n${line}`;
  // A word that was parted at the line's end.
  if (/\p{L}-$/u.test(text) && /^\p{Ll}/u.test(line)) return text.slice(0, -1) + line;
  const noSpace = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u.test(text);
  return noSpace ? text + line : `${text} ${line}`;
}

const isLarge = (line: PdfLine, bodySize: number): boolean =>
  line.table === null &&
  line.size > bodySize * HEADING_RATIO &&
  line.text.length <= HEADING_MAX_UNITS &&
  /\p{L}/u.test(line.text) &&
  !line.text.includes(' | ');

const levelOf = (line: PdfLine, sizes: number[]): number =>
  Math.min(6, Math.max(1, sizes.indexOf(Math.round(line.size)) + 1));

/** The size in which most of the text is set. */
function commonSize(lines: readonly PdfLine[]): number {
  const units = new Map<number, number>();
  for (const { size, text } of lines) {
    const rounded = Math.round(size * 2) / 2;
    units.set(rounded, (units.get(rounded) ?? 0) + text.length);
  }
  return [...units].reduce((best, entry) => (entry[1] > best[1] ? entry : best), [10, 0])[0];
}

const shape = (text: string): string => text.replace(/\d+/g, '#');

/** Near the start or end of the page's stream, and apart from the lines before and after it. */
function isEdge(lines: readonly PdfLine[], i: number): boolean {
  const line = lines[i];
  if (!line || (i >= 2 && i < lines.length - 2)) return false;
  return [lines[i - 1], lines[i + 1]].every(
    (other) => !other || Math.abs(other.y - line.y) > line.size * 1.8,
  );
}

/** Lines at the edge of more than half of at least four pages, page numbers aside. */
function runningLines(pages: readonly PdfLine[][]): Set<string> {
  if (pages.length < 4) return new Set();
  const counts = new Map<string, number>();
  for (const lines of pages) {
    const edges = new Set(lines.filter((_, i) => isEdge(lines, i)).map((line) => shape(line.text)));
    for (const text of edges) counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return new Set([...counts].filter(([, count]) => count > pages.length / 2).map(([text]) => text));
}
