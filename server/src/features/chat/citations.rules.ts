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
}

const SENTENCE = /[^.!?。！？\n]+(?:[.!?。！？]+|\n|$)/g;
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
  for (const line of passage.split('\n')) {
    const text = line.trim();
    if (text === '') continue;
    if (!isRow(line)) {
      inTable = false;
      for (const sentence of line.match(SENTENCE) ?? [])
        if (sentence.trim() !== '') found.push({ text: sentence.trim(), head: null, kind: 'prose' });
      continue;
    }
    if (valuesOf(text).length === 0) continue;
    // A passage may begin in the middle of a table: names of columns hold no numbers.
    const isHead = !inTable && !/\p{N}/u.test(text);
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
  for (const match of content.matchAll(/\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]/g)) {
    const statement = content.slice(before, match.index).trim();
    before = match.index + match[0].length;
    const sentence = statement.match(SENTENCE)?.at(-1) ?? statement;
    for (const number of (match[1] ?? '').split(',')) {
      const passage = byNumber.get(Number(number));
      if (passage && !found.has(passage.n)) found.set(passage.n, citationOf(passage, sentence));
    }
  }
  if (found.size > 0) return [...found.values()];
  for (const sentence of content.match(SENTENCE) ?? []) {
    const words = new Set(wordsOf(sentence));
    if (words.size < 4) continue;
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
