import type { DocumentBlock } from '../../kernel/parser.ts';
import { block } from './blocks.ts';

/** One base line of a page; sizes and places in points, y from the bottom. */
export interface PdfLine {
  text: string;
  x: number;
  y: number;
  size: number;
}

/** How far apart, in sizes, lines of one paragraph are, and items of a list or rows of a table. */
const LINE_REACH = 1.75;
const ROW_REACH = 2.6;
const BULLET = /^([-•‣●▪*–]|\d{1,3}[.)])\s/;
/** A line this much larger than the body's is a heading. */
const HEADING_RATIO = 1.15;
const HEADING_MAX_UNITS = 160;
/** Fewer words alone on a page are its number or the name of the book. */
const MIN_PAGE_WORDS = 6;

/** Lines → paragraphs, lists, tables and headings, by size and distance. Running heads and feet fall away. */
export function layoutPages(pages: readonly PdfLine[][]): DocumentBlock[] {
  const running = runningLines(pages);
  const kept = pages.map((lines) => {
    const rest = lines.filter((line, i) => !(isEdge(lines, i) && running.has(shape(line.text))));
    // Of a page that has nothing else they are its text, unless they only number it.
    const words = lines.reduce((sum, line) => sum + line.text.split(/\s+/).length, 0);
    return rest.length === 0 && words >= MIN_PAGE_WORDS ? lines : rest;
  });
  const bodySize = commonSize(kept.flat());
  const sizes = [
    ...new Set(
      kept
        .flat()
        .filter((l) => isHeading(l, bodySize))
        .map((l) => Math.round(l.size)),
    ),
  ].sort((a, b) => b - a);
  return kept.flatMap((lines, index) => layoutPage(lines, index + 1, bodySize, sizes));
}

function layoutPage(lines: PdfLine[], page: number, bodySize: number, sizes: number[]): DocumentBlock[] {
  const blocks: DocumentBlock[] = [];
  let before: PdfLine | null = null;
  let kind: DocumentBlock['kind'] | null = null;
  for (const line of lines) {
    const heading = isHeading(line, bodySize);
    const next = heading
      ? 'heading'
      : BULLET.test(line.text)
        ? 'list'
        : line.text.includes(' | ')
          ? 'table'
          : 'text';
    const last = blocks.at(-1);
    const reach = next === 'list' || (next === 'table' && kind === 'table') ? ROW_REACH : LINE_REACH;
    const near =
      before !== null && before.y - line.y < Math.max(before.size, line.size) * reach && before.y >= line.y;
    const sameSize = before !== null && Math.abs(before.size - line.size) < 0.6;
    // An item of a list goes on in lines that have no mark of their own.
    const joins = kind === next || (kind === 'list' && next === 'text');
    if (last && near && joins && (sameSize || next !== 'heading'))
      last.text = joinLine(last.text, line.text, last.kind, next);
    else
      blocks.push(
        block(
          next,
          line.text.replace(/^[•‣●▪]\s*\|?\s*/, '- '),
          page,
          heading ? levelOf(line, sizes) : undefined,
        ),
      );
    kind = blocks.at(-1)?.kind ?? null;
    before = line;
  }
  return blocks;
}

function joinLine(text: string, line: string, kind: string, next: string): string {
  if (next === 'list') return `${text}\n${line.replace(/^[•‣●▪]\s*\|?\s*/, '- ')}`;
  if (kind === 'table') return `${text}\n${line}`;
  // A word that was parted at the line's end.
  if (/\p{L}-$/u.test(text) && /^\p{Ll}/u.test(line)) return text.slice(0, -1) + line;
  const noSpace = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u.test(text);
  return noSpace ? text + line : `${text} ${line}`;
}

const isHeading = (line: PdfLine, bodySize: number): boolean =>
  line.size > bodySize * HEADING_RATIO && line.text.length <= HEADING_MAX_UNITS && /\p{L}/u.test(line.text);

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
