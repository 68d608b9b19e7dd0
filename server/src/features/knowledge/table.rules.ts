import type { DocumentBlock } from '../../kernel/parser.ts';
import type { DataTable, TableColumnType } from '../../kernel/table-sql.ts';

/** From the table blocks of a parsed spreadsheet or CSV file to typed tables that SQL can be asked over. */

const NUMBER = /^[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:e[-+]?\d{1,3})?$/i;
const COMMA_NUMBER = /^[-+]?(?:\d{1,3}(?:\.\d{3})+|\d+),\d+$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z?$/;
const AROUND_NUMBER = /^[$€£]\s?|\s?[%€$£]$/g;

/** Codes and signs of money that may stand in front of a number. */
const MONEY = new Set(Intl.supportedValuesOf('currency'));
const MONEY_BEFORE = /^([A-Z]{3}|[A-Z]{0,2}\p{Sc}) ?(?=[-+\d(])/u;
const UNIT_AFTER = /(?<=\d)(?: ?)(%|\p{Sc}|[\p{L}°µ][\p{L}\d°µ²³/·.]{0,15})$/u;

/** A number with what it is counted in: `12.5 kg`, `EUR 3`, `45%`; null for anything else. */
export const measureOf = (cell: string): { number: string; unit: string } | null => {
  const before = MONEY_BEFORE.exec(cell)?.[1];
  if (before !== undefined && (MONEY.has(before) || /\p{Sc}$/u.test(before))) {
    const number = numberText(cell.slice(before.length).trim());
    return number === null ? null : { number, unit: before };
  }
  const after = UNIT_AFTER.exec(cell);
  // An exponent is no unit.
  if (after === null || /^e\d/i.test(after[1] ?? '')) {
    const number = numberText(cell);
    return number === null ? null : { number, unit: '' };
  }
  const number = numberText(cell.slice(0, after.index));
  return number === null ? null : { number, unit: after[1] ?? '' };
};

/** `1 day` and `2 days` are of one unit. */
const sameUnit = (unit: string): string => unit.toLowerCase().replace(/(?<=\p{L}{3})s$/u, '');

/** The one unit of all numbers of a column, as it is written most often; null where they have several, or are none. */
const unitOf = (cells: readonly string[]): string | null => {
  const units = new Map<string, number>();
  for (const cell of cells) {
    const measure = cell === '' ? null : measureOf(cell);
    if (cell === '') continue;
    if (measure === null || /^0\d/.test(cell)) return null;
    units.set(measure.unit, (units.get(measure.unit) ?? 0) + 1);
  }
  const named = [...units].filter(([unit]) => unit !== '');
  // A zero, or a number that was typed without: of the same unit as the others.
  if (new Set(named.map(([unit]) => sameUnit(unit))).size > 1) return null;
  return named.sort((a, b) => b[1] - a[1])[0]?.[0] ?? '';
};

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
  return unitOf(filled) === null ? 'text' : 'number';
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

/** A column's name says its unit, unless the head does. */
const nameWith = (head: string, unit: string): string => {
  const words = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const said = new Set(words(head));
  return /\p{L}/u.test(unit) && !words(unit).every((word) => said.has(word)) ? `${head} ${unit}` : head;
};

const cellsOf = (line: string): string[] => line.split(' | ').map((cell) => cell.trim());

export const MAX_TABLE_ROWS = 200_000;

/** One table: the first line is its head. Null where there is nothing below it. */
export const tableOf = (name: string, text: string): DataTable | null => {
  const [head, ...body] = text.split('\n', MAX_TABLE_ROWS + 1).map(cellsOf);
  if (head === undefined || body.length === 0) return null;
  const width = Math.max(head.length, ...body.slice(0, 1_000).map((row) => row.length));
  const taken = new Set<string>();
  const rows = body.map((row) =>
    Array.from({ length: width }, (_, i) =>
      // What is left over belongs to the last cell, which held the separator itself.
      i === width - 1 && row.length > width ? row.slice(i).join(' | ') : (row[i] ?? ''),
    ),
  );
  const columns = Array.from({ length: width }, (_, i): DataTable['columns'][number] => {
    const cells = rows.map((row) => row[i] ?? '');
    const type = typeOf(cells);
    const unit = type === 'number' ? unitOf(cells) : null;
    const column = identifier(nameWith(head[i] ?? '', unit ?? ''), `column_${i + 1}`, taken);
    return { name: column, type, ...(unit ? { unit } : {}) };
  });
  return {
    name,
    columns,
    rows: rows.map((row) =>
      row.map((cell, i) => {
        if (cell === '') return null;
        return columns[i]?.type === 'number' ? (measureOf(cell)?.number ?? null) : cell;
      }),
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
