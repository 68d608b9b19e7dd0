import { own } from '../../kernel/own.ts';
import type { DocumentBlock } from '../../kernel/parser.ts';
import { fail } from './fault.ts';
import type { LeftOutCount } from './left-out.ts';
import { realTitle } from './office-parts.ts';
import { createRtfFrames, type FrameKind, plainParagraph, type RtfState } from './rtf-frames.ts';
import type { RtfCellPlace } from './rtf-table.ts';
import { readRtf } from './rtf-tokens.ts';

/** Rich Text Format (Microsoft's specification 1.9.1): one pass over its groups. */

type Kind =
  | 'body'
  | 'skip'
  | 'fonts'
  | 'styles'
  | 'title'
  | 'mark'
  | 'note'
  | 'comment'
  | 'author'
  | 'box'
  | 'header'
  | 'footer'
  | 'parts'
  | 'field';

/** What a group changes until it ends. */
interface Group {
  kind: Kind;
  font: number;
  /** Signs that follow a Unicode character for readers that know none. */
  fallback: number;
  hidden: boolean;
  deleted: boolean;
}

const CHARSETS: Readonly<Record<number, number>> = {
  0: 1252,
  77: 10000,
  128: 932,
  129: 949,
  130: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
};
const SYMBOL = -2;
const LABELS: Readonly<Record<number, string>> = {
  866: 'ibm866',
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  10000: 'macintosh',
  54936: 'gb18030',
  65001: 'utf-8',
};
const labelOf = (page: number): string =>
  LABELS[page] ?? (page >= 1250 && page <= 1258 ? `windows-${page}` : 'windows-1252');

/** Groups by the word that they begin with; any other that is ignorable is skipped. */
const KINDS: Readonly<Record<string, Kind>> = {
  fonttbl: 'fonts',
  stylesheet: 'styles',
  info: 'parts',
  title: 'title',
  listtext: 'mark',
  pntext: 'mark',
  footnote: 'note',
  annotation: 'comment',
  atnauthor: 'author',
  shpinst: 'parts',
  shptxt: 'box',
  header: 'header',
  headerl: 'header',
  headerr: 'header',
  headerf: 'header',
  footer: 'footer',
  footerl: 'footer',
  footerr: 'footer',
  footerf: 'footer',
  fldinst: 'field',
  result: 'body',
  fldrslt: 'body',
};
const SKIPPED = new Set(
  'colortbl pict nonshppict shppict filetbl listtable listoverridetable xe template nonesttables private sp shprslt author operator keywords comment doccomm subject manager company category buptim creatim revtim printim objdata datafield ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn generator'.split(
    ' ',
  ),
);
const FRAMES: ReadonlySet<Kind> = new Set(['note', 'comment', 'box', 'header', 'footer']);
const isFrame = (kind: Kind): kind is FrameKind => FRAMES.has(kind);
const SIGNS: Readonly<Record<string, string>> = {
  tab: '\t',
  line: '\n',
  nbsp: '\u00a0',
  nbhyphen: '-',
  emdash: '—',
  endash: '–',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
  emspace: ' ',
  enspace: ' ',
  qmspace: ' ',
  nestcell: ' ',
};
const MAX_GROUPS = 1_000;

export function parseRtf(
  bytes: Uint8Array,
  leftOut: LeftOutCount,
): { title: string | null; blocks: DocumentBlock[] } {
  const reader = createReader(leftOut);
  readRtf(bytes, reader.handler);
  return reader.end();
}

/** Words that say where the cells of the row that is open stand. */
function tableWords(state: RtfState): Readonly<Record<string, (value: number | null) => void>> {
  let place: Omit<RtfCellPlace, 'right'> = { across: false, down: null };
  return {
    trowd: () => {
      state.places = [];
      state.isHead = false;
      place = { across: false, down: null };
    },
    trhdr: () => {
      state.isHead = true;
    },
    clmrg: () => {
      place.across = true;
    },
    clvmgf: () => {
      place.down = 'start';
    },
    clvmrg: () => {
      place.down = 'goes_on';
    },
    cellx: (value) => {
      state.places.push({ ...place, right: value ?? 0 });
      place = { across: false, down: null };
    },
  };
}

function createReader(leftOut: LeftOutCount) {
  const state: RtfState = {
    paragraph: plainParagraph(),
    mark: '',
    author: '',
    headings: new Map(),
    places: [],
    isHead: false,
  };
  const frames = createRtfFrames(state);
  const groups: Group[] = [{ kind: 'body', font: 0, fallback: 1, hidden: false, deleted: false }];
  const group = (): Group =>
    groups.at(-1) ?? { kind: 'skip', font: 0, fallback: 1, hidden: false, deleted: false };
  const pages = new Map<number, number>();
  let codePage = 1252;
  let font = 0;
  let pending: number[] = [];
  let toSkip = 0;
  let title = '';
  let field = '';
  let style = { number: 0, level: null as number | null, name: '' };

  function flushBytes(): void {
    if (pending.length === 0) return;
    const page = (group().kind === 'title' ? null : pages.get(group().font)) ?? codePage;
    const taken = Uint8Array.from(pending);
    pending = [];
    if (page === SYMBOL) say(taken.includes(0xb7) ? '•' : '');
    else say(new TextDecoder(labelOf(page)).decode(taken));
  }

  function say(text: string): void {
    const { kind, hidden, deleted } = group();
    if (kind === 'skip' || kind === 'parts' || kind === 'fonts') return;
    if (kind === 'styles') style.name += text;
    else if (kind === 'title') title += text;
    else if (kind === 'mark') state.mark += text;
    else if (kind === 'field') field += text;
    else if (kind === 'author') state.author += text;
    else if (hidden) leftOut.add('hidden_text');
    else if (deleted) leftOut.add('deleted_text');
    else frames.say(text);
  }

  /** Readings above characters are written as an equation: two texts over each other. */
  function sayBase(): void {
    const text = field.trim();
    if (!text.startsWith('EQ ') || !text.includes('\\o') || !text.endsWith(')')) return;
    const base = text.slice(text.lastIndexOf(',') + 1, -1);
    leftOut.add('readings');
    say(base);
  }

  function endStyle(): void {
    const named = /^\s*heading (\d)\b/i.exec(style.name)?.[1];
    const level = style.level ?? (named === undefined ? null : Number(named));
    if (level !== null) state.headings.set(style.number, Math.min(6, level));
    style = { number: 0, level: null, name: '' };
  }

  /** The word that a group begins with says what the group is; null: any other word. */
  function enter(name: string, ignorable: boolean): boolean {
    const kind = SKIPPED.has(name) ? 'skip' : (own(KINDS, name) ?? (ignorable ? 'skip' : null));
    if (name === 'pict' || name === 'shppict') {
      if (group().kind !== 'skip') leftOut.add('pictures');
    }
    if (name === 'objdata' && group().kind !== 'skip') leftOut.add('embedded_files');
    if (kind === null) return false;
    const current = group();
    if (current.kind === 'skip') return true;
    // Results stand where their field or object stands.
    if (kind !== 'body') current.kind = kind;
    if (kind === 'author') state.author = '';
    if (kind === 'mark') state.mark = '';
    if (kind === 'field') field = '';
    if (isFrame(kind)) frames.open(kind);
    return true;
  }

  const isOn = (value: number | null): boolean => value !== 0;
  const words: Readonly<Record<string, (value: number | null) => void>> = {
    ansicpg: (value) => {
      codePage = value ?? 1252;
    },
    mac: () => {
      codePage = 10000;
    },
    deff: (value) => {
      font = value ?? 0;
      group().font = font;
    },
    f: (value) => {
      group().font = value ?? 0;
    },
    fcharset: (value) => {
      const page = value === 2 ? SYMBOL : CHARSETS[value ?? 0];
      if (group().kind === 'fonts' && page !== undefined) pages.set(group().font, page);
    },
    uc: (value) => {
      group().fallback = Math.max(0, value ?? 1);
    },
    u: (value) => {
      const unit = ((value ?? 0) + 65_536) % 65_536;
      // Signs of Symbol and Wingdings lie in the private area.
      say(unit === 0xf0b7 ? '•' : unit >= 0xf000 && unit <= 0xf0ff ? '' : String.fromCharCode(unit));
      toSkip = group().fallback;
    },
    v: (value) => {
      group().hidden = isOn(value);
    },
    deleted: (value) => {
      group().deleted = isOn(value);
    },
    plain: () => {
      group().hidden = false;
      group().font = font;
    },
    pard: () => {
      if (group().kind !== 'mark') state.paragraph = plainParagraph();
    },
    s: (value) => {
      if (group().kind === 'styles') style.number = value ?? 0;
      else state.paragraph.style = value ?? 0;
    },
    outlinelevel: (value) => {
      const level = (value ?? 9) < 6 ? (value ?? 0) + 1 : null;
      if (group().kind === 'styles') style.level = level;
      else state.paragraph.level = level;
    },
    ilvl: (value) => {
      state.paragraph.listLevel = Math.max(0, Math.min(8, value ?? 0));
    },
    intbl: () => {
      state.paragraph.inTable = true;
    },
    par: frames.endParagraph,
    sect: frames.endParagraph,
    page: () => say(' '),
    cell: frames.endCell,
    row: frames.endRow,
    ...tableWords(state),
  };
  /** Words that only say something in the text itself. */
  const ENDS = new Set(['par', 'sect', 'cell', 'row', 'page']);
  let opened = false;

  const handler = {
    open() {
      flushBytes();
      toSkip = 0;
      if (groups.length > MAX_GROUPS) fail('broken', 'the document is nested too deeply');
      groups.push({ ...group() });
      opened = true;
    },
    close() {
      flushBytes();
      toSkip = 0;
      opened = false;
      const { kind } = group();
      const outer = groups.at(-2);
      if (kind === 'styles' && outer?.kind === 'styles') endStyle();
      if (isFrame(kind) && outer?.kind !== kind) frames.close();
      if (groups.length > 1) groups.pop();
      if (kind === 'field' && outer?.kind !== 'field') sayBase();
    },
    word(name: string, value: number | null, ignorable: boolean) {
      flushBytes();
      const first = opened;
      opened = false;
      if (first && enter(name, ignorable)) return;
      if (toSkip > 0) {
        toSkip--;
        return;
      }
      const { kind } = group();
      if (kind === 'skip') return;
      const isText = kind !== 'fonts' && kind !== 'styles' && kind !== 'parts';
      const sign = own(SIGNS, name);
      if (sign !== undefined && isText) say(sign);
      else if (isText || !ENDS.has(name)) own(words, name)?.(value);
    },
    byte(byte: number) {
      opened = false;
      if (toSkip > 0) toSkip--;
      else if (group().kind !== 'skip') pending.push(byte);
    },
  };

  return {
    handler,
    end(): { title: string | null; blocks: DocumentBlock[] } {
      flushBytes();
      return { title: realTitle(title), blocks: frames.end() };
    },
  };
}
