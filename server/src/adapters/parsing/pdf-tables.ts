import type { PdfLine, Piece } from './pdf-lines.ts';

/** Rows of tables by the places of their cells: an empty cell stays an empty cell. */

interface Column {
  from: number;
  to: number;
}

/** In sizes: how far apart rows are at most, and lines within one row. */
const ROW_REACH = 3.2;
const WRAP_RATIO = 0.75;
/** Words of a piece from which on it is prose in columns rather than a cell. */
const PROSE_WORDS = 5;
const PROSE_ROWS = 5;
/** In sizes: gaps of stretched prose stay below. */
const STRETCH = 2.5;
/** Of the pieces of such lines, more than this share begin in the middle of a sentence. */
const PROSE_SHARE = 0.6;

/** Lines of a page → the same, with rows of tables told and joined. `next` numbers the tables of the document. */
export function findTables(lines: readonly PdfLine[], next: () => number): PdfLine[] {
  const out: PdfLine[] = [];
  for (let i = 0; i < lines.length; ) {
    const group = groupAt(lines, i);
    const line = lines[i];
    if (group.length < 2) {
      if (line) out.push(line);
      i++;
      continue;
    }
    out.push(...groupLines(group, next));
    i += group.length;
  }
  return out;
}

/** The longest run of lines from here whose pieces stand in at least two common columns. */
function groupAt(lines: readonly PdfLine[], start: number): PdfLine[] {
  const first = lines[start];
  if (!first || first.pieces.length < 2) return [];
  const group = [first];
  let columns = columnsOf(group);
  for (let i = start + 1; i < lines.length; i++) {
    const line = lines[i];
    const last = group.at(-1);
    if (!line || !last || !isBelow(last, line)) break;
    const wider = columnsOf([...group, line]);
    // One piece fits where it stands within a column: a row with one cell, or the next line of a cell.
    const fits =
      line.pieces.length > 1 ? wider.length > 1 : isWithin(line, columns) && line.size <= last.size * 1.05;
    if (!fits || wider.length < Math.min(2, columns.length)) break;
    group.push(line);
    columns = wider;
  }
  while (group.length > 1 && (group.at(-1)?.pieces.length ?? 0) < 2 && !isCell(group)) group.pop();
  return group;
}

const isBelow = (above: PdfLine, line: PdfLine): boolean =>
  above.frame === line.frame &&
  above.rtl === line.rtl &&
  above.y > line.y &&
  above.y - line.y < Math.max(above.size, line.size) * ROW_REACH;

const isWithin = ({ pieces: [piece] }: PdfLine, columns: readonly Column[]): boolean =>
  piece !== undefined && columns.filter(({ from, to }) => piece.x < to && piece.end > from).length === 1;

/** Whether the last line can be the end of a cell: close below, and not at the left edge. */
function isCell(group: readonly PdfLine[]): boolean {
  const [above, last] = [group.at(-2), group.at(-1)];
  const first = columnsOf(group)[0];
  if (!above || !last || !first) return false;
  return (last.pieces[0]?.x ?? 0) > first.to && above.y - last.y < last.size * 1.75;
}

/** Stretches that pieces cover, with white between them all the way down; a title over several of them does not join them. */
export function columnsOf(lines: readonly PdfLine[]): Column[] {
  const strict = covered(lines, 0);
  const spanning = lines.length >= 4 ? covered(lines, Math.max(1, Math.floor(lines.length * 0.1))) : [];
  const usual = median(lines.map((line) => line.pieces.length));
  return strict.length < usual && spanning.length > strict.length ? spanning : strict;
}

function covered(lines: readonly PdfLine[], spared: number): Column[] {
  const edges = lines
    .flatMap((line) =>
      line.pieces.flatMap(({ x, end }): [number, 1 | -1][] => [
        [x, 1],
        [Math.max(x, end), -1],
      ]),
    )
    .sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  const columns: Column[] = [];
  let depth = 0;
  for (const [at, step] of edges) {
    const before = depth;
    depth += step;
    if (before <= spared && depth > spared) columns.push({ from: at, to: at });
    const open = columns.at(-1);
    if (open && before > spared) open.to = at;
  }
  return columns;
}

const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

const wordsOf = (text: string): number => text.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length;

function groupLines(group: readonly PdfLine[], next: () => number): PdfLine[] {
  const columns = columnsOf(group);
  const pieces = group.flatMap((line) => line.pieces);
  const words = pieces.reduce((sum, { text }) => sum + wordsOf(text), 0) / pieces.length;
  const stretched = widestGap(group) < STRETCH;
  if (columns.length < 2 || (stretched && (words >= PROSE_WORDS || isProse(pieces)))) return [...group];
  if (columns.length <= 3 && words >= PROSE_WORDS && group.length >= PROSE_ROWS && !isRagged(group))
    return proseColumns(group, columns);
  const table = next();
  return rowsOf(group, columns).map(({ line, cells }) => ({
    ...line,
    table,
    text: (line.rtl ? [...cells].reverse() : cells)
      .map((cell) => cell.replace(/\s+/g, ' ').trim())
      .join(' | ')
      .replace(/( \| *)+$/, ''),
  }));
}

const isProse = (pieces: readonly Piece[]): boolean =>
  pieces.filter(({ text }) => /^\p{Ll}/u.test(text)).length > pieces.length * PROSE_SHARE;

/** Cells of a text table end where they like; columns of prose are full on most lines. */
const isRagged = (group: readonly PdfLine[]): boolean =>
  group.filter((line) => line.pieces.length >= 2 && line.pieces.every((p) => wordsOf(p.text) >= 3)).length <
  group.length * 0.7;

const widestGap = (group: readonly PdfLine[]): number =>
  Math.max(
    ...group.flatMap(({ pieces, size }) =>
      pieces.slice(1).map((piece, i) => {
        const before = pieces[i] as Piece;
        return Math.max(piece.x - before.end, before.x - piece.end) / size;
      }),
    ),
  );

/** Prose that was drawn across its columns: one column after the other. */
function proseColumns(group: readonly PdfLine[], columns: readonly Column[]): PdfLine[] {
  const order = group.some((line) => line.rtl) ? [...columns].reverse() : columns;
  return order.flatMap((column) =>
    group.flatMap((line): PdfLine[] => {
      const own = line.pieces.filter((piece) => columns[columnOf(piece, columns)] === column);
      if (own.length === 0) return [];
      const text = own
        .map((piece) => piece.text)
        .join(' ')
        .replace(/\s+/g, ' ')
        .trim();
      return [{ ...line, text, x: Math.min(...own.map((p) => p.x)), pieces: own }];
    }),
  );
}

/** The column that most of the piece stands in, else the nearest. */
function columnOf(piece: Piece, columns: readonly Column[]): number {
  let best = 0;
  let most = Number.NEGATIVE_INFINITY;
  columns.forEach(({ from, to }, i) => {
    const shared = Math.min(piece.end, to) - Math.max(piece.x, from);
    if (shared > most) {
      most = shared;
      best = i;
    }
  });
  return best;
}

function rowsOf(group: readonly PdfLine[], columns: readonly Column[]): { line: PdfLine; cells: string[] }[] {
  const pitch = median(group.slice(1).map((line, i) => (group[i]?.y ?? line.y) - line.y));
  const rows: { line: PdfLine; cells: string[]; y: number }[] = [];
  for (const line of group) {
    const cells = columns.map(() => '');
    for (const piece of line.pieces) {
      const at = columnOf(piece, columns);
      cells[at] = cells[at] === '' ? piece.text : `${cells[at]} ${piece.text}`;
    }
    const above = rows.at(-1);
    const key = line.rtl ? cells.length - 1 : 0;
    if (above && cells[key] === '' && above.y - line.y < pitch * WRAP_RATIO && goesOn(above.cells, cells)) {
      cells.forEach((cell, i) => {
        if (cell !== '') above.cells[i] = `${above.cells[i]} ${cell}`;
      });
      above.y = line.y;
    } else rows.push({ line, cells, y: line.y });
  }
  return rows;
}

/** Cells of a further line stand under cells that have begun. */
const goesOn = (above: readonly string[], cells: readonly string[]): boolean =>
  cells.every((cell, i) => cell === '' || above[i] !== '');
