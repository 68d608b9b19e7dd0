import { oneLine, pad, shorten, widthOf } from './text.ts';

/** Rows as columns. Narrow terminals shorten the widest columns; ids and what is piped stay whole. */

const GAP = 2;
const NARROWEST = 8;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A field by its path, such as `tally.approve`. */
export const at = (value: unknown, path: string): unknown => {
  let current = value;
  for (const name of path.split('.')) current = isRecord(current) ? current[name] : undefined;
  return current;
};

/** A value in one line. */
export const shown = (value: unknown): string => {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'string') return oneLine(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) {
    return value.length === 0 ? '–' : value.map(shown).join(', ');
  }
  return oneLine(JSON.stringify(value));
};

const fixed = (column: string): boolean =>
  column === 'id' || column.endsWith('_id') || column.endsWith('_at');

const widthsFor = (columns: readonly string[], cells: readonly string[][], room: number): number[] => {
  const widths = columns.map((_column, n) => Math.max(0, ...cells.map((row) => widthOf(row[n] ?? ''))));
  const total = (): number => widths.reduce((sum, width) => sum + width, GAP * (columns.length - 1));
  while (total() > room) {
    let widest = -1;
    for (const [n, width] of widths.entries()) {
      const may = !fixed(columns[n] ?? '') && width > NARROWEST;
      if (may && (widest < 0 || width > (widths[widest] ?? 0))) widest = n;
    }
    if (widest < 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
};

/** @param room columns of the terminal; Infinity keeps everything whole. */
export const tableText = (columns: readonly string[], rows: readonly unknown[], room: number): string => {
  const head = columns.map((column) => column.replaceAll('_', ' ').replaceAll('.', ' ').toUpperCase());
  const cells = [head, ...rows.map((row) => columns.map((column) => shown(at(row, column))))];
  const widths = widthsFor(columns, cells, room);
  const lines = cells.map((row) =>
    row
      .map((cell, n) => pad(shorten(cell, widths[n] ?? 0), widths[n] ?? 0))
      .join(' '.repeat(GAP))
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
};

const flat = (value: unknown): boolean =>
  typeof value !== 'object' || (Array.isArray(value) && value.every((item) => typeof item !== 'object'));

/** Records that can stand as rows below their field: all with the same plain fields. */
const rowsOf = (value: unknown): { columns: string[]; rows: Record<string, unknown>[] } | null => {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isRecord)) return null;
  const rows = value.filter(isRecord);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((column) =>
    rows.every((row) => row[column] === null || row[column] === undefined || flat(row[column])),
  );
  return columns.length === 0 ? null : { columns, rows };
};

const indented = (text: string): string =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => `\n  ${line}`)
    .join('');

const fieldText = (field: unknown, room: number): string => {
  const table = rowsOf(field);
  if (table !== null) return indented(tableText(table.columns, table.rows, room - 2));
  if (isRecord(field) && Object.keys(field).length > 0) return indented(recordText(field, room - 2));
  if (typeof field === 'string' && field.includes('\n')) {
    return indented(field.split('\n').map(oneLine).join('\n'));
  }
  return shown(field);
};

/** One record: a line for each field, what is inside of it indented below. */
export const recordText = (value: unknown, room = Number.POSITIVE_INFINITY): string => {
  if (!isRecord(value)) return `${shown(value)}\n`;
  const names = Object.keys(value);
  const width = Math.max(0, ...names.map((name) => name.length));
  return names
    .map((name) => {
      const text = fieldText(value[name], room);
      return text.startsWith('\n') ? `${name}${text}\n` : `${name.padEnd(width)}  ${text}\n`;
    })
    .join('');
};
