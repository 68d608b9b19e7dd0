import type { ModelRef } from '../../kernel/model.ts';
import { looksLikeQuestion } from '../agents/index.ts';
import type { NumberedPassage } from './citations.rules.ts';

/** From this fit on passages are worth being shown to an agent that is not there for documents. */
const RESERVE_FIT = 0.3;

/**
 * The built-in model can do little without documents: to a question that its agent's tools do not answer, it tells what
 * the documents say, where they say something.
 */
export const documentsInReserve = async (
  model: ModelRef,
  message: string,
  passagesOf: () => Promise<NumberedPassage[]>,
): Promise<NumberedPassage[] | null> => {
  if (model.provider !== 'builtin' || !looksLikeQuestion(message)) return null;
  const passages = await passagesOf();
  return (passages[0]?.score ?? 0) >= RESERVE_FIT ? passages : null;
};
