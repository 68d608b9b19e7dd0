import { own } from '../../kernel/own.ts';
import type { DocumentBlock } from '../../kernel/parser.ts';
import { altText } from './alt-texts.ts';
import { block } from './blocks.ts';
import { LIMITS } from './fault.ts';
import type { LeftOutCount } from './left-out.ts';
import { type Box, count, createOdfFrames } from './odf-frames.ts';
import { createOdfLists } from './odf-lists.ts';
import type { OdfStyles } from './odf-styles.ts';
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

const SKIPPED = new Set([
  'text:tracked-changes',
  'text:ruby-text',
  'text:hidden-text',
  'text:hidden-paragraph',
  'office:forms',
  'office:scripts',
  'office:settings',
  'office:binary-data',
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

export function readOdfStory(xml: Uint8Array | null, context: OdfContext): OdfStory {
  const story = createStory(context);
  readXml(xml ?? '', story);
  return story.end();
}

type Attributes = Record<string, string>;

function createStory(context: OdfContext) {
  const { styles, leftOut } = context;
  const lists = createOdfLists(styles);
  const frames = createOdfFrames(styles, lists, leftOut);
  const { frame, say } = frames;
  let skipped = 0;
  let hiddenSpans: boolean[] = [];
  let placeholder = '';
  let citation = '';
  let hasObject = false;
  /** What a picture is called, and said of it. */
  let described = '';

  function describe(): void {
    const text = altText(described);
    described = '';
    if (text === '') return;
    if (frame().paragraph) say(` ${text} `);
    else frames.emit([block('text', text)]);
  }

  function openObject(a: Attributes): void {
    hasObject = true;
    const { formula, blocks } = context.object(a['xlink:href'] ?? '');
    if (formula !== null && frame().paragraph) say(formula);
    else if (formula !== null) frames.emit([block('text', formula)]);
    frames.emit(blocks);
  }

  /** False: nothing of the element is read. */
  const opens: Readonly<Record<string, (a: Attributes) => boolean | void>> = {
    'draw:page': frames.openPage,
    'text:list': (a) => {
      const one = frame();
      one.lists.push(lists.open(one.lists, a));
    },
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
    'table:table': frames.openTable,
    'table:table-header-rows': () => frames.setHead(true),
    'table:table-row': frames.openRow,
    'table:table-cell': frames.openCell,
  };
  const closes: Readonly<Record<string, () => void>> = {
    'text:p': frames.endParagraph,
    'text:h': frames.endParagraph,
    'text:span': () => {
      hiddenSpans = hiddenSpans.slice(0, -1);
    },
    'text:list': () => {
      frame().lists.pop();
    },
    'svg:title': describe,
    'svg:desc': describe,
    'table:table-header-rows': () => frames.setHead(false),
    'table:table-row': frames.closeRow,
    'table:table': frames.closeTable,
  };

  function openParagraph(name: string, a: Attributes): boolean {
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

  function open(name: string, a: Attributes): boolean {
    if (SKIPPED.has(name) || /^text:.*-source$/.test(name)) {
      if (name === 'text:ruby-text') leftOut.add('readings');
      if (name === 'text:tracked-changes') leftOut.add('deleted_text');
      return false;
    }
    if (name === 'text:p' || name === 'text:h') return openParagraph(name, a);
    const box = SHAPES.has(name) ? 'box' : own(BOXES, name);
    if (box === undefined) return own(opens, name)?.(a) !== false;
    const kind = a['presentation:class'] ?? (name === 'draw:text-box' ? placeholder : '');
    frames.openBox(box, kind, citation);
    if (name === 'draw:text-box') placeholder = '';
    return true;
  }

  return {
    open(name: string, a: Attributes) {
      if (skipped > 0 || !open(name, a)) skipped++;
    },
    text(text: string, path: readonly string[]) {
      if (skipped > 0) return;
      const last = path.at(-1) ?? '';
      if (last === 'svg:title' || last === 'svg:desc') described += text;
      else if (last === 'text:note-citation') citation = text;
      else if (last === 'dc:creator' && frame().box === 'comment') frame().author += text;
      else if (hiddenSpans.includes(true)) leftOut.add('hidden_text');
      else if (last !== 'dc:date' && last !== 'meta:date-string') say(text.replace(/\s+/g, ' '));
    },
    close(name: string) {
      if (skipped > 0) {
        skipped--;
        return;
      }
      if (SHAPES.has(name) || own(BOXES, name) !== undefined) frames.closeBox();
      else own(closes, name)?.();
    },
    end: frames.end,
  };
}
