import type { DocumentBlock } from '../../kernel/parser.ts';
import { block, tableBlock, tidy } from './blocks.ts';
import { LIMITS } from './fault.ts';
import { createGrid, type GridCell } from './grid.ts';
import type { LeftOutCount } from './left-out.ts';
import { type OdfStyles, OUTLINE } from './odf-styles.ts';
import { readXml } from './xml.ts';

/** The text of OpenDocument files (ISO/IEC 26300, 5 to 10) in one pass: of text documents, slides, charts and formulas. */

export interface OdfContext {
  styles: OdfStyles;
  leftOut: LeftOutCount;
  /** Content of an object within the file: a chart, a formula, a sheet. */
  object(href: string): OdfObject;
}

export interface OdfObject {
  formula: string | null;
  blocks: DocumentBlock[];
}

export interface OdfStory {
  blocks: DocumentBlock[];
  /** Slides, hidden ones counted; 0 in text documents. */
  pages: number;
}

interface Paragraph {
  text: string;
  level: number | null;
  style: string;
  numbered: boolean;
  /** To be said after it: notes, boxes, charts. */
  after: DocumentBlock[];
}

interface List {
  style: string | null;
  /** Shared by the lists within each other. */
  counts: (number | undefined)[];
  /** An item whose mark is not said yet. */
  open: boolean;
  start: number | null;
}

interface Cell extends GridCell {
  paragraphs: string[];
  repeated: number;
}

interface Table {
  grid: ReturnType<typeof createGrid>;
  row: Cell[];
  headRows: number;
  inHead: boolean;
  after: DocumentBlock[];
}

type Box = 'body' | 'box' | 'note' | 'comment' | 'notes';

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
});

const SKIPPED = new Set([
  'text:tracked-changes',
  'text:ruby-text',
  'text:hidden-text',
  'text:hidden-paragraph',
  'office:forms',
  'office:scripts',
  'office:settings',
  'office:binary-data',
  'svg:title',
  'svg:desc',
]);
const SHAPES = new Set(
  'text-box custom-shape rect ellipse circle line polygon polyline path connector caption regular-polygon measure'
    .split(' ')
    .map((name) => `draw:${name}`),
);
const BOXES: Readonly<Record<string, Box>> = {
  'text:note-body': 'note',
  'office:annotation': 'comment',
  'presentation:notes': 'notes',
};
/** They stand on each slide. */
const FURNITURE = /^(page-number|date-time|header|footer|page)$/;
const MAX_REPEATED = 1_000;

const count = (value: string | undefined): number => Math.max(1, Number.parseInt(value ?? '1', 10) || 1);

export function readOdfStory(xml: Uint8Array | null, context: OdfContext): OdfStory {
  const { styles, leftOut } = context;
  const body = newFrame('body');
  const frames: Frame[] = [body];
  const frame = (): Frame => frames.at(-1) ?? body;
  const listsByStyle = new Map<string, List['counts']>();
  const listsById = new Map<string, List['counts']>();
  const outline: (number | undefined)[] = [];
  let page: number | null = null;
  let pageStart = 0;
  let skipped = 0;
  let hiddenSpans: boolean[] = [];
  let placeholder = '';
  let citation = '';
  let hasObject = false;

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

  /** The number of the item that this paragraph begins; null where it goes on in one. */
  function itemMark(one: Frame, paragraph: Paragraph): string | null {
    const list = one.lists.at(-1);
    if (!list?.open) return null;
    list.open = false;
    const style = list.style ?? styles.listOf(paragraph.style);
    const level = one.lists.length - 1;
    const before = list.counts[level];
    list.counts[level] = list.start ?? (before === undefined ? styles.start(style, level) : before + 1);
    list.counts.length = level + 1;
    return styles.mark(style, list.counts, level);
  }

  function headingMark(level: number, numbered: boolean): string {
    if (!numbered) return '';
    outline[level] = outline[level] === undefined ? styles.start(OUTLINE, level) : outline[level] + 1;
    outline.length = level + 1;
    return styles.mark(OUTLINE, outline, level);
  }

  function endParagraph(): void {
    const one = frame();
    const { paragraph } = one;
    if (!paragraph) return;
    one.paragraph = null;
    const text = tidy(paragraph.text);
    const mark = text === '' ? null : itemMark(one, paragraph);
    const cell = one.tables.at(-1)?.row.at(-1);
    if (cell) {
      if (text) cell.paragraphs.push(mark ? `${mark} ${text}` : text);
      for (const { text: said } of paragraph.after) cell.paragraphs.push(said);
      return;
    }
    if (text && paragraph.level !== null) {
      const own = headingMark(paragraph.level - 1, paragraph.numbered && !mark);
      const shown = (mark === '-' ? '' : (mark ?? '')) || own;
      const whole = `${shown} ${text.replaceAll('\n', ' ')}`.trim();
      emit(one, [block('heading', whole, page, Math.min(6, paragraph.level))]);
    } else if (text && one.lists.length > 0) {
      const line = `${mark ?? ''} ${text.replaceAll('\n', ' ')}`.trim();
      one.listLines.push(`${'  '.repeat(one.lists.length - 1 + (mark === null ? 1 : 0))}${line}`);
    } else if (text) emit(one, [block('text', text, page)]);
    emit(one, paragraph.after);
  }

  function openList(a: Record<string, string>): void {
    const one = frame();
    const outer = one.lists.at(-1);
    const style = a['text:style-name'] ?? outer?.style ?? null;
    const goesOn =
      a['text:continue-numbering'] === 'true'
        ? listsByStyle.get(style ?? '')
        : listsById.get(a['text:continue-list'] ?? '');
    const counts = outer ? outer.counts : [...(goesOn ?? [])];
    listsByStyle.set(style ?? '', counts);
    if (a['xml:id']) listsById.set(a['xml:id'], counts);
    one.lists.push({ style, counts, open: false, start: null });
  }

  function closeRow(table: Table, repeated: number): void {
    const cells = table.row.flatMap((cell) => {
      const text = cell.paragraphs.join(' ');
      return Array.from({ length: cell.repeated }, () => ({ ...cell, text }));
    });
    const isEmpty = cells.every(({ text }) => text === '');
    for (let i = 0; i < (isEmpty ? 1 : repeated); i++) table.grid.addRow(cells);
    if (table.inHead) table.headRows++;
    table.row = [];
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

  function openCell(a: Record<string, string>): void {
    frame()
      .tables.at(-1)
      ?.row.push({
        text: '',
        paragraphs: [],
        columns: count(a['table:number-columns-spanned']),
        rows: count(a['table:number-rows-spanned']),
        repeated: Math.min(count(a['table:number-columns-repeated']), MAX_REPEATED),
      });
  }

  function openPage(a: Record<string, string>): boolean {
    flushList(body);
    page = (page ?? 0) + 1;
    pageStart = body.blocks.length;
    if (!styles.isHidden(`drawing-page/${a['draw:style-name'] ?? ''}`)) return true;
    leftOut.add('hidden_slides');
    return false;
  }

  function openObject(a: Record<string, string>): void {
    hasObject = true;
    const { formula, blocks } = context.object(a['xlink:href'] ?? '');
    if (formula !== null && frame().paragraph) say(formula);
    else if (formula !== null) emit(frame(), [block('text', formula, page)]);
    emit(
      frame(),
      blocks.map((b) => ({ ...b, page })),
    );
  }

  function closeBox(): void {
    endParagraph();
    if (frames.length === 1) return;
    const one = frames.pop();
    if (!one) return;
    while (one.tables.length > 0) closeTable();
    flushList(one);
    const text = one.blocks.map((b) => b.text).join('\n');
    if (text === '') return;
    const outer = frame();
    if (one.box === 'note') {
      say(`[${citation}]`);
      emit(outer, [block('text', `[${citation}] ${text.replaceAll('\n', ' ')}`, page)]);
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

  /** False: nothing of the element is read. */
  const opens: Readonly<Record<string, (a: Record<string, string>, name: string) => boolean | void>> = {
    'draw:page': openPage,
    'text:list': openList,
    'text:list-item': (a) => {
      const list = frame().lists.at(-1);
      if (!list) return;
      list.open = true;
      list.start = a['text:start-value'] ? Number(a['text:start-value']) : null;
    },
    'text:section': (a) => a['text:display'] !== 'none',
    'text:s': (a) => say(' '.repeat(Math.min(count(a['text:c']), 1_000))),
    'text:tab': () => say('\t'),
    'text:line-break': () => say('\n'),
    'text:span': (a) => {
      hiddenSpans.push(styles.isHidden(`text/${a['text:style-name'] ?? ''}`));
    },
    'draw:frame': (a) => {
      placeholder = a['presentation:class'] ?? '';
      hasObject = false;
    },
    'draw:object': openObject,
    'draw:image': () => {
      if (!hasObject) leftOut.add('pictures');
    },
    'table:table': () => {
      frame().tables.push({ grid: createGrid(), row: [], headRows: 0, inHead: false, after: [] });
    },
    'table:table-header-rows': () => {
      const table = frame().tables.at(-1);
      if (table) table.inHead = true;
    },
    'table:table-cell': openCell,
  };

  let repeatedRows: number[] = [];
  const closes: Readonly<Record<string, () => void>> = {
    'text:p': endParagraph,
    'text:h': endParagraph,
    'text:span': () => {
      hiddenSpans = hiddenSpans.slice(0, -1);
    },
    'text:list': () => {
      frame().lists.pop();
    },
    'table:table-header-rows': () => {
      const table = frame().tables.at(-1);
      if (table) table.inHead = false;
    },
    'table:table-row': () => {
      const table = frame().tables.at(-1);
      const repeated = repeatedRows.pop() ?? 1;
      if (table) closeRow(table, repeated);
    },
    'table:table': closeTable,
  };

  function openParagraph(name: string, a: Record<string, string>): boolean {
    const style = a['text:style-name'] ?? '';
    if (styles.isHidden(`paragraph/${style}`)) {
      leftOut.add('hidden_text');
      return false;
    }
    frame().paragraph = {
      text: '',
      level: name === 'text:h' ? Math.min(count(a['text:outline-level']), LIMITS.depth) : null,
      style,
      numbered: a['text:is-list-header'] !== 'true',
      after: [],
    };
    return true;
  }

  function open(name: string, a: Record<string, string>): boolean {
    if (SKIPPED.has(name) || /^text:.*-source$/.test(name)) {
      if (name === 'text:ruby-text') leftOut.add('readings');
      if (name === 'text:tracked-changes') leftOut.add('deleted_text');
      return false;
    }
    if (name === 'text:p' || name === 'text:h') return openParagraph(name, a);
    if (name === 'table:table-row')
      repeatedRows = [...repeatedRows, Math.min(count(a['table:number-rows-repeated']), MAX_REPEATED)];
    const box = SHAPES.has(name) ? 'box' : BOXES[name];
    if (box !== undefined) {
      frames.push(newFrame(box, a['presentation:class'] ?? (name === 'draw:text-box' ? placeholder : '')));
      if (name === 'draw:text-box') placeholder = '';
      return true;
    }
    return opens[name]?.(a, name) !== false;
  }

  readXml(xml ?? '', {
    open(name, a) {
      if (skipped > 0 || !open(name, a)) skipped++;
    },
    text(text, path) {
      if (skipped > 0) return;
      const last = path.at(-1) ?? '';
      if (last === 'text:note-citation') citation = text;
      else if (last === 'dc:creator' && frame().box === 'comment') frame().author += text;
      else if (hiddenSpans.includes(true)) leftOut.add('hidden_text');
      else if (last !== 'dc:date' && last !== 'meta:date-string') say(text.replace(/\s+/g, ' '));
    },
    close(name) {
      if (skipped > 0) {
        skipped--;
        return;
      }
      if (SHAPES.has(name) || BOXES[name] !== undefined) closeBox();
      else closes[name]?.();
    },
  });
  while (frames.length > 1) closeBox();
  endParagraph();
  while (body.tables.length > 0) closeTable();
  flushList(body);
  return { blocks: body.blocks, pages: page ?? 0 };
}
