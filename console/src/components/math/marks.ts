import { fromMarkdown } from 'mdast-util-from-markdown';

/**
 * Formulas of an answer, made to code that Markdown leaves alone: models write `\(…\)`, `\[…\]`, `$$…$$` and `$…$`, of which
 * Markdown would take the backslashes away and read underscores as emphasis. What is code already stays as it is.
 */

/** Begins the inline code that is a formula; no text that people write has it. */
export const INLINE_MARK = '\uE0F1';
/** What Markdown itself knows the end of. */
const OTHERS: ReadonlySet<string> = new Set([
  'code',
  'inlineCode',
  'link',
  'linkReference',
  'definition',
  'image',
  'imageReference',
  'html',
]);
/** The word behind the fence of a formula on lines of its own; hosts of code write it themselves. */
export const DISPLAY_WORD = 'math';

/** Longer ones stay as they were written: setting one takes time by its square. */
export const MAX_DISPLAY = 4_000;
const MAX_INLINE = 1_000;
const MAX_SINGLE = 300;
/** Of quotations and lists that a line stands in. */
const MAX_MARGIN = 80;
/** Of an address, before a sign in it. */
const MAX_ADDRESS = 200;

/** Of prices no formula is made: between single dollars something must look like one. */
const LOOKS_LIKE_ONE = /[\\^_=<>+]|^[A-Za-z]$/;
/** Variables of a shell or template (`USER_NAME`), and code with texts. */
const LOOKS_LIKE_CODE = /^[A-Za-z]{2,}(?:_[A-Za-z]{2,})+$|["';]/;
const MARGIN = /^[ \t>]*$/;
const SPECIAL = /[\\$]/g;

/** Where `mark` stands next, for places that only grow: the text is read once, however often it is asked. */
const finder = (text: string, mark: string) => {
  let at = -2;
  return (from: number): number => {
    if (at !== -1 && at < from) at = text.indexOf(mark, from);
    return at;
  };
};

const asCode = (formula: string): string => {
  const text = formula.replaceAll('\n', ' ').trim();
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const ticks = '`'.repeat(longest + 1);
  return `${ticks}${INLINE_MARK}${text}${longest === 0 ? '' : ' '}${ticks}`;
};

const asBlock = (formula: string, margin: string): string => {
  const lines = formula.split('\n').map((line) => line.replace(/^[ \t>]*/, ''));
  return ['```math', ...lines.filter((line) => line.trim() !== ''), '```'].join(`\n${margin}`);
};

/** With as many brackets opened as closed, and no formula begun within. */
const isWhole = (formula: string): boolean => {
  if (/\\[()[\]]/.test(formula)) return false;
  let round = 0;
  for (const sign of formula) {
    if (sign === '(') round += 1;
    if (sign === ')') round -= 1;
    if (round < 0) return false;
  }
  return round === 0;
};

/** What takes the place of a piece of the text, up to `end`. */
interface Piece {
  end: number;
  text: string;
}

const createReader = (text: string) => {
  const ends = {
    bracket: finder(text, '\\]'),
    round: finder(text, '\\)'),
    double: finder(text, '$$'),
    line: finder(text, '\n'),
  };
  const endOfLine = (from: number): number => {
    const at = ends.line(from);
    return at === -1 ? text.length : at;
  };

  /** Alone on its lines it is set apart, else within the sentence. */
  const own = (start: number, close: number): Piece | null => {
    if (close === -1 || close - start > MAX_DISPLAY) return null;
    const formula = text.slice(start + 2, close);
    if (formula.trim() === '' || /\n[ \t>]*\n/.test(formula) || /\\[()[\]]/.test(formula)) return null;
    const before = text.slice(Math.max(0, start - MAX_MARGIN), start);
    const margin = before.slice(before.lastIndexOf('\n') + 1);
    const rest = endOfLine(close + 2);
    const alone =
      margin.length < MAX_MARGIN && MARGIN.test(margin) && /^[ \t.,;:]*$/.test(text.slice(close + 2, rest));
    return alone ? { end: rest, text: asBlock(formula, margin) } : { end: close + 2, text: asCode(formula) };
  };

  const within = (start: number, length: number, close: number): Piece | null => {
    const formula = text.slice(start + length, close);
    return close === -1 || close > endOfLine(start) || close - start > MAX_INLINE || formula.trim() === ''
      ? null
      : isWhole(formula)
        ? { end: close + length, text: asCode(formula) }
        : null;
  };

  /** pandoc's rule for single dollars: no space inside of them, no figure behind them. */
  const single = (start: number): Piece | null => {
    if (/[\w$\\]/.test(text[start - 1] ?? '') || /\s/.test(text[start + 1] ?? ' ')) return null;
    const line = text.slice(start + 1, Math.min(endOfLine(start), start + MAX_SINGLE));
    const close = line.indexOf('$');
    const formula = line.slice(0, close);
    if (close < 1 || /[\s\\]$/.test(formula) || /^\w/.test(line.slice(close + 1))) return null;
    const address = text.slice(Math.max(0, start - MAX_ADDRESS), start);
    if (LOOKS_LIKE_CODE.test(formula) || address.split(/\s/).at(-1)?.includes('://')) return null;
    return LOOKS_LIKE_ONE.test(formula) ? { end: start + close + 2, text: asCode(formula) } : null;
  };

  return (at: number): Piece => {
    const two = text.slice(at, at + 2);
    const found =
      two === '\\['
        ? own(at, ends.bracket(at + 2))
        : two === '$$'
          ? own(at, ends.double(at + 2))
          : two === '\\('
            ? within(at, 2, ends.round(at + 2))
            : two.startsWith('$')
              ? single(at)
              : null;
    return found ?? { end: at + (two.startsWith('\\') || two === '$$' ? 2 : 1), text: '' };
  };
};

export const hasMath = (text: string): boolean => /\\[([]|\$/.test(text);

interface MarkdownNode {
  type: string;
  position?: { start: { offset?: number | undefined }; end: { offset?: number | undefined } } | undefined;
  children?: readonly MarkdownNode[];
}

/** Ends of what Markdown reads by itself: code, addresses, pictures and HTML, each by its beginning. */
const untouched = (text: string): Map<number, number> => {
  const ends = new Map<number, number>();
  const todo: MarkdownNode[] = [fromMarkdown(text)];
  for (let node = todo.pop(); node !== undefined; node = todo.pop()) {
    const from = node.position?.start.offset;
    const to = node.position?.end.offset;
    if (OTHERS.has(node.type)) {
      if (from !== undefined && to !== undefined) ends.set(from, to);
    } else for (const child of node.children ?? []) todo.push(child);
  }
  return ends;
};

const withoutTicks = (span: string): string => {
  const ticks = span.length - span.replace(/^`+/, '').length;
  return span.slice(ticks, span.length - ticks);
};

/** A text whose formulas are code: in one line, or as a block of the language `math`. */
export const withMathAsCode = (given: string): string => {
  if (!hasMath(given)) return given;
  const text = given.replaceAll('\r\n', '\n');
  const read = createReader(text);
  const others = [...untouched(text)].sort(([a], [b]) => a - b);
  let out = '';
  let at = 0;
  const readUpTo = (end: number): void => {
    SPECIAL.lastIndex = at;
    for (let found = SPECIAL.exec(text); found !== null && found.index < end; found = SPECIAL.exec(text)) {
      const piece = read(found.index);
      // What reaches into code is none.
      const isOne = piece.text !== '' && piece.end <= end;
      const next = isOne ? piece.end : Math.min(end, found.index + (text[found.index] === '\\' ? 2 : 1));
      out += text.slice(at, found.index) + (isOne ? piece.text : text.slice(found.index, next));
      at = next;
      SPECIAL.lastIndex = at;
    }
    out += text.slice(at, Math.max(at, end));
    at = Math.max(at, end);
  };
  for (const [from, to] of others) {
    if (from < at) continue;
    // $`…`$, as hosts of code write it.
    const isFormula = text[from] === '`' && text[from - 1] === '$' && text[to] === '$';
    readUpTo(isFormula ? from - 1 : from);
    out += isFormula ? asCode(withoutTicks(text.slice(from, to))) : text.slice(at, to);
    at = isFormula ? to + 1 : to;
  }
  readUpTo(text.length);
  return out;
};
