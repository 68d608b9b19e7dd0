import type { DocumentBlock } from '../../kernel/parser.ts';
import { altText } from './alt-texts.ts';
import { block, tableBlock, tidy } from './blocks.ts';
import type { Numbering } from './docx-numbering.ts';
import { type DocxStyle, isOn, levelOfOutline } from './docx-styles.ts';
import { createGrid } from './grid.ts';
import type { LeftOutCount } from './left-out.ts';
import { createMathReader } from './omml.ts';
import { readXml } from './xml.ts';

/** What one part of a Word file (body, header, note) may point to. */
export interface StoryContext {
  styleOf(id: string | null): DocxStyle;
  numbering: Numbering;
  leftOut: LeftOutCount;
  /** Blocks of what a relationship names: charts, diagrams, embedded documents. */
  embedded(relationId: string): DocumentBlock[];
  note(kind: 'footnote' | 'endnote' | 'comment', id: string): string | null;
}

interface Paragraph {
  text: string;
  styleId: string | null;
  numId: string | null;
  listLevel: number | null;
  outline: number | null;
  /** To be said after it: notes, boxes, charts. */
  after: DocumentBlock[];
}

interface Cell {
  paragraphs: string[];
  columns: number;
  merge: 'start' | 'goes_on' | null;
}

interface Table {
  rows: { cells: Cell[]; skipped: number; isHead: boolean; hidden: boolean }[];
  after: DocumentBlock[];
}

/** A body, a text box or a nested table's surroundings: where finished paragraphs go. */
interface Frame {
  blocks: DocumentBlock[];
  listLines: string[];
  paragraph: Paragraph | null;
  tables: Table[];
}

const newFrame = (): Frame => ({ blocks: [], listLines: [], paragraph: null, tables: [] });
const SKIPPED = new Set([
  'mc:Fallback',
  'w:moveFrom',
  'w:del',
  'w:rt',
  'w:instrText',
  'w:pPrChange',
  'w:rPrChange',
  'w:sectPrChange',
  'w:tblPrChange',
  'w:tcPrChange',
  'w:trPrChange',
]);
/** What a text for those who do not see it may stand beside. */
const DESCRIBED = new Set(['wp:docPr', 'pic:cNvPr', 'wps:cNvPr', 'v:shape']);
const NOTES = {
  'w:footnoteReference': 'footnote',
  'w:endnoteReference': 'endnote',
  'w:commentReference': 'comment',
} as const;
const isNote = (name: string): name is keyof typeof NOTES => Object.hasOwn(NOTES, name);
/** Signs of Wingdings and Symbol that forms and lists are full of; other private signs say nothing. */
const SYMBOLS: Record<string, string> = {
  F0FE: '☒',
  F0FD: '☒',
  F0A8: '☐',
  F06F: '☐',
  F0FC: '✓',
  F0FB: '✗',
  F0B7: '•',
  F0A7: '▪',
  F0E0: '→',
  F0E8: '→',
  F0B0: '°',
  F0B1: '±',
  F0B4: '×',
  F0A3: '≤',
  F0B3: '≥',
  F06D: 'µ',
};

function symbolOf(code: string): string {
  const known = SYMBOLS[code.toUpperCase()];
  const point = Number.parseInt(code, 16);
  if (known !== undefined) return known;
  return point > 0 && point < 0xe000 ? String.fromCodePoint(point) : '';
}

/** Reads one part in one pass; nothing of it stands in memory but its text. */
export function readStory(xml: Uint8Array | null, context: StoryContext): DocumentBlock[] {
  const story = createStory(context);
  readXml(xml ?? '', story);
  return story.end();
}

function createStory(context: StoryContext) {
  const frames: Frame[] = [newFrame()];
  const frame = (): Frame => frames.at(-1) ?? newFrame();
  let skipped = 0;
  /** What the run says itself, and what its style says: that turns over what the paragraph's style says. */
  let run: { hidden: boolean | null; styled: boolean } = { hidden: null, styled: false };
  const isHidden = (): boolean => {
    if (run.hidden !== null) return run.hidden;
    const { paragraph } = frame();
    return (paragraph !== null && context.styleOf(paragraph.styleId).hidden) !== run.styled;
  };

  const say = (text: string) => {
    const { paragraph } = frame();
    if (paragraph && !isHidden()) paragraph.text += text;
  };
  const math = createMathReader(say);
  const flushList = (one: Frame) => {
    if (one.listLines.length > 0) one.blocks.push(block('list', one.listLines.join('\n')));
    one.listLines = [];
  };
  const emit = (one: Frame, blocks: readonly DocumentBlock[]) => {
    const table = one.tables.at(-1);
    if (table) table.after.push(...blocks);
    else if (blocks.length > 0) {
      flushList(one);
      one.blocks.push(...blocks);
    }
  };

  function endParagraph(): void {
    const one = frame();
    const { paragraph } = one;
    if (!paragraph) return;
    one.paragraph = null;
    const style = context.styleOf(paragraph.styleId);
    const text = tidy(paragraph.text);
    const numId = paragraph.numId ?? style.numId;
    const listLevel = Math.max(0, Math.min(8, paragraph.listLevel ?? style.listLevel ?? 0));
    const mark = numId !== null && numId !== '0' ? context.numbering.next(numId, listLevel) : '';
    const marked = mark && text ? `${mark} ${text}` : text;
    const cell = one.tables.at(-1)?.rows.at(-1)?.cells.at(-1);
    if (cell) {
      if (text) cell.paragraphs.push(marked);
      // What hangs on a paragraph of a cell belongs to the cell.
      for (const { text: said } of paragraph.after) cell.paragraphs.push(said);
      return;
    }
    const level = paragraph.outline === null ? style.headingLevel : levelOfOutline(paragraph.outline);
    if (text && level !== null) {
      const bare = mark === '-' ? text : marked;
      emit(one, [block('heading', bare.replaceAll('\n', ' '), null, level)]);
    } else if (text && mark) one.listLines.push(`${'  '.repeat(listLevel)}${marked.replaceAll('\n', ' ')}`);
    else if (text) emit(one, [block('text', text)]);
    emit(one, paragraph.after);
  }

  function endTable(): void {
    const one = frame();
    const table = one.tables.pop();
    if (!table) return;
    const { rows, headRows, hidden } = rowsOf(table);
    context.leftOut.add('hidden_rows', hidden);
    const outer = one.tables.at(-1)?.rows.at(-1)?.cells.at(-1);
    if (outer) {
      for (const row of rows) outer.paragraphs.push(row.filter((text) => text !== '').join(', '));
      for (const { text } of table.after) outer.paragraphs.push(text);
      return;
    }
    emit(one, tableBlock(rows, null, headRows));
    emit(one, table.after);
  }

  function openProperty(name: string, a: Record<string, string>, parent: string | undefined): void {
    const { paragraph, tables } = frame();
    const value = a['w:val'] ?? '';
    const row = tables.at(-1)?.rows.at(-1);
    const cell = row?.cells.at(-1);
    if (name === 'w:vanish' || name === 'w:specVanish' || name === 'w:webHidden') {
      if (parent === 'w:rPr' && (isOn(a) || name === 'w:vanish')) run.hidden = isOn(a) || run.hidden === true;
    } else if (name === 'w:rStyle') run.styled = context.styleOf(value).hidden;
    else if (parent === 'w:trPr' && row) {
      if (name === 'w:tblHeader') row.isHead = isOn(a);
      if (name === 'w:hidden') row.hidden = isOn(a);
      if (name === 'w:gridBefore') row.skipped = Number(value) || 0;
    } else if (parent === 'w:tcPr' && cell) {
      if (name === 'w:gridSpan') cell.columns = Number(value) || 1;
      if (name === 'w:vMerge') cell.merge = value === 'restart' ? 'start' : 'goes_on';
    } else if (paragraph && name === 'w:pStyle') paragraph.styleId = value;
    else if (paragraph && name === 'w:outlineLvl') paragraph.outline = Number(value);
    else if (paragraph && parent === 'w:numPr') {
      if (name === 'w:numId') paragraph.numId = value;
      if (name === 'w:ilvl') paragraph.listLevel = Number(value);
    }
  }

  function openContent(name: string, a: Record<string, string>): void {
    const { paragraph, tables } = frame();
    if (name === 'w:tab') say('\t');
    else if (name === 'w:br' || name === 'w:cr') say(a['w:type'] === 'page' ? ' ' : '\n');
    else if (name === 'w:noBreakHyphen') say('-');
    else if (name === 'w:sym') say(symbolOf(a['w:char'] ?? ''));
    else if (name === 'w:p') {
      endParagraph();
      frame().paragraph = { text: '', styleId: null, numId: null, listLevel: null, outline: null, after: [] };
    } else if (name === 'w:r') run = { hidden: null, styled: false };
    else if (name === 'w:tbl') tables.push({ rows: [], after: [] });
    else if (name === 'w:tr')
      tables.at(-1)?.rows.push({ cells: [], skipped: 0, isHead: false, hidden: false });
    else if (name === 'w:tc')
      tables.at(-1)?.rows.at(-1)?.cells.push({ paragraphs: [], columns: 1, merge: null });
    else if (isNote(name)) sayNote(NOTES[name], a['w:id'] ?? '');
    else if (name === 'w:txbxContent') frames.push(newFrame());
    else if (name === 'c:chart' || name === 'dgm:relIds' || name === 'w:altChunk') {
      const blocks = context.embedded(a['r:id'] ?? a['r:dm'] ?? '');
      if (paragraph) paragraph.after.push(...blocks);
      else emit(frame(), blocks);
    } else if (DESCRIBED.has(name)) describe(a.descr ?? a.alt);
    else if (name === 'a:blip' || name === 'v:imagedata') context.leftOut.add('pictures');
    else if (name === 'o:OLEObject') context.leftOut.add('embedded_files');
  }

  /** Once for a picture, whose drawing and whose file are described by the same words. */
  function describe(given: string | undefined): void {
    const text = altText(given);
    if (text !== '' && !frame().paragraph?.text.includes(text)) say(` ${text} `);
  }

  function sayNote(kind: (typeof NOTES)[keyof typeof NOTES], id: string): void {
    const { paragraph } = frame();
    const text = context.note(kind, id);
    if (!paragraph || !text) return;
    if (kind !== 'comment') say(`[${id}]`);
    paragraph.after.push(block('text', kind === 'comment' ? `Comment: ${text}` : `[${id}] ${text}`));
  }

  function endBox(): void {
    endParagraph();
    const box = frames.pop();
    if (!box) return;
    flushList(box);
    const { paragraph } = frame();
    if (paragraph) paragraph.after.push(...box.blocks);
    else emit(frame(), box.blocks);
  }

  return {
    open(name: string, a: Record<string, string>, path: readonly string[]) {
      if (skipped > 0 || SKIPPED.has(name)) {
        if (name === 'w:rt') context.leftOut.add('readings');
        if (skipped === 0 && (name === 'w:del' || name === 'w:moveFrom') && path.at(-2) !== 'w:rPr')
          context.leftOut.add('deleted_text');
        skipped++;
        return;
      }
      if (math.open(name, a)) return;
      const parent = path.at(-2);
      if (/Pr$/.test(parent ?? '')) openProperty(name, a, parent);
      else openContent(name, a);
    },
    text(text: string, path: readonly string[]) {
      if (skipped > 0) return;
      if (math.text(text)) return;
      if (path.at(-1) === 'w:t') {
        say(text);
        if (isHidden()) context.leftOut.add('hidden_text');
      }
    },
    close(name: string) {
      if (skipped > 0) {
        skipped--;
        return;
      }
      if (math.close()) return;
      if (name === 'w:r') run = { hidden: null, styled: false };
      else if (name === 'w:p') endParagraph();
      else if (name === 'w:tbl') endTable();
      else if (name === 'w:txbxContent') endBox();
    },
    end(): DocumentBlock[] {
      while (frames.length > 1) endBox();
      endParagraph();
      const whole = frame();
      while (whole.tables.length > 0) endTable();
      flushList(whole);
      return whole.blocks;
    },
  };
}

function rowsOf(table: Table): { rows: string[][]; headRows: number; hidden: number } {
  const grid = createGrid();
  const shown = table.rows.filter((row) => !row.hidden);
  /** Column → text of the cell that goes on downwards. */
  let above = new Map<number, string>();
  for (const { cells, skipped } of shown) {
    const next = new Map<number, string>();
    let column = skipped;
    const row = cells.map(({ paragraphs, columns, merge }) => {
      const own = paragraphs.join(' ');
      const text = merge === 'goes_on' ? (above.get(column) ?? own) : own;
      if (merge !== null) next.set(column, text);
      column += columns;
      return { text, columns };
    });
    above = next;
    grid.addRow(row, skipped);
  }
  const firstBody = shown.findIndex((row) => !row.isHead);
  return { rows: grid.rows, headRows: Math.max(1, firstBody), hidden: table.rows.length - shown.length };
}
