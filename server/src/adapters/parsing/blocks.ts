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

/** Rows → one table block; none for a table without text. */
export const tableBlock = (
  rows: readonly (readonly string[])[],
  page: number | null = null,
): DocumentBlock[] => {
  const lines = rows.map(tableRow).filter((line) => line !== '');
  return lines.length > 0 ? [block('table', lines.join('\n'), page)] : [];
};

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
