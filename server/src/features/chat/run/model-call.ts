import { AppError } from '../../../kernel/errors.ts';
import type { Grounding, ModelMessage, ModelRef } from '../../../kernel/model.ts';
import type { NanoUsd } from '../../../kernel/money.ts';
import type { LedgerEntry } from '../../costs/index.ts';
import type { ModelCall, ModelCallResult } from '../../models/index.ts';
import type { NumberedPassage } from '../citations.rules.ts';
import { providerSchema } from '../form.ts';
import type { RunState } from '../steps.rules.ts';
import { isLast } from './loop.ts';
import type { RunLoop } from './run.ts';

/** What a model is asked in a loop, and how its answer is taken. */

const LAST_STEP =
  'No more tools can be called in this run. Answer now with what there is, and say plainly what is missing.';

/** Said behind the last result: not every model takes instructions of the house between the turns. */
const withoutFurtherCalls = (messages: readonly ModelMessage[]): ModelMessage[] => {
  const last = messages.at(-1);
  return last === undefined
    ? []
    : [...messages.slice(0, -1), { ...last, content: `${last.content}\n\n[${LAST_STEP}]` }];
};

/** The call as far as its size depends on it. */
export const sizedCall = (run: RunLoop): ModelCall => {
  const { state, specs, plan, context } = run;
  const client = plan.record?.client;
  const last = isLast(run);
  return {
    messages: last ? withoutFurtherCalls(state.messages) : state.messages,
    ...(specs.length === 0 ? {} : { tools: specs }),
    ...(last
      ? { toolChoice: 'none' as const }
      : client?.choice === undefined
        ? {}
        : { toolChoice: client.choice }),
    ...(client?.single ? { parallelToolCalls: false } : {}),
    ...providerSchema(plan.record?.form),
    signal: context.signal,
  };
};

/** The ledger row of a call. */
export const entryOf = (
  ref: ModelRef,
  usage: ModelCallResult['usage'],
  costNanoUsd: NanoUsd,
  estimated: boolean,
): LedgerEntry => ({ kind: 'model', model: ref.id, tool: null, usage, costNanoUsd, estimated });

export const groundingOf = (plan: RunLoop['plan'], passages: readonly NumberedPassage[]): Grounding => ({
  question: plan.question,
  // Null where no search was made: an empty list says that the documents hold nothing.
  passages:
    plan.grounded || passages.length > 0
      ? passages.map(({ n, title, page, text, score }) => ({ n, title, page, text, score }))
      : null,
  memories: plan.memories,
  ...(plan.noted === undefined ? {} : { noted: plan.noted }),
});

/** An answer without a word is no success: withheld by a filter, or nothing at all in a run that has nothing to show. */
export const noAnswer = (answer: ModelCallResult, state: RunState): AppError | null => {
  if (answer.content.trim() !== '') return null;
  const { provider } = answer.ref;
  const fault = (what: string) =>
    new AppError('UPSTREAM_ERROR', `${provider} ${what}`, { details: { provider } });
  if (answer.finishReason === 'content_filter') return fault('withheld its answer (content filter)');
  const shows = state.content.trim() !== '' || state.toolCalls.length > 0;
  return shows || answer.finishReason === 'length' ? null : fault('gave an empty answer');
};
