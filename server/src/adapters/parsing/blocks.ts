import type { DocumentBlock } from '../../kernel/parser.ts';

export const block = (
  kind: DocumentBlock['kind'],
  text: string,
  page: number | null = null,
  level?: number,
): DocumentBlock => ({ kind, text, page, ...(level ? { level } : {}) });

/** One row of a table, one line. Empty rows give ''. */
export const tableRow = (cells: readonly string[]): string => {
  const clean = cells.map((cell) => cell.replace(/\s+/g, ' ').trim());
  while (clean.length > 0 && clean.at(-1) === '') clean.pop();
  return clean.join(' | ');
};

/** Rows → one table block; none for a table without text. The first `headRows` become one head. */
export const tableBlock = (
  rows: readonly (readonly string[])[],
  page: number | null = null,
  headRows = 1,
): DocumentBlock[] => {
  const lines = joinHead(rows, headRows)
    .map(tableRow)
    .filter((line) => line !== '');
  return lines.length > 0 ? [block('table', lines.join('\n'), page)] : [];
};

/** A head of several rows as one: what stands above a column, outermost first, so that a row is read by one line. */
function joinHead(rows: readonly (readonly string[])[], headRows: number): readonly (readonly string[])[] {
  if (headRows < 2 || headRows >= rows.length || headRows > 6) return rows;
  const head = rows.slice(0, headRows);
  const width = Math.max(...head.map((row) => row.length));
  const joined = Array.from({ length: width }, (_, column) =>
    [...new Set(head.map((row) => (row[column] ?? '').trim()))].filter((text) => text !== '').join(' '),
  );
  return [joined, ...rows.slice(headRows)];
}

/** White space of prose to single spaces; line breaks that the author made stay. */
export const tidy = (text: string): string =>
  text
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{2,}/g, '\n')
    .trim();

/** What no store and no encoder takes: NUL, lone surrogates. Empty blocks fall away. */
export const cleanBlocks = (blocks: readonly DocumentBlock[]): DocumentBlock[] =>
  blocks
    .map((b) => ({
      ...b,
      text: b.text
        .toWellFormed()
        .replaceAll('\u0000', '')
        .replace(/^\n+|\s+$/g, ''),
    }))
    .filter((b) => b.text.trim() !== '');
