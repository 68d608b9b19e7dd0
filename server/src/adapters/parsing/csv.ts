import type { DocumentBlock } from '../../kernel/parser.ts';
import { tableBlock } from './blocks.ts';
import { fail, LIMITS } from './fault.ts';

/** Comma-, semicolon- or tab-separated values (RFC 4180) → one table. */
export function parseCsv(text: string): DocumentBlock[] {
  return tableBlock(readRows(text, delimiterOf(text)));
}

/** The candidate that splits the first lines most often, outside of quotes. */
function delimiterOf(text: string): string {
  const head = text.slice(0, 8192).replace(/"[^"]*"/g, '');
  const count = (delimiter: string) => head.split(delimiter).length;
  return [',', ';', '\t', '|'].reduce((best, d) => (count(d) > count(best) ? d : best));
}

function readRows(text: string, delimiter: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at <= text.length) {
    let cell = '';
    if (text[at] === '"') {
      let end = at + 1;
      while (end < text.length && (text[end] !== '"' || text[end + 1] === '"'))
        end += text[end] === '"' ? 2 : 1;
      cell = text.slice(at + 1, end).replaceAll('""', '"');
      at = end + 1;
    }
    const stop = nextStop(text, at, delimiter);
    cell += text.slice(at, stop);
    row.push(cell);
    if (row.length > LIMITS.columns) fail('too_large', `a row has more than ${LIMITS.columns} columns`);
    if (stop >= text.length || text[stop] === '\n') {
      rows.push(row);
      row = [];
    }
    at = stop + 1;
  }
  return rows;
}

function nextStop(text: string, from: number, delimiter: string): number {
  let at = from;
  while (at < text.length && text[at] !== delimiter && text[at] !== '\n') at++;
  return at;
}
