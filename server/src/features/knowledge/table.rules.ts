import type { DocumentBlock } from '../../kernel/parser.ts';
import type { DataTable, TableColumnType } from '../../kernel/table-sql.ts';

/** From the table blocks of a parsed spreadsheet or CSV file to typed tables that SQL can be asked over. */

const NUMBER = /^[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:e[-+]?\d{1,3})?$/i;
const COMMA_NUMBER = /^[-+]?(?:\d{1,3}(?:\.\d{3})+|\d+),\d+$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z?$/;
const AROUND_NUMBER = /^[$€£]\s?|\s?[%€$£]$/g;

/** Plain decimal notation, or null. Signs of currency and percent fall away: 45% is 45. */
export const numberText = (cell: string): string | null => {
  const bare = cell.replace(AROUND_NUMBER, '').replace(/^\((.+)\)$/, '-$1');
  if (/\d/.test(bare) && NUMBER.test(bare)) return bare.replaceAll(',', '').replace(/^\+/, '');
  // 1.234,56 as much of Europe writes it; 1,234 is a thousand.
  if (COMMA_NUMBER.test(bare) && !/^[-+]?\d{1,3},\d{3}$/.test(bare))
    return bare.replaceAll('.', '').replace(',', '.').replace(/^\+/, '');
  return null;
};

const typeOf = (cells: readonly string[]): TableColumnType => {
  const filled = cells.filter((cell) => cell !== '');
  if (filled.length === 0) return 'text';
  if (filled.every((cell) => DATE.test(cell))) return 'date';
  if (filled.every((cell) => DATE.test(cell) || TIMESTAMP.test(cell))) return 'timestamp';
  // 00123 is a code, not a number.
  if (filled.every((cell) => numberText(cell) !== null && !/^0\d/.test(cell))) return 'number';
  return 'text';
};

/** A plain identifier: small letters, digits, underscores; distinct among `taken`. */
export const identifier = (text: string, fallback: string, taken: Set<string>): string => {
  const base =
    text
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
      .replaceAll(/^_|_$/g, '')
      .slice(0, 60) || fallback;
  const start = /^\p{N}/u.test(base) ? `c_${base}` : base;
  let name = start;
  for (let n = 2; taken.has(name); n++) name = `${start}_${n}`;
  taken.add(name);
  return name;
};

const cellsOf = (line: string): string[] => line.split(' | ').map((cell) => cell.trim());

export const MAX_TABLE_ROWS = 200_000;

/** One table: the first line is its head. Null where there is nothing below it. */
export const tableOf = (name: string, text: string): DataTable | null => {
  const [head, ...body] = text.split('\n', MAX_TABLE_ROWS + 1).map(cellsOf);
  if (head === undefined || body.length === 0) return null;
  const width = Math.max(head.length, ...body.slice(0, 1_000).map((row) => row.length));
  const taken = new Set<string>();
  const names = Array.from({ length: width }, (_, i) => identifier(head[i] ?? '', `column_${i + 1}`, taken));
  const rows = body.map((row) =>
    Array.from({ length: width }, (_, i) =>
      // What is left over belongs to the last cell, which held the separator itself.
      i === width - 1 && row.length > width ? row.slice(i).join(' | ') : (row[i] ?? ''),
    ),
  );
  const types = names.map((_, i) => typeOf(rows.map((row) => row[i] ?? '')));
  return {
    name,
    columns: names.map((column, i) => ({ name: column, type: types[i] ?? 'text' })),
    rows: rows.map((row) =>
      row.map((cell, i) => (cell === '' ? null : types[i] === 'number' ? numberText(cell) : cell)),
    ),
  };
};

/** All tables of a document, named after the heading above them (the sheet), the first also `data` when it has none. */
export const tablesOf = (blocks: readonly DocumentBlock[]): DataTable[] => {
  const taken = new Set<string>();
  let heading = '';
  return blocks.flatMap((block): DataTable[] => {
    if (block.kind === 'heading') heading = block.text;
    if (block.kind !== 'table') return [];
    const table = tableOf(identifier(heading, 'data', taken), block.text);
    return table === null ? [] : [table];
  });
};
