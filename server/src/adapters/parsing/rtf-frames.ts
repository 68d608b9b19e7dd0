import type { DocumentBlock } from '../../kernel/parser.ts';
import { block, tidy } from './blocks.ts';
import { edgeBlocks } from './edge-texts.ts';
import { type RtfCellPlace, type RtfRow, rtfTable } from './rtf-table.ts';

/** Where the text of an RTF file goes as it is read: into paragraphs, cells, notes, boxes, headers. */

export type FrameKind = 'body' | 'note' | 'comment' | 'box' | 'header' | 'footer';

interface Frame {
  kind: FrameKind;
  blocks: DocumentBlock[];
  listLines: string[];
  text: string;
  after: DocumentBlock[];
  cell: string[];
  row: string[];
  rows: RtfRow[];
}

const newFrame = (kind: FrameKind): Frame => ({
  kind,
  blocks: [],
  listLines: [],
  text: '',
  after: [],
  cell: [],
  row: [],
  rows: [],
});

/** What the words of the file say of the text that follows. */
export interface RtfState {
  paragraph: { inTable: boolean; level: number | null; style: number; listLevel: number };
  /** Of the item that the next paragraph is. */
  mark: string;
  /** Who wrote the next comment. */
  author: string;
  /** Levels of the styles that are headings. */
  headings: Map<number, number>;
  /** Of the row that is open. */
  places: RtfCellPlace[];
  isHead: boolean;
}

export const plainParagraph = (): RtfState['paragraph'] => ({
  inTable: false,
  level: null,
  style: 0,
  listLevel: 0,
});

export function createRtfFrames(state: RtfState) {
  const body = newFrame('body');
  const frames: Frame[] = [body];
  const frame = (): Frame => frames.at(-1) ?? body;
  const edges: { kind: 'header' | 'footer'; text: string }[] = [];
  let notes = 0;

  const flushList = (one: Frame) => {
    if (one.listLines.length > 0) one.blocks.push(block('list', one.listLines.join('\n')));
    one.listLines = [];
  };
  const flushTable = (one: Frame) => {
    if (one.rows.length > 0) one.blocks.push(...rtfTable(one.rows));
    one.rows = [];
  };

  function endParagraph(): void {
    const one = frame();
    const text = tidy(one.text);
    const isBullet = !/[\p{L}\p{N}]/u.test(state.mark);
    const shown = state.mark === '' ? '' : isBullet ? '-' : tidy(state.mark);
    const { after } = one;
    one.text = '';
    one.after = [];
    state.mark = '';
    if (state.paragraph.inTable) {
      if (text) one.cell.push(shown ? `${shown} ${text}` : text);
      for (const { text: said } of after) one.cell.push(said);
      return;
    }
    if (text === '' && after.length === 0) return;
    flushTable(one);
    const level = state.paragraph.level ?? state.headings.get(state.paragraph.style) ?? null;
    const line = text.replaceAll('\n', ' ');
    if (text && level !== null) {
      flushList(one);
      one.blocks.push(block('heading', shown && shown !== '-' ? `${shown} ${line}` : line, null, level));
    } else if (text && shown) one.listLines.push(`${'  '.repeat(state.paragraph.listLevel)}${shown} ${line}`);
    else if (text) {
      flushList(one);
      one.blocks.push(block('text', text));
    }
    if (after.length > 0) {
      flushList(one);
      one.blocks.push(...after);
    }
  }

  function endCell(): void {
    state.paragraph.inTable = true;
    endParagraph();
    const one = frame();
    one.row.push(one.cell.join(' '));
    one.cell = [];
  }

  function endRow(): void {
    const one = frame();
    if (one.row.length > 0) {
      flushList(one);
      one.rows.push({ cells: one.row, places: [...state.places], isHead: state.isHead });
    }
    one.row = [];
  }

  function endFrame(): void {
    state.paragraph.inTable = false;
    endParagraph();
    if (frames.length === 1) return;
    const one = frames.pop();
    if (!one) return;
    const { kind } = one;
    flushTable(one);
    flushList(one);
    const text = one.blocks.map((b) => b.text).join('\n');
    const line = text.replaceAll('\n', ' ');
    const outer = frame();
    if (kind === 'header' || kind === 'footer') edges.push({ kind, text });
    else if (text === '') return;
    else if (kind === 'note') {
      notes++;
      outer.text += `[${notes}]`;
      outer.after.push(block('text', `[${notes}] ${line}`));
    } else if (kind === 'comment') {
      outer.after.push(block('text', `Comment: ${state.author ? `${tidy(state.author)}: ` : ''}${line}`));
      state.author = '';
    } else outer.after.push(...one.blocks);
  }

  return {
    say(text: string) {
      frame().text += text;
    },
    open(kind: FrameKind) {
      frames.push(newFrame(kind));
      state.paragraph = plainParagraph();
    },
    close: endFrame,
    endParagraph,
    endCell,
    endRow,
    end(): DocumentBlock[] {
      while (frames.length > 1) endFrame();
      // A file that is cut off within a row.
      endRow();
      state.paragraph.inTable = false;
      endParagraph();
      flushTable(body);
      flushList(body);
      return [...body.blocks, ...edgeBlocks(edges)];
    },
  };
}
