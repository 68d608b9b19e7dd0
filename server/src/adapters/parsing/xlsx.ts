import type { DocumentBlock } from '../../kernel/parser.ts';
import { block, tableBlock } from './blocks.ts';
import { coreTitle } from './office-parts.ts';
import { formatCell, readNumberFormats } from './xlsx-format.ts';
import { readRelations, readXml } from './xml.ts';
import type { Zip } from './zip.ts';

/** A cell further right than this is no table any more (one stray cell in column XFD must cost nothing). */
const MAX_COLUMNS = 512;

/** Excel workbooks (ECMA-376 part 1, 18): each visible sheet is a heading and a table; hidden rows and columns are left out. */
export function parseXlsx(zip: Zip): { title: string | null; blocks: DocumentBlock[] } {
  const relations = readRelations(zip.readText('xl/_rels/workbook.xml.rels'), 'xl');
  const target = (type: string) => [...relations.values()].find((r) => r.type === type)?.target;
  const strings = readSharedStrings(zip.readText(target('sharedStrings') ?? 'xl/sharedStrings.xml'));
  const formats = readNumberFormats(zip.readText(target('styles') ?? 'xl/styles.xml'));
  const sheets: { name: string; path: string }[] = [];
  let date1904 = false;
  readXml(zip.readText('xl/workbook.xml') ?? '', {
    open(name, a) {
      if (name === 'workbookPr') date1904 = a.date1904 === '1' || a.date1904 === 'true';
      if (name !== 'sheet' || (a.state ?? 'visible') !== 'visible') return;
      const path = relations.get(a['r:id'] ?? '')?.target;
      if (path) sheets.push({ name: a.name ?? '', path });
    },
  });
  const blocks = sheets.flatMap(({ name, path }) => {
    const rows = readSheet(zip.readText(path) ?? '', strings, (raw, style) =>
      formatCell(raw, formats[style] ?? '', date1904),
    );
    const table = tableBlock(rows);
    return table.length > 0 ? [block('heading', name, null, 1), ...table] : [];
  });
  return { title: coreTitle(zip), blocks };
}

function readSharedStrings(xml: string | null): string[] {
  const strings: string[] = [];
  let current = '';
  readXml(xml ?? '', {
    open(name) {
      if (name === 'si') current = '';
    },
    text(text, path) {
      // `rPh` holds the reading aid of Japanese text, a second copy of it.
      if (path.at(-1) === 't' && !path.includes('rPh')) current += text;
    },
    close(name) {
      if (name === 'si') strings.push(current);
    },
  });
  return strings;
}

function readSheet(
  xml: string,
  strings: string[],
  format: (raw: string, style: number) => string,
): string[][] {
  const rows: string[][] = [];
  const hiddenColumns: [number, number][] = [];
  let row: string[] | null = null;
  let column = -1;
  let type = '';
  let style = 0;
  let raw = '';
  readXml(xml, {
    open(name, a) {
      if (name === 'col' && a.hidden === '1') hiddenColumns.push([Number(a.min) - 1, Number(a.max) - 1]);
      if (name === 'row') {
        row = a.hidden === '1' ? null : [];
        column = -1;
      }
      if (name === 'c') {
        column = a.r ? columnIndex(a.r) : column + 1;
        type = a.t ?? 'n';
        style = Number(a.s ?? 0);
        raw = '';
      }
    },
    text(text, path) {
      const name = path.at(-1);
      if (path.includes('c') && (name === 'v' || (name === 't' && !path.includes('rPh')))) raw += text;
    },
    close(name) {
      if (name === 'c' && row && column >= 0 && column < MAX_COLUMNS && raw !== '') {
        if (hiddenColumns.some(([from, to]) => column >= from && column <= to)) return;
        while (row.length < column) row.push('');
        row[column] = cellText(type, raw, style);
      }
      if (name === 'row' && row) rows.push(row);
    },
  });
  return rows;

  function cellText(cellType: string, value: string, cellStyle: number): string {
    if (cellType === 's') return strings[Number(value)] ?? '';
    if (cellType === 'b') return value === '1' ? 'TRUE' : 'FALSE';
    return cellType === 'n' ? format(value, cellStyle) : value;
  }
}

/** `BC12` → 54. */
function columnIndex(reference: string): number {
  let index = 0;
  for (const char of /^[A-Z]{1,4}/.exec(reference)?.[0] ?? '') index = index * 26 + char.charCodeAt(0) - 64;
  return index - 1;
}
