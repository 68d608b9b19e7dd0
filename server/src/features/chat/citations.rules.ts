import { bounded, isHeadRow, sentenceSpans } from 'pentarch-prose';
import type { Citation } from '../conversations/index.ts';

/** A passage that was shown to the model under a number, with where it comes from. */
export interface NumberedPassage {
  n: number;
  documentId: string;
  chunkId: string;
  title: string;
  page: number | null;
  text: string;
  score: number;
  /** An administrator vouches for its document. */
  trusted?: boolean;
}

/** Sentences of a text; every line ends one. */
const sentencesOf = (text: string): string[] =>
  text.split('\n').flatMap((line) => sentenceSpans(line).map(({ start, end }) => line.slice(start, end)));

const MAX_QUOTE = 320;

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];

const overlap = (words: ReadonlySet<string>, text: string): number => {
  if (words.size === 0) return 0;
  const own = new Set(wordsOf(text));
  let shared = 0;
  for (const word of words) if (own.has(word)) shared++;
  return shared / words.size;
};

const isRow = (line: string): boolean => /\s\|\s/.test(line) || /^\s*\|/.test(line);

/** Words and numbers, short ones too: a cell may be a single digit. */
const valuesOf = (text: string): string[] =>
  text.toLowerCase().match(/[\p{L}\p{N}]+(?:[.,:-]\p{N}+)*/gu) ?? [];

const cellsOf = (row: string): string[] => row.split('|').map((cell) => cell.trim());

/** Of markdown, the line of dashes below a head is passed over. */
const nextRow = (lines: readonly string[], at: number): string[] | undefined => {
  const next = lines.slice(at + 1, at + 3).find((line) => !/^[\s|:-]+$/.test(line));
  return next !== undefined && isRow(next) ? cellsOf(next) : undefined;
};

interface Quotable {
  text: string;
  /** Head of the table that it is a row of; null for prose, and for the head itself. */
  head: string | null;
  kind: 'prose' | 'row' | 'head';
}

/** Sentences, and whole rows of tables: a full stop within a row is part of a value. */
const quotablesOf = (passage: string): Quotable[] => {
  const found: Quotable[] = [];
  let head: string | null = null;
  let inTable = false;
  const lines = passage.split('\n');
  for (const [at, line] of lines.entries()) {
    const text = line.trim();
    if (text === '') continue;
    if (!isRow(line)) {
      inTable = false;
      for (const sentence of sentencesOf(line)) found.push({ text: sentence, head: null, kind: 'prose' });
      continue;
    }
    if (valuesOf(text).length === 0) continue;
    const isHead = !inTable && isHeadRow(cellsOf(line), nextRow(lines, at));
    if (!inTable) head = isHead ? text : null;
    inTable = true;
    found.push({ text, head: isHead ? null : head, kind: isHead ? 'head' : 'row' });
  }
  return found;
};

/** Share of the statement that is found in the part; names of columns say nothing about which row is meant. */
const quoteScore = (statement: string, words: ReadonlySet<string>, part: Quotable): number => {
  if (part.kind === 'prose') return overlap(words, part.text);
  if (part.kind === 'head') return overlap(words, part.text) * 0.5;
  const columns = new Set(part.head === null ? [] : valuesOf(part.head));
  const values = new Set(valuesOf(statement).filter((value) => !columns.has(value)));
  const own = new Set(valuesOf(part.text));
  let shared = 0;
  for (const value of values) if (own.has(value)) shared++;
  return values.size === 0 ? 0 : shared / values.size;
};

/**
 * The part of a passage that a statement rests on, whole and unchanged: its sentence with most words in common, or the
 * row of its table with most of the values.
 */
export const quoteFor = (statement: string, passage: string): string => {
  const words = new Set(wordsOf(statement));
  let best = passage.trim();
  let bestScore = -1;
  for (const part of quotablesOf(passage)) {
    const score = quoteScore(statement, words, part);
    if (score > bestScore) {
      bestScore = score;
      best = part.text;
    }
  }
  return [...best].slice(0, MAX_QUOTE).join('');
};

const citationOf = (passage: NumberedPassage, statement: string): Citation => ({
  document_id: passage.documentId,
  title: passage.title,
  chunk_id: passage.chunkId,
  page: passage.page,
  quote: quoteFor(statement, passage.text),
});

/** A longer one is no sentence that only denies. */
const MAX_STATEMENT = 2_000;

/** Says that the passages do not answer, so it rests on none, though it may name them. */
const DENIES = bounded(
  MAX_STATEMENT,
  /\b(?:do|does|did) not (?:\w+ )?(?:answer|say|mention|contain|state|tell|cover)|\b(?:cannot|could not) (?:find|answer)|\bno (?:information|mention|passage)|\b(?:nicht|keine Angaben?)\b.*\b(?:Dokument|Unterlagen)/i,
);

/** From this share of a statement's words on, an unmarked answer is taken to rest on the passage. */
const RESTS_ON = 0.6;

/**
 * Citations of an answer: by the markers [n] that the model set, each passage once, in order of first use. A model that
 * set none is read by overlap of its sentences with the passages.
 */
export const citationsOf = (content: string, passages: readonly NumberedPassage[]): Citation[] => {
  if (passages.length === 0) return [];
  const byNumber = new Map(passages.map((passage) => [passage.n, passage]));
  const found = new Map<number, Citation>();
  let before = 0;
  let sentence = '';
  // What is cited twice is quoted from the first of its sentences to the last, where they stand near each other.
  const widen = (passage: NumberedPassage, known: Citation, sentence: string): void => {
    const quote = quoteFor(sentence, passage.text);
    const [first, second] = [passage.text.indexOf(known.quote), passage.text.indexOf(quote)];
    if (first < 0 || second < 0) return;
    const start = Math.min(first, second);
    const end = Math.max(first + known.quote.length, second + quote.length);
    if (end - start <= MAX_QUOTE) known.quote = passage.text.slice(start, end);
  };
  for (const match of content.matchAll(/\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]/g)) {
    const said = sentencesOf(content.slice(before, match.index)).at(-1);
    before = match.index + match[0].length;
    // Markers beside each other stand behind one statement.
    if (said !== undefined && valuesOf(said).length > 0) sentence = said;
    for (const number of (match[1] ?? '').split(',')) {
      const passage = byNumber.get(Number(number));
      if (passage === undefined) continue;
      const known = found.get(passage.n);
      if (known === undefined) found.set(passage.n, citationOf(passage, sentence));
      else widen(passage, known, sentence);
    }
  }
  if (found.size > 0) return [...found.values()];
  for (const sentence of sentencesOf(content)) {
    const words = new Set(wordsOf(sentence));
    if (words.size < 4 || DENIES.test(sentence)) continue;
    const best = passages
      .map((passage) => ({ passage, score: overlap(words, passage.text) }))
      .sort((a, b) => b.score - a.score)[0];
    if (best && best.score >= RESTS_ON && !found.has(best.passage.n)) {
      found.set(best.passage.n, citationOf(best.passage, sentence));
    }
  }
  return [...found.values()];
};

/** The markers of a text moved up by `by`, for a text that joins others. */
export const renumber = (text: string, by: number): string =>
  text.replaceAll(
    /\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]/g,
    (_all, numbers: string) =>
      `[${numbers
        .split(',')
        .map((n) => Number(n) + by)
        .join(', ')}]`,
  );
