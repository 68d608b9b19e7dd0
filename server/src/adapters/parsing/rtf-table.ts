import type { DocumentBlock } from '../../kernel/parser.ts';
import { tableBlock } from './blocks.ts';
import { createGrid } from './grid.ts';

/** Tables of RTF: each row says for itself where its cells end, in twentieths of a point. */

export interface RtfCellPlace {
  right: number;
  /** Goes on from the cell left of it, or above it. */
  across: boolean;
  down: 'start' | 'goes_on' | null;
}

export interface RtfRow {
  cells: string[];
  places: RtfCellPlace[];
  isHead: boolean;
}

/** Edges so near to each other are one. */
const SAME_EDGE = 60;
const MAX_EDGES = 512;

export function rtfTable(rows: readonly RtfRow[]): DocumentBlock[] {
  const edges = edgesOf(rows);
  const columnOf = (right: number): number => {
    const found = edges.findIndex((edge) => edge >= right - SAME_EDGE);
    return found < 0 ? edges.length - 1 : found;
  };
  const grid = createGrid();
  let above = new Map<number, string>();
  for (const { cells, places } of rows) {
    const next = new Map<number, string>();
    const row: { text: string; columns: number }[] = [];
    let column = 0;
    cells.forEach((text, i) => {
      const place = places[i];
      const end = place ? columnOf(place.right) + 1 : column + 1;
      const columns = Math.max(1, end - column);
      const last = row.at(-1);
      if (place?.across && last) {
        last.columns += columns;
        last.text = `${last.text} ${text}`.trim();
      } else {
        const shown = place?.down === 'goes_on' ? (above.get(column) ?? text) : text;
        if (place?.down) next.set(column, shown);
        row.push({ text: shown, columns });
      }
      column += columns;
    });
    above = next;
    grid.addRow(row);
  }
  const firstBody = rows.findIndex((row) => !row.isHead);
  return tableBlock(grid.rows, null, Math.max(1, firstBody));
}

function edgesOf(rows: readonly RtfRow[]): number[] {
  const all = rows.flatMap(({ places }) => places.map(({ right }) => right)).sort((a, b) => a - b);
  const edges: number[] = [];
  for (const edge of all) {
    const last = edges.at(-1);
    if ((last === undefined || edge - last > SAME_EDGE) && edges.length < MAX_EDGES) edges.push(edge);
  }
  return edges;
}
