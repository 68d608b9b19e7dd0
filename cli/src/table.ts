import { fit, oneLine, pad, widthOf } from './text.ts';

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
      .map((cell, n) => pad(fit(cell, widths[n] ?? 0), widths[n] ?? 0))
      .join(' '.repeat(GAP))
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
};

/** One record: a line for each field. */
export const recordText = (value: unknown): string => {
  if (!isRecord(value)) return `${shown(value)}\n`;
  const names = Object.keys(value);
  const width = Math.max(0, ...names.map((name) => name.length));
  return names
    .map((name) => {
      const field = value[name];
      const text =
        typeof field === 'string' && field.includes('\n')
          ? `\n${field
              .split('\n')
              .map((line) => `  ${oneLine(line)}`)
              .join('\n')}`
          : shown(field);
      return `${name.padEnd(width)}  ${text}\n`;
    })
    .join('');
};
