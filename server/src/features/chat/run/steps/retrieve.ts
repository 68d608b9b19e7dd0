import type { Caller } from '../../../../kernel/caller.ts';
import type { ModelRef } from '../../../../kernel/model.ts';
import type { PayingRun } from '../../../../kernel/spending.ts';
import { estimateTokens, picturesIn } from '../../../../kernel/tokens.ts';
import type { AgentTool, ToolContext } from '../../../../kernel/tools.ts';
import { type EffectiveAgent, looksLikeQuestion } from '../../../agents/index.ts';
import { PASSAGES, preferAttached } from '../../attached-passages.rules.ts';
import type { NumberedPassage } from '../../citations.rules.ts';
import { documentsInReserve } from '../../documents-in-reserve.ts';
import { eyesOf } from '../../pictures/eyes.ts';
import { hasShown } from '../../pictures/shown.ts';
import type { AttachedDocument, RunMemory } from '../../ports.ts';
import { searchQuery } from '../../prompt.rules.ts';
import { isTemporary, withoutTraces } from '../../temporary.ts';
import { toolsOf } from '../../tool-list.ts';
import { once } from '../once.ts';
import type { Asking, StartDeps } from '../run.ts';
import type { History } from './load-history.ts';

type Remembered = Awaited<ReturnType<RunMemory['recall']>>;

/** What is known for a message, and what pays for finding it. Each is looked up once, however many ask. */
export interface LookUp {
  run: PayingRun;
  passages: () => Promise<NumberedPassage[]>;
  memories: () => Promise<Remembered>;
  preferences: () => Promise<Remembered>;
}

/** What an agent has to answer with. */
interface Retrieved {
  agent: EffectiveAgent;
  model: ModelRef;
  /** Null where the documents were not searched. */
  passages: NumberedPassage[] | null;
  tools: readonly AgentTool[];
  memories: Remembered;
  preferences: Remembered;
  /** What the memory will keep of the message, for a model that cannot tell by itself. */
  noted: readonly string[];
}

type Sources = Pick<StartDeps, 'search' | 'memory' | 'models' | 'toolSources'>;

/** What is longer is searched for by its beginning. */
const MAX_QUERY_CHARACTERS = 32_768;

/** Documents to look at first. */
interface Attached {
  own: readonly AttachedDocument[];
  earlier: readonly AttachedDocument[];
}

const passagesFor = async (
  { search }: Pick<Sources, 'search'>,
  caller: Caller,
  query: string,
  paying?: PayingRun,
  attached: Attached = { own: [], earlier: [] },
): Promise<NumberedPassage[]> => {
  const all = await search(caller, query, PASSAGES, paying);
  const within = (documents: readonly AttachedDocument[]) =>
    documents.length === 0
      ? []
      : search(
          caller,
          query,
          PASSAGES,
          paying,
          documents.map((document) => document.id),
        );
  const isOwn = new Set(attached.own.map((document) => document.id));
  const own = await within(attached.own);
  const earlier = await within(attached.earlier.filter((document) => !isOwn.has(document.id)));
  const passages = own.length + earlier.length === 0 ? all : preferAttached({ own, earlier, all });
  return passages.map((passage, i) => ({ n: i + 1, ...passage }));
};

/** Part of a model's window that passages may take. */
const WINDOW_SHARE = 0.25;

/** As many as the window of the model has room for, the best first; one in any case. */
export const fittingPassages = (passages: NumberedPassage[], windowTokens: number): NumberedPassage[] => {
  let left = windowTokens * WINDOW_SHARE;
  const beyond = passages.findIndex(({ title, text }) => {
    left -= estimateTokens(title) + estimateTokens(text);
    return left < 0;
  });
  return beyond < 0 ? passages : passages.slice(0, Math.max(1, beyond));
};

const NOTHING_REMEMBERED: Remembered = { texts: [], foreign: false };

/** The built-in model has no window: it reads passages one by one. */
const within = ({ models }: Pick<Sources, 'models'>, model: ModelRef, passages: NumberedPassage[]) =>
  model.provider === 'builtin' ? passages : fittingPassages(passages, models.contextTokens(model));

/** Documents and memories for the message; `before` says whether their search may cost. */
export const createLookUp = (
  deps: Sources,
  { message, runId, conversationId, spending, embedded }: Asking,
  { questions, attached: earlier }: History,
): ((before: () => Promise<void>) => LookUp) => {
  const { caller, request, context } = message;
  const asked = request.message.slice(0, MAX_QUERY_CHARACTERS).toWellFormed();
  const attached = { own: message.attached, earlier };
  const temporary = isTemporary(request);
  const preferences = once(async () => (temporary ? NOTHING_REMEMBERED : deps.memory.preferences(caller)));
  return (before) => {
    const run = { runId, conversationId, agentId: context.agentId, spending, step: embedded, before };
    return {
      run,
      passages: once(() => passagesFor(deps, caller, searchQuery(asked, questions), run, attached)),
      memories: once(async () => (temporary ? NOTHING_REMEMBERED : deps.memory.recall(caller, asked, run))),
      preferences,
    };
  };
};

type Looking = Pick<Sources, 'models'> & Pick<StartDeps, 'maxHistoryTokens'>;

/**
 * Who looks where there is something to be seen: with the message, or in what was said before it. For the latter a model that was
 * named stays, and so does one where none sees.
 */
const modelFor = (
  { models, maxHistoryTokens }: Looking,
  { message, requestedModel }: Asking,
  { known, continued }: History,
  agent: EffectiveAgent,
): ModelRef => {
  const asked = requestedModel ?? models.resolve(agent.model, '/model');
  if (message.pictures !== undefined && message.pictures.own.length > 0)
    return eyesOf(models, asked, requestedModel === null);
  const eyes = requestedModel === null ? models.seeing(asked, true) : null;
  if (eyes === null || eyes.id === asked.id) return asked;
  const isShown =
    continued === null
      ? hasShown(known.turns, Math.min(maxHistoryTokens, models.contextTokens(eyes)))
      : picturesIn(continued.state.messages).length > 0;
  return isShown ? eyes : asked;
};

/** Fourth step. A run that goes on with another has found already what there is. */
export const retrieve = async (
  deps: Sources & Looking,
  asking: Asking,
  history: History,
  agent: EffectiveAgent,
  found: LookUp,
): Promise<Retrieved> => {
  const { message } = asking;
  const { continued, attached } = history;
  const { caller, request } = message;
  const temporary = isTemporary(request);
  const model = modelFor(deps, asking, history, agent);
  const [passages, tools, memories, preferences, noted] = await Promise.all([
    continued !== null
      ? continued.state.passages
      : agent.definition.grounded || message.attached.length + attached.length > 0
        ? found.passages()
        : documentsInReserve(model, request.message, found.passages),
    toolsOf(deps.toolSources, caller, agent),
    continued === null ? found.memories() : NOTHING_REMEMBERED,
    continued === null ? found.preferences() : NOTHING_REMEMBERED,
    continued === null && !temporary && model.provider === 'builtin' && !looksLikeQuestion(request.message)
      ? deps.memory.factsIn(caller, request.message)
      : [],
  ]);
  const fitting = continued === null && passages !== null ? within(deps, model, passages) : passages;
  return {
    agent,
    model,
    passages: fitting,
    tools: temporary ? withoutTraces(tools) : tools,
    memories,
    preferences,
    noted,
  };
};

/** The same for a part of a task that another agent has handed on. */
export const retrieveForTask = async (
  deps: Sources,
  { caller, paying, temporary = false }: Pick<ToolContext, 'caller' | 'paying' | 'temporary'>,
  agent: EffectiveAgent,
  task: string,
): Promise<Retrieved> => {
  const model = deps.models.resolve(agent.model, '/model');
  const passages = agent.definition.grounded
    ? within(deps, model, await passagesFor(deps, caller, task, paying))
    : null;
  const memories = temporary ? NOTHING_REMEMBERED : await deps.memory.recall(caller, task, paying);
  const preferences = temporary ? NOTHING_REMEMBERED : await deps.memory.preferences(caller);
  const all = await toolsOf(deps.toolSources, caller, agent);
  const tools = temporary ? withoutTraces(all) : all;
  return { agent, model, passages, tools, memories, preferences, noted: [] };
};
