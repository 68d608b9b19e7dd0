import { own } from '../../kernel/own.ts';
import type { DocumentBlock } from '../../kernel/parser.ts';
import { block, tidy } from './blocks.ts';
import type { OdfContext } from './odf-story.ts';
import { type Range, rangeOf, type Sheet, sheetBlocks } from './sheet.ts';
import { trimmed } from './xlsx-format.ts';
import { readXml } from './xml.ts';

/** Sheets of OpenDocument (ISO/IEC 26300, 9), as `xlsx.ts` reads those of Excel: values with their units, not as rounded on the screen. */

interface OpenSheet {
  name: string;
  sheet: Sheet;
  /** Text boxes, charts and comments. */
  over: DocumentBlock[];
}

interface OpenCell {
  attributes: Record<string, string>;
  lines: string[];
}

const MAX_COLUMNS = 512;
const MAX_REPEATED_ROWS = 1_000;
const MAX_CELLS = 2_000_000;

const count = (value: string | undefined): number => Math.max(1, Number.parseInt(value ?? '1', 10) || 1);
const isHidden = (a: Record<string, string>): boolean =>
  a['table:visibility'] === 'collapse' || a['table:visibility'] === 'filter';

export function readOds(xml: Uint8Array, context: OdfContext): DocumentBlock[] {
  const workbook = createWorkbook(context);
  readXml(xml, workbook);
  return workbook.end();
}

function createWorkbook(context: OdfContext) {
  const sheets: OpenSheet[] = [];
  const named: { sheet: string; name: string; range: Range }[] = [];
  let current: OpenSheet | null = null;
  let place = { row: 0, column: 0, columns: 0 };
  let rowRepeated = 1;
  let cell: OpenCell | null = null;
  let cells = 0;
  let box: string[] | null = null;
  let comment: string[] | null = null;
  let author = '';
  let hasObject = false;

  const say = (text: string) => {
    const lines = comment ?? box ?? cell?.lines;
    if (lines && lines.length > 0) lines.push(`${lines.pop() ?? ''}${text}`);
  };

  function openTable(a: Record<string, string>): void {
    if (context.styles.isHidden(`table/${a['table:style-name'] ?? ''}`)) {
      context.leftOut.add('hidden_sheets');
      return;
    }
    const sheet: Sheet = { rows: new Map(), merges: [], hiddenColumns: [], hiddenRows: new Set() };
    current = { name: a['table:name'] ?? '', sheet, over: [] };
    place = { row: 0, column: 0, columns: 0 };
    sheets.push(current);
  }

  function openColumn(a: Record<string, string>): void {
    const repeated = count(a['table:number-columns-repeated']);
    if (isHidden(a)) current?.sheet.hiddenColumns.push([place.columns, place.columns + repeated - 1]);
    place.columns += repeated;
  }

  function closeCell(): void {
    if (!cell || !current) return;
    const { attributes: a, lines } = cell;
    cell = null;
    const repeated = count(a['table:number-columns-repeated']);
    const text = cellText(a, tidy(lines.join('\n')));
    const { row, column } = place;
    place.column += repeated;
    if (text !== '' && column >= MAX_COLUMNS) context.leftOut.add('far_cells');
    if (text === '' || column >= MAX_COLUMNS || cells > MAX_CELLS) return;
    const into = current.sheet.rows.get(row) ?? [];
    current.sheet.rows.set(row, into);
    while (into.length < column) into.push('');
    for (let i = column; i < Math.min(column + repeated, MAX_COLUMNS); i++, cells++) into[i] = text;
    const columns = count(a['table:number-columns-spanned']);
    const rows = count(a['table:number-rows-spanned']);
    if (columns > 1 || rows > 1)
      current.sheet.merges.push({
        top: row,
        left: column,
        bottom: row + rows - 1,
        right: column + columns - 1,
      });
  }

  function closeRow(): void {
    const { row } = place;
    const own = current?.sheet.rows.get(row);
    const isShown = !current?.sheet.hiddenRows.has(row);
    for (
      let i = 1;
      own && current && i < Math.min(rowRepeated, MAX_REPEATED_ROWS) && cells < MAX_CELLS;
      i++
    ) {
      current.sheet.rows.set(row + i, [...own]);
      if (!isShown) current.sheet.hiddenRows.add(row + i);
      cells += own.length;
    }
    place.row += rowRepeated;
    place.column = 0;
  }

  function closeComment(): void {
    const text = tidy((comment ?? []).join(' ')).replaceAll('\n', ' ');
    comment = null;
    const where = `${columnName(place.column)}${place.row + 1}`;
    if (text !== '')
      current?.over.push(block('text', `Comment on ${where}: ${author ? `${author}: ` : ''}${text}`));
    author = '';
  }

  function closeShape(): void {
    const text = tidy((box ?? []).join('\n'));
    box = null;
    if (text !== '') current?.over.push(block('text', text));
  }

  const opens: Readonly<Record<string, (a: Record<string, string>) => void>> = {
    'table:table': openTable,
    'table:table-column': openColumn,
    'table:table-row': (a) => {
      rowRepeated = count(a['table:number-rows-repeated']);
      if (isHidden(a)) current?.sheet.hiddenRows.add(place.row);
    },
    'table:table-cell': (attributes) => {
      cell = { attributes, lines: [] };
    },
    'table:covered-table-cell': (a) => {
      place.column += count(a['table:number-columns-repeated']);
    },
    'text:p': () => {
      (comment ?? box ?? cell?.lines)?.push('');
    },
    'text:s': (a) => say(' '.repeat(Math.min(count(a['text:c']), 1_000))),
    'text:tab': () => say(' '),
    'text:line-break': () => say('\n'),
    'office:annotation': () => {
      comment = [];
    },
    'draw:frame': () => {
      hasObject = false;
    },
    'draw:text-box': () => {
      box = [];
    },
    'draw:custom-shape': () => {
      box = [];
    },
    'draw:object': (a) => {
      hasObject = true;
      current?.over.push(...context.object(a['xlink:href'] ?? '').blocks);
    },
    'draw:image': () => {
      if (!hasObject) context.leftOut.add('pictures');
    },
    'table:database-range': (a) => {
      const name = a['table:name'] ?? '';
      const target = targetOf(a['table:target-range-address'] ?? '');
      if (target && !name.startsWith('__')) named.push({ ...target, name });
    },
  };
  const closes: Readonly<Record<string, () => void>> = {
    'table:table': () => {
      current = null;
    },
    'table:table-row': closeRow,
    'table:table-cell': closeCell,
    'office:annotation': closeComment,
    'draw:text-box': closeShape,
    'draw:custom-shape': closeShape,
  };

  return {
    open(name: string, a: Record<string, string>, path: readonly string[]) {
      // Past values and scenarios stand elsewhere in the file.
      if (!path.includes('table:tracked-changes')) own(opens, name)?.(a);
    },
    text(text: string, path: readonly string[]) {
      if (comment && path.at(-1) === 'dc:creator') author += text;
      else if (path.includes('text:p') && !path.includes('text:ruby-text')) say(text.replace(/\s+/g, ' '));
    },
    close(name: string, path: readonly string[]) {
      if (!path.includes('table:tracked-changes')) own(closes, name)?.();
    },
    end: (): DocumentBlock[] =>
      sheets.flatMap(({ name, sheet, over }) => {
        const tables = named.filter((one) => one.sheet === name);
        const content = [...sheetBlocks(sheet, tables, context.leftOut), ...over];
        return content.length > 0 ? [block('heading', name, null, 1), ...content] : [];
      }),
  };
}

/** `Prices.A1:Prices.B2`, or `$'My prices'.$A$1:.$B$2`. */
function targetOf(address: string): { sheet: string; range: Range } | null {
  const [first = '', last = first] = address.split(':').map((part) => part.slice(part.lastIndexOf('.') + 1));
  const [start = ''] = address.split(':');
  const sheet = start
    .slice(0, Math.max(0, start.lastIndexOf('.')))
    .replace(/^\$/, '')
    .replace(/^'|'$/g, '');
  const range = rangeOf(`${first}:${last}`);
  return range ? { sheet, range } : null;
}

/** What stands in front of and behind the number. */
function aroundNumber(shown: string): { before: string; after: string } {
  const first = shown.search(/\d/);
  if (first < 0) return { before: '', after: '' };
  const last = shown.length - 1 - [...shown].reverse().join('').search(/\d/);
  const unit = (text: string) => (/[\p{L}\p{Sc}°]/u.test(text) ? text : '');
  return {
    before: unit(shown.slice(0, first)).trim().replace(/[-+]$/, ''),
    after: unit(shown.slice(last + 1)).trimEnd(),
  };
}

/** The value in full, with the unit that its format writes beside it; dates in ISO 8601. */
function cellText(a: Record<string, string>, shown: string): string {
  const type = a['office:value-type'] ?? '';
  const value = Number(a['office:value'] ?? Number.NaN);
  if (type === 'date') return (a['office:date-value'] ?? shown).replace('T', ' ').replace(/ 00:00:00$/, '');
  if (type === 'boolean') return (a['office:boolean-value'] ?? shown).toUpperCase();
  if (!Number.isFinite(value) || !/^(float|currency|percentage)$/.test(type)) return shown;
  if (type === 'percentage') return `${trimmed(value * 100)}%`;
  const { before, after } = aroundNumber(shown);
  if (type === 'currency' && before === '' && after === '')
    return `${trimmed(value)} ${a['office:currency'] ?? ''}`.trim();
  return `${before}${trimmed(value)}${after}`;
}

function columnName(index: number): string {
  let name = '';
  for (let rest = index + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    name = String.fromCharCode(65 + ((rest - 1) % 26)) + name;
  return name;
}
