/** Pure reading of prose, shared by chunking and by the built-in model. Offsets are UTF-16 code units. */

export interface Span {
  start: number;
  /** Exclusive. */
  end: number;
}

const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/gu;

/** About how many word-piece tokens a text has: an ideograph is one, four letters of other scripts are one. */
export function estimateTokens(text: string): number {
  const wide = text.match(WIDE)?.length ?? 0;
  return Math.ceil(wide + (text.length - wide) / 4);
}

/** Words before a full stop that end no sentence. */
const ABBREVIATION =
  /(?:^|[\s(])(?:\p{Lu}|Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|vs|etc|approx|No|Nr|Fig|Abb|Inc|Ltd|Co|Corp|Bd|Hr|Fr|bzw|ca|usw|Str|Tel|e\.g|i\.e|cf|al|p|pp|z\.B|d\.h|u\.a|[ap]\.m|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Okt|Nov|Dec|Dez)\.$/u;
// What must follow a stop is checked in code: a lookahead here is quadratic on a line of dots.
const END = /[.!?…]+["'”’»)\]]*|[。！？｡]+[”’」』）]*|\n\s*\n/gu;

/**
 * The sentences of a text, in order, without the white space around them. A full stop ends one only before white
 * space, not after an initial or abbreviation, and not before a small letter.
 */
export function sentenceSpans(text: string): Span[] {
  const spans: Span[] = [];
  let start = 0;
  const push = (end: number) => {
    const span = trimSpan(text, start, end);
    if (span.start < span.end) spans.push(span);
    start = end;
  };
  for (const match of text.matchAll(END)) {
    const end = match.index + match[0].length;
    if (/^[.!?…]/.test(match[0]) && end < text.length && !/\s/.test(text[end] ?? '')) continue;
    const isStop = match[0].startsWith('.');
    if (isStop && ABBREVIATION.test(text.slice(Math.max(start, end - 12), match.index + 1))) continue;
    // An ordinal ("3. Mai") or a sentence that goes on.
    if (isStop && (/^\s+\p{Ll}/u.test(text.slice(end, end + 8)) || isOrdinal(text, start, match.index)))
      continue;
    push(end);
  }
  push(text.length);
  return spans;
}

const MONTH_AFTER = /^\.\s+(?:Jan|Feb|M[äa]r|Apr|Ma[ij]|Jun|Jul|Aug|Sep|O[kc]t|Nov|De[zc])\p{Ll}*/u;

/** The number of a list's item, or of a day before its month ("am 3. Mai"). */
function isOrdinal(text: string, start: number, stop: number): boolean {
  const before = text.slice(Math.max(start, stop - 6), stop);
  if (/^\s*\d{1,3}$/.test(before) && stop - start <= 6) return true;
  return /(?:^|\s)\d{1,2}$/.test(before) && MONTH_AFTER.test(text.slice(stop, stop + 14));
}

export function trimSpan(text: string, start: number, end: number): Span {
  let from = start;
  let to = end;
  while (from < to && /\s/.test(text[from] ?? '')) from++;
  while (to > from && /\s/.test(text[to - 1] ?? '')) to--;
  return { start: from, end: to };
}

/** The nearest place at or before `at` that is not inside a surrogate pair. */
export function safeCut(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff && at > 0 ? at - 1 : at;
}

/** A text without the characters of `ends` at its end. `/[…]+$/` would take quadratic time on a run of them elsewhere. */
export function withoutEnd(text: string, ends: string): string {
  let to = text.length;
  while (to > 0 && ends.includes(text.charAt(to - 1))) to--;
  return text.slice(0, to);
}

/** From the first brace to the last: the JSON object of an answer that wraps it in prose or a fence. Null where there is none. */
export function outermostBraces(text: string): string | null {
  const from = text.indexOf('{');
  const to = text.lastIndexOf('}');
  return from < 0 || to < from ? null : text.slice(from, to + 1);
}

const FENCE = '```';

/** What stands in a fence that is all of the text; else the text as it is. */
export function withoutFence(text: string): string {
  const fenced = text.trim();
  if (!fenced.startsWith(FENCE) || !fenced.endsWith(FENCE) || fenced.length < 2 * FENCE.length) return text;
  return fenced.slice(FENCE.length, -FENCE.length).replace(/^json/, '').trim();
}
