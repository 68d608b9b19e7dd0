import type { DocumentBlock } from '../../kernel/parser.ts';
import { block, tableBlock, tidy } from './blocks.ts';
import { createGrid, type GridCell } from './grid.ts';
import type { LeftOutCount } from './left-out.ts';
import type { createOdfLists, List } from './odf-lists.ts';
import type { OdfStyles } from './odf-styles.ts';

/** Where the text of an OpenDocument file goes as it is read: into paragraphs, cells, boxes, notes, slides. */

export interface Paragraph {
  text: string;
  level: number | null;
  style: string;
  numbered: boolean;
  /** To be said after it: notes, boxes, charts. */
  after: DocumentBlock[];
}

interface Cell extends GridCell {
  paragraphs: string[];
  repeated: number;
}

interface Table {
  grid: ReturnType<typeof createGrid>;
  row: Cell[];
  /** Of the row that is open. */
  repeated: number;
  headRows: number;
  inHead: boolean;
  after: DocumentBlock[];
}

export type Box = 'body' | 'box' | 'note' | 'comment' | 'notes';

/** The body, a text box, a note: where finished paragraphs go. */
interface Frame {
  box: Box;
  kind: string;
  blocks: DocumentBlock[];
  listLines: string[];
  lists: List[];
  paragraph: Paragraph | null;
  tables: Table[];
  author: string;
  /** The mark of the note that it is. */
  citation: string;
}

const newFrame = (box: Box, kind = ''): Frame => ({
  box,
  kind,
  blocks: [],
  listLines: [],
  lists: [],
  paragraph: null,
  tables: [],
  author: '',
  citation: '',
});

/** They stand on each slide. */
const FURNITURE = /^(page-number|date-time|header|footer|page)$/;
const MAX_REPEATED = 1_000;

/** An attribute that counts from 1. */
export const count = (value: string | undefined): number =>
  Math.max(1, Number.parseInt(value ?? '1', 10) || 1);

function closeRow(table: Table): void {
  const cells = table.row.flatMap((cell) => {
    const text = cell.paragraphs.join(' ');
    return Array.from({ length: cell.repeated }, () => ({ ...cell, text }));
  });
  const isEmpty = cells.every(({ text }) => text === '');
  for (let i = 0; i < (isEmpty ? 1 : table.repeated); i++) table.grid.addRow(cells);
  if (table.inHead) table.headRows++;
  table.row = [];
}

export function createOdfFrames(
  styles: OdfStyles,
  lists: ReturnType<typeof createOdfLists>,
  leftOut: LeftOutCount,
) {
  const body = newFrame('body');
  const frames: Frame[] = [body];
  const frame = (): Frame => frames.at(-1) ?? body;
  let page: number | null = null;
  let pageStart = 0;

  const say = (text: string) => {
    const { paragraph } = frame();
    if (paragraph) paragraph.text += text;
  };
  const flushList = (one: Frame) => {
    if (one.listLines.length > 0) one.blocks.push(block('list', one.listLines.join('\n'), page));
    one.listLines = [];
  };
  const emit = (one: Frame, blocks: readonly DocumentBlock[]) => {
    if (blocks.length === 0) return;
    const table = one.tables.at(-1);
    if (one.paragraph) one.paragraph.after.push(...blocks);
    else if (table) table.after.push(...blocks);
    else {
      flushList(one);
      one.blocks.push(...blocks);
    }
  };

  function endParagraph(): void {
    const one = frame();
    const { paragraph } = one;
    if (!paragraph) return;
    one.paragraph = null;
    const text = tidy(paragraph.text);
    const mark = text === '' ? null : lists.itemMark(one.lists, paragraph.style);
    const cell = one.tables.at(-1)?.row.at(-1);
    if (cell) {
      if (text) cell.paragraphs.push(mark ? `${mark} ${text}` : text);
      for (const { text: said } of paragraph.after) cell.paragraphs.push(said);
      return;
    }
    if (text && paragraph.level !== null) {
      const own = paragraph.numbered && !mark ? lists.headingMark(paragraph.level - 1) : '';
      const shown = (mark === '-' ? '' : (mark ?? '')) || own;
      const whole = `${shown} ${text.replaceAll('\n', ' ')}`.trim();
      emit(one, [block('heading', whole, page, Math.min(6, paragraph.level))]);
    } else if (text && one.lists.length > 0) {
      const line = `${mark ?? ''} ${text.replaceAll('\n', ' ')}`.trim();
      one.listLines.push(`${'  '.repeat(one.lists.length - 1 + (mark === null ? 1 : 0))}${line}`);
    } else if (text) emit(one, [block('text', text, page)]);
    emit(one, paragraph.after);
  }

  function closeTable(): void {
    const one = frame();
    const table = one.tables.pop();
    if (!table) return;
    const { rows } = table.grid;
    const outer = one.tables.at(-1)?.row.at(-1);
    if (outer) {
      for (const row of rows) outer.paragraphs.push(row.filter((text) => text !== '').join(', '));
      for (const { text } of table.after) outer.paragraphs.push(text);
      return;
    }
    emit(one, tableBlock(rows, page, Math.max(1, table.headRows)));
    emit(one, table.after);
  }

  function openPage(a: Record<string, string>): boolean {
    flushList(body);
    page = (page ?? 0) + 1;
    pageStart = body.blocks.length;
    if (!styles.isHidden(`drawing-page/${a['draw:style-name'] ?? ''}`)) return true;
    leftOut.add('hidden_slides');
    return false;
  }

  function closeBox(): void {
    endParagraph();
    if (frames.length === 1) return;
    while (frame().tables.length > 0) closeTable();
    const one = frames.pop();
    if (!one) return;
    flushList(one);
    const text = one.blocks.map((b) => b.text).join('\n');
    if (text === '') return;
    const outer = frame();
    if (one.box === 'note') {
      say(`[${one.citation}]`);
      emit(outer, [block('text', `[${one.citation}] ${text.replaceAll('\n', ' ')}`, page)]);
    } else if (one.box === 'comment') {
      const author = one.author ? `${one.author}: ` : '';
      emit(outer, [block('text', `Comment: ${author}${text.replaceAll('\n', ' ')}`, page)]);
    } else if (one.box === 'notes') emit(outer, [block('text', `Notes: ${text}`, page)]);
    else if (one.kind === 'title') {
      flushList(body);
      body.blocks.splice(pageStart, 0, block('heading', text.replaceAll('\n', ' '), page, 1));
      pageStart++;
    } else if (FURNITURE.test(one.kind)) leftOut.add('page_furniture');
    else emit(outer, one.blocks);
  }

  return {
    frame,
    say,
    emit: (blocks: readonly DocumentBlock[]) =>
      emit(
        frame(),
        blocks.map((b) => ({ ...b, page })),
      ),
    endParagraph,
    openPage,
    openTable() {
      const table = { grid: createGrid(), row: [], repeated: 1, headRows: 0, inHead: false, after: [] };
      frame().tables.push(table);
    },
    setHead(inHead: boolean) {
      const table = frame().tables.at(-1);
      if (table) table.inHead = inHead;
    },
    openRow(a: Record<string, string>) {
      const table = frame().tables.at(-1);
      if (table) table.repeated = Math.min(count(a['table:number-rows-repeated']), MAX_REPEATED);
    },
    openCell(a: Record<string, string>) {
      const cell: Cell = {
        text: '',
        paragraphs: [],
        columns: count(a['table:number-columns-spanned']),
        rows: count(a['table:number-rows-spanned']),
        repeated: Math.min(count(a['table:number-columns-repeated']), MAX_REPEATED),
      };
      frame().tables.at(-1)?.row.push(cell);
    },
    closeRow() {
      const table = frame().tables.at(-1);
      if (table) closeRow(table);
    },
    closeTable,
    openBox(box: Box, kind: string, citation: string) {
      frames.push({ ...newFrame(box, kind), citation });
    },
    closeBox,
    end(): { blocks: DocumentBlock[]; pages: number } {
      while (frames.length > 1) closeBox();
      endParagraph();
      while (body.tables.length > 0) closeTable();
      flushList(body);
      return { blocks: body.blocks, pages: page ?? 0 };
    },
  };
}
