import type { DocumentBlock } from '../../kernel/parser.ts';
import { altText } from './alt-texts.ts';
import { block, tidy } from './blocks.ts';
import type { LeftOutCount } from './left-out.ts';
import { chartBlocks, coreTitle, mainPart, type Relation, relationsOf } from './office-parts.ts';
import { type Range, rangeOf, type Sheet, sheetBlocks } from './sheet.ts';
import { formatCell, readNumberFormats } from './xlsx-format.ts';
import { readXml } from './xml.ts';
import type { Zip } from './zip.ts';

/** A cell further right than this is no table any more (one stray cell in column XFD must cost nothing). */
const MAX_COLUMNS = 512;

/**
 * Excel workbooks (ECMA-376 part 1, 18): each visible sheet is a heading, its tables, and what lies over them (text boxes,
 * charts, comments); hidden sheets, rows and columns are left out.
 */
export function parseXlsx(
  zip: Zip,
  leftOut: LeftOutCount,
): { title: string | null; blocks: DocumentBlock[] } {
  const main = mainPart(zip, 'xl/workbook.xml');
  const relations = relationsOf(zip, main);
  const target = (type: string) => [...relations.values()].find((r) => r.type === type)?.target;
  const strings = readSharedStrings(zip.read(target('sharedStrings') ?? 'xl/sharedStrings.xml'));
  const formats = readNumberFormats(zip.readText(target('styles') ?? 'xl/styles.xml'));
  const sheets: { name: string; path: string }[] = [];
  let date1904 = false;
  readXml(zip.readText(main) ?? '', {
    open(name, a) {
      if (name === 'workbookPr') date1904 = a.date1904 === '1' || a.date1904 === 'true';
      if (name !== 'sheet') return;
      if ((a.state ?? 'visible') !== 'visible') return leftOut.add('hidden_sheets');
      const path = relations.get(a['r:id'] ?? '')?.target;
      if (path) sheets.push({ name: a.name ?? '', path });
    },
  });
  const blocks = sheets.flatMap(({ name, path }) => {
    const sheet = readSheet(
      zip.read(path),
      strings,
      (raw, style) => formatCell(raw, formats[style] ?? '', date1904),
      leftOut,
    );
    const own = [...relationsOf(zip, path).values()];
    const tables = own.filter(({ type }) => type === 'table').flatMap((r) => readTable(zip.read(r.target)));
    const content = [...sheetBlocks(sheet, tables, leftOut), ...overlays(zip, own, leftOut)];
    return content.length > 0 ? [block('heading', name, null, 1), ...content] : [];
  });
  return { title: coreTitle(zip), blocks };
}

/** Named tables: their name and where they lie. */
function readTable(xml: Uint8Array | null): { name: string; range: Range }[] {
  const found: { name: string; range: Range }[] = [];
  readXml(xml ?? '', {
    open(name, a) {
      const range = name === 'table' ? rangeOf(a.ref ?? '') : null;
      if (range) found.push({ name: a.displayName ?? a.name ?? '', range });
    },
  });
  return found;
}

function overlays(zip: Zip, relations: readonly Relation[], leftOut: LeftOutCount): DocumentBlock[] {
  const of = (type: string) => relations.filter((relation) => relation.type === type);
  const threads = of('threadedComment').flatMap(({ target }) => readComments(zip.read(target)));
  const notes = of('comments').flatMap(({ target }) => readComments(zip.read(target)));
  // Threads stand among the notes once more, for programs that do not know them.
  const comments = [...threads, ...notes.filter(({ text }) => !text.startsWith('[Threaded comment]'))];
  return [
    ...of('drawing').flatMap(({ target }) => drawingBlocks(zip, target, leftOut)),
    ...comments.map(({ cell, text }) => block('text', `Comment on ${cell}: ${text}`)),
  ];
}

function readComments(xml: Uint8Array | null): { cell: string; text: string }[] {
  const comments: { cell: string; text: string }[] = [];
  let cell = '';
  let text = '';
  readXml(xml ?? '', {
    open(name, a) {
      if (name !== 'comment' && name !== 'threadedComment') return;
      cell = a.ref ?? '';
      text = '';
    },
    text(part, path) {
      if ((path.at(-1) === 't' && !path.includes('rPh')) || path.at(-1) === 'text') text += part;
    },
    close(name) {
      if ((name === 'comment' || name === 'threadedComment') && tidy(text) !== '')
        comments.push({ cell, text: tidy(text) });
    },
  });
  return comments;
}

/** Text boxes and charts that lie over a sheet. */
function drawingBlocks(zip: Zip, path: string, leftOut: LeftOutCount): DocumentBlock[] {
  const relations = relationsOf(zip, path);
  const blocks: DocumentBlock[] = [];
  let paragraphs: string[] = [];
  let skipped = 0;
  readXml(zip.read(path) ?? '', {
    open(name, a) {
      if (skipped > 0 || name === 'mc:Fallback') {
        skipped++;
        return;
      }
      const described = name === 'xdr:cNvPr' && a.hidden !== '1' ? altText(a.descr) : '';
      if (described !== '') blocks.push(block('text', described));
      if (name === 'xdr:pic') leftOut.add('pictures');
      if (name === 'a:p') paragraphs.push('');
      const chart = name === 'c:chart' ? relations.get(a['r:id'] ?? '') : undefined;
      if (chart) blocks.push(...chartBlocks(zip.read(chart.target)));
    },
    text(text, names) {
      if (skipped === 0 && names.at(-1) === 'a:t') paragraphs.push(`${paragraphs.pop() ?? ''}${text}`);
    },
    close(name) {
      if (skipped > 0) {
        skipped--;
        return;
      }
      if (name !== 'xdr:sp') return;
      const text = tidy(paragraphs.join('\n'));
      if (text !== '') blocks.push(block('text', text));
      paragraphs = [];
    },
  });
  return blocks;
}

function readSharedStrings(xml: Uint8Array | null): string[] {
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
  xml: Uint8Array | null,
  strings: string[],
  format: (raw: string, style: number) => string,
  leftOut: LeftOutCount,
): Sheet {
  const sheet: Sheet = { rows: new Map(), merges: [], hiddenColumns: [], hiddenRows: new Set() };
  let row = -1;
  let column = -1;
  let type = '';
  let style = 0;
  let raw = '';
  readXml(xml ?? '', {
    open(name, a) {
      if (name === 'col' && a.hidden === '1')
        sheet.hiddenColumns.push([Number(a.min) - 1, Math.min(MAX_COLUMNS, Number(a.max)) - 1]);
      if (name === 'row') {
        row = a.r ? Number(a.r) - 1 : row + 1;
        column = -1;
        if (a.hidden === '1') sheet.hiddenRows.add(row);
      }
      if (name === 'c') {
        column = a.r ? columnIndex(a.r) : column + 1;
        type = a.t ?? 'n';
        style = Number(a.s ?? 0);
        raw = '';
      }
      const range = name === 'mergeCell' ? rangeOf(a.ref ?? '') : null;
      if (range) sheet.merges.push(range);
    },
    text(text, path) {
      const name = path.at(-1);
      if (path.includes('c') && (name === 'v' || (name === 't' && !path.includes('rPh')))) raw += text;
    },
    close(name) {
      if (name !== 'c' || column < 0 || raw === '') return;
      if (column >= MAX_COLUMNS) return leftOut.add('far_cells');
      const cells = sheet.rows.get(row) ?? [];
      sheet.rows.set(row, cells);
      while (cells.length < column) cells.push('');
      cells[column] = cellText(type, raw, style);
    },
  });
  return sheet;

  function cellText(cellType: string, value: string, cellStyle: number): string {
    if (cellType === 's') return strings[Number(value)] ?? '';
    if (cellType === 'b') return value === '1' ? 'TRUE' : 'FALSE';
    return cellType === 'n' ? format(value, cellStyle) : value;
  }
}

/** `BC12` → 54. */
const columnIndex = (reference: string): number => rangeOf(reference)?.left ?? -1;
