import type { PdfRun } from './pdf-run.ts';
import { CELL_GAP } from './pdf-runs.ts';

/** A stretch of a line without a wide gap in it. */
export interface Piece {
  text: string;
  x: number;
  end: number;
}

/** One base line of a page; sizes and places in points, y from the bottom. */
export interface PdfLine {
  text: string;
  x: number;
  y: number;
  size: number;
  frame: number;
  /** In reading order: from the right where the line reads leftwards. */
  pieces: Piece[];
  rtl: boolean;
  /** Rows of one table have the same number; null outside of tables. */
  table: number | null;
  /** A label with what was filled in beside it. */
  filled: boolean;
}

interface OpenLine extends PdfLine {
  runUnits: number;
}

/** Without a table around it, a gap this wide (in sizes) still parts a name from its value. */
const LONE_GAP = 3;
/** In sizes, from which on two runs are two words; less where a blank is drawn between them. */
const WORD_GAP = 0.15;
const SPACED_GAP = -0.05;
const SIGN_OF_LIST = /^[-•‣●▪*–]$/;

/** Joins the runs of one base line, in the order of their drawing, and puts what was filled in at its place. */
export function linesOf(runs: readonly PdfRun[], filled: readonly PdfRun[]): PdfLine[] {
  const lines: OpenLine[] = [];
  for (const run of runs) {
    const line = lines.at(-1);
    if (line && isSameLine(line, run)) append(line, run);
    else lines.push(startLine(run));
  }
  for (const run of filled) fillIn(lines, run);
  return lines.map(({ runUnits: _, ...line }) => ({ ...line, text: lineText(line) }));
}

const startLine = (run: PdfRun): OpenLine => ({
  text: '',
  x: run.x,
  y: run.y,
  size: run.size,
  frame: run.frame,
  rtl: run.rtl,
  pieces: [{ text: run.text, x: run.x, end: run.end }],
  table: null,
  filled: false,
  runUnits: run.text.length,
});

function isSameLine(line: OpenLine, run: PdfRun): boolean {
  if (line.frame !== run.frame) return false;
  if (Math.abs(line.y - run.y) > Math.max(line.size, run.size) * 0.5) return false;
  const last = line.pieces.at(-1);
  // Text that reads leftwards comes from either side.
  return line.rtl || run.rtl || !last || run.x - last.end >= -run.size * 3;
}

function append(line: OpenLine, run: PdfRun): void {
  const last = line.pieces.at(-1);
  const rtl = line.rtl || run.rtl;
  const gap = !last ? 0 : rtl ? Math.max(last.x - run.end, run.x - last.end) : run.x - last.end;
  if (!last || gap > run.size * CELL_GAP) {
    line.pieces.push({ text: run.text, x: run.x, end: run.end });
  } else {
    const least = run.spaced ? SPACED_GAP : WORD_GAP;
    const blank = /\s$/.test(last.text) || /^\s/.test(run.text) || gap < run.size * least ? '' : ' ';
    last.text += `${blank}${run.text}`;
    last.x = Math.min(last.x, run.x);
    last.end = Math.max(last.end, run.end);
  }
  line.rtl = rtl;
  line.x = Math.min(line.x, run.x);
  // The size of its longest run: bullets and initials are often larger.
  if (run.text.length > line.runUnits) {
    line.size = run.size;
    line.runUnits = run.text.length;
  }
}

/** A value goes to the label left of it on its line, else into a cell or a line of its own. */
function fillIn(lines: OpenLine[], run: PdfRun): void {
  const near = lines
    .filter((line) => line.frame === 0 && Math.abs(line.y - run.y) < Math.max(line.size, run.size) * 0.9)
    .sort((a, b) => Math.abs(a.y - run.y) - Math.abs(b.y - run.y))[0];
  if (!near) {
    const below = lines.findIndex((line) => line.frame === 0 && line.y < run.y);
    lines.splice(below < 0 ? lines.length : below, 0, startLine(run));
    return;
  }
  const after = near.pieces.findLastIndex((piece) => piece.x < run.x);
  const label = near.pieces[after];
  const next = near.pieces[after + 1];
  const isBox = run.text === '☒' || run.text === '☐';
  if (isBox && next && next.x - run.end < run.size * 2) next.text = `${run.text} ${next.text}`;
  else if (label && (/[:：?]$/.test(label.text.trim()) || run.x - label.end < run.size * CELL_GAP)) {
    label.text = `${label.text.trim()} ${run.text}`;
    label.end = Math.max(label.end, run.end);
    near.filled = true;
  } else near.pieces.splice(after + 1, 0, { text: run.text, x: run.x, end: run.end });
  near.x = Math.min(near.x, run.x);
}

const tidy = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** As prose, with marks where only a very wide gap can be meant. */
export function lineText({ pieces, size, rtl }: Pick<PdfLine, 'pieces' | 'size' | 'rtl'>): string {
  let text = '';
  pieces.forEach((piece, i) => {
    const before = pieces[i - 1];
    const gap = !before ? 0 : rtl ? before.x - piece.end : piece.x - before.end;
    const wide = gap > size * LONE_GAP && !SIGN_OF_LIST.test(text.trim());
    text += `${i === 0 ? '' : wide ? ' | ' : ' '}${piece.text}`;
  });
  return tidy(text);
}
