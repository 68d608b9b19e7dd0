import type { ModelRef } from '../../kernel/model.ts';
import { looksLikeQuestion } from '../agents/index.ts';
import type { NumberedPassage } from './citations.rules.ts';

/** From this fit on passages are shown to an agent that is not there for documents: they are about the question. */
const FITS_WELL = 0.6;
/** The built-in model can do little without documents, and takes what comes closest. */
const FITS_BUILT_IN = 0.3;

/** What the documents say to a question whose agent is not there for documents; null where they say nothing that fits. */
export const documentsInReserve = async (
  model: ModelRef,
  message: string,
  passagesOf: () => Promise<NumberedPassage[]>,
): Promise<NumberedPassage[] | null> => {
  if (!looksLikeQuestion(message)) return null;
  const passages = await passagesOf();
  const fit = model.provider === 'builtin' ? FITS_BUILT_IN : FITS_WELL;
  return (passages[0]?.score ?? 0) >= fit ? passages : null;
};
