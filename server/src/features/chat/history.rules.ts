import type { ModelMessage } from '../../kernel/model.ts';
import type { Picture } from '../../kernel/picture.ts';
import { estimatePictureTokens } from '../../kernel/pictures/tokens.ts';
import { estimatePromptTokens, estimateTokens } from '../../kernel/tokens.ts';

/** How much of a conversation goes along with a new message. Tokens are estimates (kernel/tokens.ts). */
export interface HistoryTurn {
  role: 'user' | 'assistant';
  content: string;
  /** Of a question: what was shown with it. */
  pictures?: readonly Picture[];
  /** Of an answer: calls of the client's tools, with their results, that came before its words. */
  before?: readonly ModelMessage[];
}

const TURN_OVERHEAD_TOKENS = 4;
/** Estimates are no counts: this part of a window stays free for what they miss. */
const MARGIN = 0.1;

export const turnTokens = ({ content, before, pictures }: HistoryTurn): number =>
  estimateTokens(content) +
  (pictures === undefined ? 0 : pictures.reduce((sum, one) => sum + estimatePictureTokens(one), 0)) +
  TURN_OVERHEAD_TOKENS +
  (before === undefined ? 0 : estimatePromptTokens({ messages: [...before] }));

export const historyTokens = (turns: readonly HistoryTurn[]): number =>
  turns.reduce((sum, turn) => sum + turnTokens(turn), 0);

/**
 * Room for history: what the window leaves after instructions, tools, passages and the new message (`fixedTokens`) and
 * the answer, and never more than the setting allows. The answer is given at most a quarter of the window here: a cap
 * that is larger than the window would leave nothing.
 */
export const historyBudget = (input: {
  windowTokens: number;
  fixedTokens: number;
  outputTokens: number;
  maxHistoryTokens: number;
}): number => {
  const answer = Math.min(input.outputTokens, Math.floor(input.windowTokens / 4));
  const room = Math.floor(input.windowTokens * (1 - MARGIN)) - input.fixedTokens - answer;
  return Math.max(0, Math.min(room, input.maxHistoryTokens));
};

/** A message of this part of the window is taken where the settings leave less: then it is not its length that is at fault. */
const ALWAYS_SHARE = 0.25;

/** Room for a message beside what goes along with it and the answer, history left out. */
export const messageRoom = (input: {
  windowTokens: number;
  fixedTokens: number;
  outputTokens: number;
}): number => {
  const room = historyBudget({ ...input, maxHistoryTokens: input.windowTokens });
  return Math.max(room, Math.floor(input.windowTokens * ALWAYS_SHARE));
};

/** The newest turns that fit, from a question on (a history that begins with an answer makes no sense); and those before. */
export const splitTurns = <T extends HistoryTurn>(
  turns: readonly T[],
  budgetTokens: number,
  maxTurns = Number.POSITIVE_INFINITY,
): { older: T[]; kept: T[] } => {
  let from = turns.length;
  let left = budgetTokens;
  while (from > 0 && turns.length - from < maxTurns) {
    const turn = turns[from - 1];
    if (turn === undefined) break;
    left -= turnTokens(turn);
    if (left < 0) break;
    from -= 1;
  }
  while (from < turns.length && turns[from]?.role === 'assistant') from += 1;
  return { older: turns.slice(0, from), kept: turns.slice(from) };
};

/** Parts of the budget when something has to be summarised: the rest stays free, so that the next turns fit as they are. */
export const KEPT_SHARE = 0.5;
const SUMMARY_SHARE = 0.25;
const MAX_SUMMARY_TOKENS = 800;
/** A summary may be longer than asked for by this factor. */
export const LONGER = 1.5;
/** No summary has more, in the bytes that `promptBound` counts: four to a character, eight to an estimated token. */
export const LONGEST_SUMMARY_BYTES = MAX_SUMMARY_TOKENS * LONGER * 8;

export const summaryTokens = (budgetTokens: number): number =>
  Math.max(32, Math.min(MAX_SUMMARY_TOKENS, Math.floor(budgetTokens * SUMMARY_SHARE)));

/** Each text cut evenly, so that all of them together are at most so many tokens. */
export const shorten = (turns: readonly HistoryTurn[], maxTokens: number): HistoryTurn[] => {
  const total = historyTokens(turns);
  if (total <= maxTokens || turns.length === 0) return [...turns];
  const share = Math.max(4, Math.floor(maxTokens / turns.length) - TURN_OVERHEAD_TOKENS);
  return turns.map((turn) => {
    const tokens = estimateTokens(turn.content);
    if (tokens <= share) return turn;
    const characters = Math.max(8, Math.floor((turn.content.length * share) / tokens));
    return { ...turn, content: `${turn.content.slice(0, characters).toWellFormed()} …` };
  });
};
