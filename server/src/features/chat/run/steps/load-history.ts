import type { Along } from '../../../../db/db.ts';
import { conflict } from '../../../../kernel/errors.ts';
import { estimatePromptTokens } from '../../../../kernel/tokens.ts';
import { attachedBefore } from '../../attachments.ts';
import { readHanded, withResults } from '../../continued.ts';
import { namedParent } from '../../follows.rules.ts';
import { historyBudget } from '../../history.rules.ts';
import { createHistory } from '../../history.ts';
import { shownTurns } from '../../pictures/shown.ts';
import type { AttachedDocument } from '../../ports.ts';
import { buildPrompt } from '../../prompt.rules.ts';
import type { PlanStep, RunState } from '../../steps.rules.ts';
import type { Asking, Prompt, StartDeps } from '../run.ts';

type Histories = ReturnType<typeof createHistory>;

/** What was said before a message. */
export interface History {
  known: Awaited<ReturnType<Histories['known']>>;
  /** The run that this one goes on with, with the results of its client's calls. */
  continued: { plan: PlanStep; state: RunState } | null;
  /** Of the person, oldest first. */
  questions: readonly string[];
  /** Documents of earlier messages. */
  attached: readonly AttachedDocument[];
}

/** The run that has handed calls to the client, with their results. Throws CONFLICT where it is kept no longer. */
const continuedRun = async ({ store }: StartDeps, { message, given }: Asking) => {
  const { continues } = given;
  if (continues === undefined) return null;
  const handed = await readHanded(store, message.caller, continues.runId);
  if (handed === null) throw conflict('the run of these calls is kept no longer');
  return { plan: handed.plan, state: withResults(handed, continues.results) };
};

/** Second step: of a stored conversation, or of the turns that a client brought along where there is none. */
export const loadHistory = async (deps: StartDeps, asking: Asking): Promise<History> => {
  const { message, conversation, given } = asking;
  const named = message.again === undefined ? namedParent(message.request) : message.again.parentId;
  const known = await createHistory(deps).known(conversation, given.history, named);
  const continued = await continuedRun(deps, asking);
  const questions = known.turns.filter((turn) => turn.role === 'user').map((turn) => turn.content);
  const attached = await attachedBefore(deps, message.caller, known);
  return { known, continued, questions, attached };
};

/**
 * Once everything but the history is there: what room that leaves decides how much of it goes along. What does not fit
 * is summarised, which a model may be paid for. A run that goes on with another has its prompt already.
 */
export const fitHistory = async (
  deps: StartDeps,
  asking: Asking,
  { known, continued }: History,
  { agent, parts, specs, model }: Prompt,
  setAside: Along,
): ReturnType<Histories['fit']> => {
  const nothing = known.turns.length === 0 && known.summary === null;
  if (continued !== null || nothing) return { turns: [], summary: null, spent: null };
  const budgetTokens = historyBudget({
    windowTokens: deps.models.contextTokens(model),
    fixedTokens: estimatePromptTokens({
      messages: buildPrompt(parts),
      ...(specs.length === 0 ? {} : { tools: specs }),
    }),
    outputTokens: asking.outputTokens,
    maxHistoryTokens: deps.maxHistoryTokens,
  });
  const sees = deps.models.seeing(model, false) !== null;
  const turns = shownTurns(known.turns, { sees, tokens: budgetTokens, own: asking.message.pictures?.own });
  return createHistory(deps).fit({ ...known, turns }, budgetTokens, {
    model,
    subject: { ...asking.subject, agentId: agent.definition.id },
    spending: asking.spending,
    setAside,
    signal: asking.message.signal,
  });
};
