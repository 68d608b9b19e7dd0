import type { ParsedDocument } from '../../server/src/kernel/parser.ts';
import type { Input } from './inputs.ts';

/** What a reader has made of a file, beside what stands in it. Shares from 0 to 1; null: the file has none of it, or the reader. */
export interface Scores {
  words: number | null;
  order: number | null;
  cells: number | null;
  pages: number | null;
  numbers: number | null;
}

/** Page by page, as text. */
export const read = ({ blocks, pageCount }: ParsedDocument): string[] => {
  const pages: string[] = Array.from({ length: Math.max(1, pageCount ?? 1) }, () => '');
  for (const { text, page } of blocks) {
    const at = Math.min(pages.length, page ?? 1) - 1;
    pages[at] = `${pages[at]}${text}\n\n`;
  }
  return pages;
};

export const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .replaceAll(/<!--.*?-->|[*_\\]/gs, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Length of the longest sequence that both have in this order. */
const inOrder = (a: readonly string[], b: readonly string[]): number => {
  let row = new Uint32Array(b.length + 1);
  for (const word of a) {
    const next = new Uint32Array(b.length + 1);
    for (let j = 1; j <= b.length; j++)
      next[j] = word === b[j - 1] ? (row[j - 1] ?? 0) + 1 : Math.max(row[j] ?? 0, next[j - 1] ?? 0);
    row = next;
  }
  return row[b.length] ?? 0;
};

const recallOf = (wanted: readonly string[], found: readonly string[]): number => {
  const left = new Map<string, number>();
  for (const word of found) left.set(word, (left.get(word) ?? 0) + 1);
  const has = wanted.filter((word) => {
    const count = left.get(word) ?? 0;
    left.set(word, count - 1);
    return count > 0;
  });
  return has.length / wanted.length;
};

/** Of a line of a table, by its bars, tabs or wide gaps; cells of Markdown keep their spaces within. */
const cellsOf = (line: string): string[] => {
  const bare = line.trim().replace(/^\|/, '').replace(/\|$/, '');
  const parts = line.includes('|')
    ? (line.trim().startsWith('|') ? bare : line).split('|')
    : line.split(/\t| {2,}/);
  return parts.map((part) => part.trim().replace(/^NaN$/, ''));
};

const sameRow = (row: readonly string[], cells: readonly string[]): boolean => {
  const length = Math.max(row.length, cells.length);
  return Array.from({ length }, (_, c) => (row[c] ?? '') === (cells[c] ?? '')).every(Boolean);
};

/** Cells that stand in their column, of all; a row counts where its first cell is found. */
const cellShare = (rows: readonly (readonly string[])[], lines: readonly string[]): number => {
  const found = lines.map(cellsOf);
  const right = rows.filter((row) => found.some((cells) => sameRow(row, cells)));
  return right.length / rows.length;
};

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

const numberShare = (items: readonly (readonly [string, string])[], text: string): number =>
  items.filter(([number, said]) =>
    new RegExp(`(^|\\s)${escaped(number)}\\s+\\**${escaped(said)}`, 'm').test(text),
  ).length / items.length;

const pageShare = (wanted: readonly string[], found: readonly string[]): number | null =>
  wanted.length < 2
    ? null
    : found.length < wanted.length
      ? 0
      : wanted.reduce((sum, page, n) => sum + recallOf(wordsOf(page), wordsOf(found[n] ?? '')), 0) /
        wanted.length;

export const scoresOf = ({ pages, rows, items }: Input, found: readonly string[]): Scores => {
  const text = found.join('\n');
  // Refused.
  if (text.trim() === '') return { words: null, order: null, cells: null, pages: null, numbers: null };
  const wanted = wordsOf(pages.join(' '));
  const words = wordsOf(text);
  return {
    words: recallOf(wanted, words),
    order: inOrder(wanted, words) / wanted.length,
    cells: rows === undefined ? null : cellShare(rows, text.split('\n')),
    pages: pageShare(pages, found),
    numbers: items === undefined ? null : numberShare(items, text),
  };
};
