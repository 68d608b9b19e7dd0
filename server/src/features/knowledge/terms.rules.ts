/**
 * How text becomes the words of the full-text index: the same for documents and queries, and for both databases.
 * Letters are folded (case, width, accents); scripts that are written without spaces, and Hangul, become overlapping
 * pairs of characters, so that any part of two or more characters is found (a trigram index misses words of two, which
 * most Chinese and Japanese words are).
 */
const SCRIPTS =
  '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\u30fc\\u3005]';
/** Letters, numbers and marks of them: scripts have symbols too, which no index takes as words. */
const UNSPACED_CLASS = `[${SCRIPTS}&&[\\p{L}\\p{N}\\p{M}]]`;
const UNSPACED = new RegExp(UNSPACED_CLASS, 'v');
/** Groups: a run of such a script, or a word. */
const PARTS = new RegExp(`(${UNSPACED_CLASS}+)|([[\\p{L}\\p{N}\\p{M}]--${SCRIPTS}]+)`, 'gv');
const ACCENTS =
  /(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}])\p{M}+/gu;
/** Longer runs are data, not words; cut so that no engine refuses them. */
const MAX_WORD = 64;

const ASCII = /^[\x00-\x7f]*$/;

export const fold = (text: string): string => {
  // Most words by far, and ten times faster than the normal forms.
  if (ASCII.test(text)) return text.toLowerCase();
  return text.normalize('NFKD').replace(ACCENTS, '').normalize('NFKC').toLowerCase().replaceAll('ß', 'ss');
};

/** What the filter by name looks through. */
export const foldedName = (title: string, filename: string | null): string =>
  fold(`${title}\n${filename ?? ''}`);

const pairs = (run: string): string[] => {
  const characters = [...run];
  const out: string[] = [];
  for (let i = 0; i + 1 < characters.length; i++) out.push(`${characters[i]}${characters[i + 1]}`);
  return out;
};

/** Words for the index, in order, separated by blanks. */
export const indexText = (text: string): string => {
  const out: string[] = [];
  for (const [, run, word] of fold(text).matchAll(PARTS)) {
    if (run !== undefined) {
      out.push(...pairs(run));
      // The last character alone, which begins no pair: a query of one character is a prefix.
      out.push([...run].at(-1) ?? run);
    } else if (word !== undefined) out.push(word.slice(0, MAX_WORD));
  }
  return out.join(' ');
};

/** For the full-text index; headings that stand in the chunk count as title all the same. */
export const wordsOf = (chunk: {
  headingPath: readonly string[];
  text: string;
  tableHead: string | null;
}): { titleWords: string; words: string } => ({
  titleWords: indexText(chunk.headingPath.join('\n')),
  // Passages of an earlier release do not repeat the head themselves.
  words: indexText(
    chunk.tableHead === null || chunk.text.startsWith(`${chunk.tableHead}\n`)
      ? chunk.text
      : `${chunk.tableHead}\n${chunk.text}`,
  ),
});

export interface QueryTerm {
  text: string;
  /** A single character of an unspaced script: it stands for all that begins with it. */
  prefix: boolean;
  /** How often the query has it, up to 4. */
  count: number;
}

/** Words that nearly every passage has; they cost time and say nothing. Kept when a query has no others. */
const STOP_WORDS = new Set(
  `a an and are as at be been but by can could did do does for from had has have how i if in into is it its may me my
  of on or our shall should so such than that the their them then there these they this those to was we were what when
  where which who whom why will with would you your
  der die das den dem des ein eine einer eines und oder ist sind war mit von zu im auf für als auch
  le la les un une des et ou est sont dans pour par sur el los las una y es en por para con del
  il lo gli di che e non per`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

/**
 * A word that over half of a tenant's passages have says next to nothing in BM25: it is looked for all the same where no
 * more passages than this have it.
 */
export const COMMON_FROM = 1_000;

const MAX_QUERY_TERMS = 48;
const MAX_COUNT = 4;

/** The distinct words of a query in order; the first ones of a very long one. */
export const queryTerms = (query: string): QueryTerm[] => {
  const found = new Map<string, QueryTerm>();
  const stops = new Map<string, QueryTerm>();
  const add = (to: Map<string, QueryTerm>, text: string, prefix: boolean): void => {
    const known = to.get(text);
    if (known) known.count = Math.min(MAX_COUNT, known.count + 1);
    else to.set(text, { text, prefix, count: 1 });
  };
  for (const [, run, word] of fold(query).matchAll(PARTS)) {
    if (run !== undefined) {
      const parts = pairs(run);
      if (parts.length === 0) add(found, run, true);
      for (const text of parts) add(found, text, false);
    } else if (word !== undefined) {
      const text = word.slice(0, MAX_WORD);
      add(STOP_WORDS.has(text) ? stops : found, text, false);
    }
  }
  const terms = found.size > 0 ? found : stops;
  return [...terms.values()].slice(0, MAX_QUERY_TERMS);
};

/** A rough stem, for showing matches only: the engines have real ones. */
const stem = (word: string): string => {
  if (word.length < 5) return word.length === 4 && word.endsWith('s') ? word.slice(0, 3) : word;
  const cut = word.replace(/(?:ations?|ings?|edly|ies|ied|ers?|ed|es|ly|s|e|y)$/, '');
  return cut.length >= 3 ? cut : word;
};

export interface TermMatch {
  /** UTF-16 offsets into the text. */
  start: number;
  end: number;
  term: string;
}

/** Where a text has words of the query. */
export const termMatches = (text: string, terms: readonly QueryTerm[]): TermMatch[] => {
  const words = new Map<string, string>();
  const unspaced: QueryTerm[] = [];
  for (const term of terms) {
    if (UNSPACED.test(term.text)) unspaced.push(term);
    else words.set(stem(term.text), term.text);
  }
  const matches: TermMatch[] = [];
  for (const match of text.matchAll(PARTS)) {
    const [whole, run, word] = match;
    if (word !== undefined) {
      const term = words.get(stem(fold(word).slice(0, MAX_WORD)));
      if (term !== undefined) matches.push({ start: match.index, end: match.index + whole.length, term });
    } else if (run !== undefined && unspaced.length > 0) {
      const folded = fold(run);
      // Folding of width keeps lengths; where it does not, the run as a whole is what matched.
      const exact = folded.length === run.length;
      for (const term of unspaced) {
        const at = folded.indexOf(term.text);
        if (at < 0) continue;
        const start = match.index + (exact ? at : 0);
        matches.push({ start, end: exact ? start + term.text.length : start + run.length, term: term.text });
      }
    }
  }
  return matches.sort((a, b) => a.start - b.start);
};
