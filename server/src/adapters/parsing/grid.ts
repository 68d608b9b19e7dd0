import { LIMITS } from './fault.ts';

/** A table whose cells span columns and rows → plain rows, in which each column keeps its place. */

export interface GridCell {
  text: string;
  /** Columns and rows that it covers (from 1). */
  columns?: number;
  rows?: number;
}

const MAX_SPAN = 1_000;
/** Cells that spans may add to those that are there. */
const MAX_ADDED = 50_000;

/**
 * What a cell covers repeats its text, so that each row says by itself what it belongs to; a cell across a whole row (a
 * title between rows) stands once.
 */
export function createGrid() {
  const rows: string[][] = [];
  /** Column → text and how many more rows it covers. */
  let hanging = new Map<number, { text: string; rows: number }>();
  let added = 0;
  let widest = 0;

  return {
    rows,
    addRow(cells: readonly GridCell[], skipped = 0): void {
      const row: string[] = Array.from({ length: Math.min(skipped, MAX_SPAN) }, () => '');
      const next = new Map<number, { text: string; rows: number }>();
      const takeHanging = () => {
        for (let above = hanging.get(row.length); above; above = hanging.get(row.length)) {
          if (above.rows > 1) next.set(row.length, { text: above.text, rows: above.rows - 1 });
          hanging.delete(row.length);
          row.push(above.text);
          added++;
        }
      };
      for (const { text, columns = 1, rows: deep = 1 } of cells) {
        takeHanging();
        // Beyond the bound spans count no more.
        const open = added < MAX_ADDED;
        const wide = open ? Math.max(1, Math.min(columns, MAX_SPAN)) : 1;
        for (let i = 0; i < wide && row.length < LIMITS.columns; i++) {
          if (deep > 1 && open) next.set(row.length, { text, rows: Math.min(deep, 65_534) - 1 });
          if (i > 0) added++;
          row.push(text);
        }
      }
      takeHanging();
      for (const [column, above] of [...hanging].sort((a, b) => a[0] - b[0])) {
        while (row.length < column) row.push('');
        if (above.rows > 1) next.set(column, { text: above.text, rows: above.rows - 1 });
        row.push(above.text);
        added++;
      }
      hanging = added < MAX_ADDED ? next : new Map();
      widest = Math.max(widest, row.length);
      const [only] = cells;
      const isTitle =
        cells.length === 1 && only !== undefined && (only.columns ?? 1) > 1 && row.length === widest;
      rows.push(isTitle ? [only.text] : row);
    },
  };
}
