/**
 * Formulas of an answer, made to code that Markdown leaves alone: models write `\(…\)`, `\[…\]`, `$$…$$` and `$…$`, of which
 * Markdown would take the backslashes away and read underscores as emphasis. What is code already stays as it is.
 */

/** Begins the inline code that is a formula; no text that people write has it. */
export const INLINE_MARK = '\uE0F1';
/** The word behind the fence of a formula on lines of its own; hosts of code write it themselves. */
export const DISPLAY_WORD = 'math';

const MAX_DISPLAY = 4_000;
const MAX_INLINE = 1_000;
const MAX_SINGLE = 300;
const MAX_SPAN = 1_000;
/** Of quotations and lists that a line stands in. */
const MAX_MARGIN = 80;

/** Of prices no formula is made: between single dollars something must look like one. */
const LOOKS_LIKE_ONE = /[\\^_=<>+]|^[A-Za-z]$/;
const FENCE = /^[ \t>]*(`{3,}|~{3,})/;
const MARGIN = /^[ \t>]*$/;
const SPECIAL = /[\\$`]/g;

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
    ticked: finder(text, '`$'),
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
    if (formula.trim() === '' || /\n[ \t>]*\n/.test(formula)) return null;
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
      : { end: close + length, text: asCode(formula) };
  };

  /** pandoc's rule for single dollars: no space inside of them, no figure behind them. */
  const single = (start: number): Piece | null => {
    if (/[\w$\\]/.test(text[start - 1] ?? '') || /\s/.test(text[start + 1] ?? ' ')) return null;
    const line = text.slice(start + 1, Math.min(endOfLine(start), start + MAX_SINGLE));
    const close = line.indexOf('$');
    const formula = line.slice(0, close);
    if (close < 1 || /[\s\\]$/.test(formula) || /^\w/.test(line.slice(close + 1))) return null;
    return LOOKS_LIKE_ONE.test(formula) ? { end: start + close + 2, text: asCode(formula) } : null;
  };

  /** A code span as it is (CommonMark, section 6.1): up to the next run of as many ticks. */
  const span = (start: number): Piece => {
    const [ticks = '`'] = /^`+/.exec(text.slice(start, start + MAX_SPAN)) ?? [];
    const from = start + ticks.length;
    let end = from;
    for (const run of text.slice(from, from + MAX_SPAN).matchAll(/`+/g)) {
      if (run[0].length !== ticks.length) continue;
      end = from + run.index + ticks.length;
      break;
    }
    return { end, text: text.slice(start, end) };
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
            : two === '$`'
              ? within(at, 2, ends.ticked(at + 2))
              : two.startsWith('$')
                ? single(at)
                : two.startsWith('`')
                  ? span(at)
                  : null;
    return found ?? { end: at + (two.startsWith('\\') || two === '$$' ? 2 : 1), text: '' };
  };
};

const inProse = (text: string): string => {
  const read = createReader(text);
  let out = '';
  let at = 0;
  SPECIAL.lastIndex = 0;
  for (let found = SPECIAL.exec(text); found !== null; found = SPECIAL.exec(text)) {
    const piece = read(found.index);
    out +=
      text.slice(at, found.index) + (piece.text === '' ? text.slice(found.index, piece.end) : piece.text);
    at = piece.end;
    SPECIAL.lastIndex = at;
  }
  return out + text.slice(at);
};

export const hasMath = (text: string): boolean => /\\[([]|\$|```math/.test(text);

/** A block of code ends at a fence of its own kind that is as long, or with the text (CommonMark, section 4.5). */
export const withMathAsCode = (text: string): string => {
  if (!hasMath(text)) return text;
  const out: string[] = [];
  let prose: string[] = [];
  let fence: string | null = null;
  const endProse = (): void => {
    if (prose.length > 0) out.push(inProse(prose.join('\n')));
    prose = [];
  };
  for (const line of text.split('\n')) {
    const mark = FENCE.exec(line)?.[1] ?? null;
    if (fence === null && mark === null) {
      prose.push(line);
      continue;
    }
    endProse();
    out.push(line);
    if (fence === null) fence = mark;
    else if (mark?.startsWith(fence)) fence = null;
  }
  endProse();
  return out.join('\n');
};
