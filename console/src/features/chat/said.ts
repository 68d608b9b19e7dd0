import type { ChatRequest } from 'pentarch-sdk';
import { type AnswerView, answerOfTurn } from './message-view.tsx';
import type { Running } from './use-turn.ts';

/** One turn of a temporary chat, as the page alone has it. */
export interface Said {
  key: string;
  question: string;
  /** null: nothing came. */
  answer: AnswerView | null;
}

export const asSaid = ({ turn, question, state }: Pick<Running, 'turn' | 'question' | 'state'>): Said => {
  const view = answerOfTurn(turn, false);
  const isEmpty = view.text === '' && view.tools.length === 0;
  return {
    key: turn.runId,
    question: question ?? '',
    answer: isEmpty ? null : state === 'failed' ? { ...view, finishReason: 'failed' } : view,
  };
};

/** What was said before, as the next request brings it along. */
export const historyOf = (said: readonly Said[]): NonNullable<ChatRequest['history']> =>
  said.flatMap(({ question, answer }) => [
    { role: 'user' as const, content: question },
    ...(answer === null || answer.text === '' ? [] : [{ role: 'assistant' as const, content: answer.text }]),
  ]);
