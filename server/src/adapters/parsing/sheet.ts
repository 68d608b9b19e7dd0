import type { DocumentBlock } from '../../kernel/parser.ts';
import { block, tableBlock } from './blocks.ts';
import type { LeftOutCount } from './left-out.ts';

/** From the cells of a sheet to the tables that people see in it; for all spreadsheet formats. */

export interface Range {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

export interface Sheet {
  /** Cells by row, from 0; rows without cells are absent. */
  rows: Map<number, string[]>;
  merges: Range[];
  hiddenColumns: [from: number, to: number][];
  hiddenRows: Set<number>;
}

const MAX_MERGED_CELLS = 200_000;

/** `B2:C9` or `B2`, counted from 0. */
export function rangeOf(reference: string): Range | null {
  const match = /^\$?([A-Z]{1,4})\$?(\d{1,7})(?::\$?([A-Z]{1,4})\$?(\d{1,7}))?$/.exec(reference);
  if (!match) return null;
  const [, left = '', top = '', right = left, bottom = top] = match;
  return { left: columnOf(left), top: Number(top) - 1, right: columnOf(right), bottom: Number(bottom) - 1 };
}

const columnOf = (letters: string): number =>
  [...letters].reduce((index, char) => index * 26 + char.charCodeAt(0) - 64, 0) - 1;

export function sheetBlocks(
  sheet: Sheet,
  tables: readonly { name: string; range: Range }[],
  leftOut: LeftOutCount,
): DocumentBlock[] {
  fillMerges(sheet);
  const isHiddenColumn = (column: number) =>
    sheet.hiddenColumns.some(([from, to]) => column >= from && column <= to);
  const hiddenColumns = new Set<number>();
  const visible = new Map<number, string[]>();
  for (const [at, cells] of [...sheet.rows].sort((a, b) => a[0] - b[0])) {
    if (sheet.hiddenRows.has(at)) {
      leftOut.add('hidden_rows');
      continue;
    }
    cells.forEach((cell, column) => {
      if (cell !== '' && isHiddenColumn(column)) hiddenColumns.add(column);
    });
    visible.set(at, cells);
  }
  leftOut.add('hidden_columns', hiddenColumns.size);
  const shownOf = (cells: readonly string[], from: number): string[] =>
    cells.filter((_, i) => !isHiddenColumn(from + i));
  const named = tables.flatMap(({ name, range }) => {
    const rows: string[][] = [];
    for (const [at, cells] of visible) {
      if (at < range.top || at > range.bottom) continue;
      rows.push(shownOf(cells.slice(range.left, range.right + 1), range.left));
      for (let c = range.left; c <= range.right && c < cells.length; c++) cells[c] = '';
    }
    const blocks = tableBlock(rows);
    return blocks.length > 0 ? [block('heading', name, null, 2), ...blocks] : [];
  });
  const rest = [...visible].map(([at, cells]): [number, string[]] => [at, shownOf(cells, 0)]);
  return [...freeBlocks(rest), ...named];
}

/** What a merged cell covers says its text too; one across a whole row stays a line of its own. */
function fillMerges({ rows, merges }: Sheet): void {
  let filled = 0;
  for (const { top, left, bottom, right } of merges) {
    const text = rows.get(top)?.[left] ?? '';
    if (text === '') continue;
    const others = rows.get(top)?.some((cell, column) => cell !== '' && (column < left || column > right));
    // A title over a table is no cell of it.
    const wide = top === bottom && right > left && !others ? left : right;
    for (let r = top; r <= bottom && filled < MAX_MERGED_CELLS; r++) {
      const row = rows.get(r) ?? [];
      if (!rows.has(r) && r > top) continue;
      for (let c = left; c <= wide; c++) {
        while (row.length <= c) row.push('');
        if (row[c] === '') row[c] = text;
        filled++;
      }
    }
  }
}

const filledIn = (row: readonly string[]): number => row.filter((cell) => cell !== '').length;
const isNumeric = (cell: string): boolean => /\d/.test(cell) && !/\p{L}{3}/u.test(cell);

/** A row that names columns: words alone, and something below it that is not. */
const looksLikeHead = (row: readonly string[], next: readonly string[] | undefined): boolean =>
  filledIn(row) >= 2 && !row.some(isNumeric) && (next ?? []).some(isNumeric);

/**
 * Runs of rows as tables. Lines of one cell above a table are text, so that its first row is its head; after an empty row
 * a new table begins where a new head stands.
 */
function freeBlocks(rows: readonly [at: number, cells: string[]][]): DocumentBlock[] {
  const blocks: DocumentBlock[] = [];
  let table: string[][] = [];
  const flush = () => {
    blocks.push(...tableBlock(table));
    table = [];
  };
  const shown = rows.filter(([, cells]) => filledIn(cells) > 0);
  const widest = Math.max(0, ...shown.slice(0, 10_000).map(([, cells]) => filledIn(cells)));
  shown.forEach(([at, cells], i) => {
    const gap = i > 0 && at - (shown[i - 1]?.[0] ?? 0) > 1;
    const next = shown[i + 1]?.[1];
    const isLine = widest > 1 && filledIn(cells) === 1;
    const opens = isLine && next !== undefined && looksLikeHead(next, shown[i + 2]?.[1]);
    if (gap && table.length > 0 && (looksLikeHead(cells, next) || opens)) flush();
    if (isLine && table.length === 0) blocks.push(block('text', cells.find((cell) => cell !== '') ?? ''));
    else table.push(cells);
  });
  flush();
  return blocks;
}
