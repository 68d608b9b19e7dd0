import type { GroundingPassage } from './port.ts';
import { answersKind, answersPlainly, type Question, readQuestion } from './question.ts';
import { type Candidate, candidatesOf } from './sentences.ts';
import { likeness, stem, type Term } from './words.ts';

/**
 * Pure: the answer of the built-in model. It writes nothing of its own: it finds the sentences of the passages that
 * hold the question's terms and the kind of thing asked for, and quotes them with their numbers, or says that there
 * are none.
 */
export interface Extract {
  /** Sentences joined, each followed by `[n]`. */
  content: string;
  /** Numbers of the passages cited, in order of appearance. */
  cited: number[];
}

/** Share of the question's weight that the sentence must hold, its frame included. */
const MIN_COVERAGE = 0.57;
/** The same, without title, heading and neighbours. */
const MIN_OWN_COVERAGE = 0.3;
/** The same of the terms that are no names and numbers. */
const MIN_PLAIN_COVERAGE = 0.5;
/** A sentence with all of the question's terms needs no sign of the answer's kind. */
const SURE = 0.92;
const ASKED_SURE = 0.75;
/** A further sentence must come this near to the best. */
const NEAR = 0.82;
const MAX_SENTENCES = 3;
/** A term that no passage holds. */
const MISSING_FACTOR = 1.3;
/** What a term is worth that only the frame (title, heading), the sentence that a pronoun points to, or the one before holds. */
const FRAME_WORTH = 0.65;
const BEFORE_WORTH = 0.6;
/** Of a written question that is answered right below it. */
const ASKED_WORTH = 0.9;
const NEIGHBOUR_WORTH = 0.45;
/** Of a term that stands anywhere else in the passage. */
const AROUND_WORTH = 0.4;
/** Of the word that asks for a measure, where the sentence has a number with its unit. */
const MEASURE_WORTH = 0.9;
const PRONOUN =
  /^(?:it|they|he|she|this|these|that|those|its|their|his|her|er|sie|es|dies\w*|il|elle|ils)\b/i;

/** Words that say what kind of answer is wanted rather than about what. */
const GENERIC = new Set(
  'period time kind type sort way thing name number amount rate share percentage value date day year month version people person place find get give gave take use go happen work contact need'
    .split(' ')
    .map(stem),
);

interface Scored {
  candidate: Candidate;
  /** 0–1. */
  coverage: number;
  ownCoverage: number;
  fits: boolean;
  score: number;
}

/** Null when the passages do not answer. */
export function extractAnswer(
  message: string,
  earlier: readonly string[],
  passages: readonly GroundingPassage[],
): Extract | null {
  const question = readQuestion(message, earlier);
  const candidates = candidatesOf(passages);
  const weights = weigh(question, candidates);
  if (weights.size === 0) return null;
  const scored = candidates
    .map((candidate) => score(candidate, question, weights))
    .sort((a, b) => b.score - a.score);
  const best = scored.find((s) => s.fits && s.coverage >= MIN_COVERAGE && s.ownCoverage >= MIN_OWN_COVERAGE);
  if (!best) return null;
  return compose(best, scored, question);
}

/** Rare terms say more (BM25's idf over the candidates); terms that occur nowhere say most, against an answer. */
function weigh(question: Question, candidates: readonly Candidate[]): Map<Term, number> {
  const weights = new Map<Term, number>();
  const all = question.terms.map((term) => ({
    term,
    factor: term.isName ? 1.5 : GENERIC.has(term.stem) ? 0.45 : 1,
  }));
  // A question that leans on the one before is about the same things.
  const context = question.contextTerms.map((term) => ({ term, factor: term.isName ? 0.8 : 0.4 }));
  for (const { term, factor } of [...all, ...context]) {
    const units = question.measure?.stems.has(term.stem) === true ? question.measure.units : null;
    const found = candidates.filter(
      (c) => bestLikeness(term, c.terms) > 0.6 || units?.test(c.text) === true,
    ).length;
    const idf = Math.log(1 + (candidates.length - found + 0.5) / (found + 0.5));
    const missing = found === 0 ? MISSING_FACTOR : 1;
    weights.set(term, Math.min(2.2, 0.6 + idf * 0.5) * factor * missing);
  }
  return weights;
}

function bestLikeness(term: Term, terms: readonly string[]): number {
  let best = 0;
  for (const other of terms) best = Math.max(best, likeness(term.stem, other));
  return best;
}

function score(candidate: Candidate, question: Question, weights: ReadonlyMap<Term, number>): Scored {
  const before = candidate.before?.terms ?? [];
  const isPronoun = PRONOUN.test(candidate.text);
  const leans = candidate.kind === 'item' || isPronoun;
  const beforeWorth = leans ? BEFORE_WORTH : NEIGHBOUR_WORTH;
  const measured = question.measure?.units.test(candidate.text) ?? false;
  let total = 0;
  let own = 0;
  let framed = 0;
  let plain = 0;
  let plainTotal = 0;
  for (const [term, weight] of weights) {
    const inOwn = Math.max(
      bestLikeness(term, candidate.terms),
      measured && question.measure?.stems.has(term.stem) ? MEASURE_WORTH : 0,
    );
    const inAround = bestLikeness(term, candidate.aroundTerms) * AROUND_WORTH;
    const inFrame = bestLikeness(term, candidate.frameTerms) * FRAME_WORTH;
    const inAsked = bestLikeness(term, candidate.asked) * ASKED_WORTH;
    const inBefore = bestLikeness(term, before) * beforeWorth;
    total += weight;
    own += weight * Math.max(inOwn, inAsked, isPronoun ? inBefore : 0);
    const found = Math.max(inOwn, inFrame, inBefore, inAsked, inAround);
    framed += weight * found;
    if (term.isName) continue;
    plainTotal += weight;
    plain += weight * found;
  }
  const length = candidate.text.length;
  const brevity = length > 400 ? 0.1 : length < 15 ? 0.05 : 0;
  const coverage = framed / total;
  const ownCoverage = own / total;
  // What is asked about a name must be there, not the name alone.
  const onlyNames = plainTotal > 0 && plain < plainTotal * MIN_PLAIN_COVERAGE;
  const isKind = answersKind(question.kind, candidate.text, question);
  const sure = ownCoverage >= SURE && question.kind !== 'person';
  const underQuestion = candidate.asked.length > 0 && ownCoverage >= ASKED_SURE;
  // "code: E22" says nothing to who asks about E22.
  const saysNothing =
    candidate.valueTerms?.every((value) => question.terms.some((term) => likeness(term.stem, value) > 0.6)) ??
    false;
  // "How many members": a sentence that speaks of members.
  const { counted } = question;
  const counts =
    counted === null ||
    measured ||
    [candidate.terms, candidate.asked, isPronoun ? before : []].some((terms) =>
      terms.some((term) => likeness(counted, term) > 0.6),
    );
  const fits =
    !onlyNames &&
    counts &&
    !saysNothing &&
    !/[?？]$/.test(candidate.text) &&
    (isKind || sure || underQuestion);
  return {
    candidate,
    coverage,
    ownCoverage,
    fits,
    score:
      coverage +
      ownCoverage * 0.25 +
      (fits ? (isKind ? (answersPlainly(question, candidate.text) ? 0.15 : 0.05) : 0) : -0.25) +
      candidate.passage.score * 0.08 -
      brevity,
  };
}

function compose(best: Scored, scored: readonly Scored[], question: Question): Extract {
  const picked: Candidate[] = [];
  const take = (candidate: Candidate) => {
    if (picked.length < MAX_SENTENCES && !picked.some((p) => isSame(p.text, candidate.text)))
      picked.push(candidate);
  };
  const { candidate } = best;
  // "It stands 41 metres high" says little without what "it" is.
  if (candidate.before && PRONOUN.test(candidate.text) && candidate.before.kind === 'prose')
    take(candidate.before);
  take(candidate);
  for (const other of scored) {
    if (other === best || !other.fits || other.score < best.score * NEAR) continue;
    const bringsMore = question.terms.some(
      (term) =>
        bestLikeness(term, other.candidate.terms) > 0.6 &&
        !picked.some((p) => bestLikeness(term, p.terms) > 0.6),
    );
    if (bringsMore || isSibling(candidate, other)) take(other.candidate);
  }
  if (
    /[:：]$/.test(candidate.text) ||
    question.kind === 'reason' ||
    question.kind === 'manner' ||
    candidate.asked.length > 0
  ) {
    const next = scored.find((s) => s.candidate.before === candidate);
    if (next && (next.candidate.kind === 'item' || next.coverage > 0.25 || next.candidate.asked.length > 0))
      take(next.candidate);
  }
  return {
    content: picked.map((p) => `${p.text} [${p.passage.n}]`).join(' '),
    cited: [...new Set(picked.map((p) => p.passage.n))],
  };
}

/** Items of one list answer together when each does nearly as well as the best. */
const isSibling = (one: Candidate, other: Scored): boolean =>
  one.kind === 'item' && other.candidate.kind === 'item' && other.candidate.passage.n === one.passage.n;

/** Overlapping passages hold the same sentence twice. */
const isSame = (one: string, other: string): boolean =>
  one === other || one.includes(other) || other.includes(one);

/** What is said when `extractAnswer` finds nothing. */
export function describeNoAnswer(passages: readonly GroundingPassage[]): string {
  const near = passages.filter(({ score }) => score >= NEAR_FIT).slice(0, MAX_NEAR);
  if (near.length === 0) {
    return 'I found nothing about this in the documents that you can read, so I cannot answer it.';
  }
  const quotes = near.map(({ n, title, text }) => `- ${title}: “${beginningOf(text)}” [${n}]`);
  return `I found no sentence that answers this. I can only quote; these passages come closest:\n${quotes.join('\n')}`;
}

/** From this fit on a passage is worth being shown to who asked; below it is about something else. */
const NEAR_FIT = 0.3;
const MAX_NEAR = 3;
const MAX_QUOTED = 240;

/** Whole words of a passage's beginning, on one line. */
const beginningOf = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line.length <= MAX_QUOTED) return line;
  const cut = line.slice(0, MAX_QUOTED);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), MAX_QUOTED / 2)).toWellFormed()} …`;
};
