import { sentenceSpans } from 'pentarch-prose';
import { estimateTokens } from '../../kernel/tokens.ts';
import type { HistoryTurn } from './history.rules.ts';

/**
 * A summary without a model: the sentences that say most about what the conversation was about, word for word and in
 * their order, each with who said it. Nothing is made up.
 */
interface Candidate {
  line: string;
  words: Set<string>;
  bonus: number;
  tokens: number;
  /** Place in the conversation. */
  at: number;
}

const WORD = /[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu;
const MIN_WORD = 4;
const MAX_SENTENCE_CHARACTERS = 400;
/** More than this many are not weighed against each other: those that say least drop out first. */
const MAX_CANDIDATES = 2_000;
const MAX_WEIGHT = 2;
/** What a word that is told already still counts. */
const REPEATED = 0.1;
/** What people say of themselves and ask to be kept. */
const PERSONAL =
  /\b(my|mine|i am|i'm|i’m|we are|our|name|prefer|remember|always|never|must|deadline|decided)\b/i;
const QUESTION = /\?\s*$/;
/** A number, or a name: a capital behind the first word. */
const CONCRETE = /\d|\s\p{Lu}\p{Ll}/u;

const wordsOf = (text: string): Set<string> =>
  new Set(
    (text.toLowerCase().match(WORD) ?? []).filter((word) => word.length >= MIN_WORD || /\d/.test(word)),
  );

const PERSON = 'Person: ';
const AGENT = 'Agent: ';

const candidateOf = (line: string, at: number, carried: boolean): Candidate => {
  const said = line.startsWith(PERSON) ? line.slice(PERSON.length) : line.replace(AGENT, '');
  const words = wordsOf(said);
  const person = said !== line && line.startsWith(PERSON);
  const bonus =
    (person ? 1 : 0) +
    (person && PERSONAL.test(said) ? 2 : 0) +
    (CONCRETE.test(said) ? 1 : 0) +
    (carried ? 0.5 : 0) -
    (QUESTION.test(said) ? 0.5 : 0) -
    // A greeting, thanks: nothing that is missed later.
    (words.size < 3 && !CONCRETE.test(said) ? 2 : 0);
  return { line, words, bonus, tokens: estimateTokens(line) + 1, at };
};

const linesOf = (turn: HistoryTurn): string[] =>
  sentenceSpans(turn.content).map((span) => {
    const whole = turn.content.slice(span.start, span.end).replaceAll(/\s+/g, ' ');
    const cut = whole.length > MAX_SENTENCE_CHARACTERS;
    const said = cut ? `${whole.slice(0, MAX_SENTENCE_CHARACTERS).toWellFormed()} …` : whole;
    return `${turn.role === 'user' ? PERSON : AGENT}${said}`;
  });

/** At most `maxTokens` of text; empty where nothing has been said. */
export const extractSummary = (
  earlier: string | null,
  turns: readonly HistoryTurn[],
  maxTokens: number,
): string => {
  const carried = (earlier ?? '').split('\n').filter((line) => line.trim() !== '');
  const lines = [...carried, ...turns.flatMap(linesOf)];
  const unique = new Map(lines.map((line, at) => [line, at]));
  const all = [...unique]
    .map(([line, at]) => candidateOf(line, at, at < carried.length))
    .filter((candidate) => candidate.words.size > 0);
  const seenIn = new Map<string, number>();
  for (const { words } of all) for (const word of words) seenIn.set(word, (seenIn.get(word) ?? 0) + 1);
  // A word that comes back is what it is about; one that is everywhere says nothing.
  const weightOf = (word: string): number => {
    const n = seenIn.get(word) ?? 0;
    return n > all.length / 2 && all.length > 4 ? 0 : Math.min(MAX_WEIGHT, Math.log2(1 + n));
  };
  const told = new Set<string>();
  const scoreOf = ({ words, bonus }: Candidate): number => {
    let sum = 0;
    for (const word of words) sum += weightOf(word) * (told.has(word) ? REPEATED : 1);
    return sum / Math.sqrt(words.size) + bonus;
  };
  let open = all
    .map((candidate) => ({ candidate, score: scoreOf(candidate) }))
    .sort((a, b) => b.score - a.score || a.candidate.at - b.candidate.at)
    .slice(0, MAX_CANDIDATES)
    .map(({ candidate }) => candidate);
  const chosen: Candidate[] = [];
  let left = maxTokens;
  for (;;) {
    open = open.filter((candidate) => candidate.tokens <= left);
    const first = open[0];
    if (first === undefined) break;
    let best = first;
    let bestScore = scoreOf(first);
    for (const candidate of open) {
      const score = scoreOf(candidate);
      if (score > bestScore) [best, bestScore] = [candidate, score];
    }
    chosen.push(best);
    left -= best.tokens;
    for (const word of best.words) told.add(word);
    open = open.filter((candidate) => candidate !== best);
  }
  return chosen
    .sort((a, b) => a.at - b.at)
    .map(({ line }) => line)
    .join('\n');
};
