import type { Queryable } from '../../db/db.ts';
import { type Caller, ownScope } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { iso } from '../../kernel/clock.ts';
import { AppError, conflict, invalid, notFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { ModelRef, ModelUsage } from '../../kernel/model.ts';
import { addNano, type NanoUsd } from '../../kernel/money.ts';
import { estimatePromptTokens } from '../../kernel/tokens.ts';
import type { AgentTool, ToolSource } from '../../kernel/tools.ts';
import { type AgentService, type EffectiveAgent, isQuestion, type RouteChoice } from '../agents/index.ts';
import { titleFrom } from '../conversations/index.ts';
import type { CostSubject, Hold } from '../costs/index.ts';
import type { Models } from '../models/index.ts';
import type { NumberedPassage } from './citations.rules.ts';
import { holdRequest, type RunPlan } from './execute.ts';
import { historyBudget, LONGEST_SUMMARY_BYTES } from './history.rules.ts';
import { createHistory, type FittedHistory, type KnownHistory } from './history.ts';
import { packJournal, type RunEvent } from './journal.rules.ts';
import type { RunCosts, RunMemory, SearchPassages } from './ports.ts';
import { buildPrompt, type PromptInput, searchQuery } from './prompt.rules.ts';
import { addressing, type GivenInput, type ParsedContext, samplingOf } from './request.ts';
import type { ChatRequest } from './schema.ts';
import { createReserve, type SetAside } from './set-aside.ts';
import { type PlanStep, type RunState, startState } from './steps.rules.ts';
import { type ChatStore, insertConversation, insertMessage, insertRun, touchConversation } from './store.ts';
import { toolsOf } from './tool-list.ts';
import { toolSpecs } from './tools.rules.ts';
import { addUsage, NO_USAGE } from './usage.rules.ts';

/** From a request to a run that is stored and ready to go: conversation, agent, documents, prompt, reservation. */
export interface StartDeps {
  store: ChatStore;
  agents: AgentService;
  choose: ChooseAgent;
  models: Models;
  costs: RunCosts;
  search: SearchPassages;
  memory: RunMemory;
  toolSources: readonly ToolSource[];
  clock: Clock;
  maxOutputTokens: number;
  /** Most tokens of history that go along. */
  maxHistoryTokens: number;
  onError(error: unknown, message: string): void;
}

/** Picks the agent of a message that names none. */
export type ChooseAgent = (input: {
  caller: Caller;
  text: string;
  agents: ReadonlyMap<string, EffectiveAgent>;
  previousAgentId: string | null;
  documentsFit: () => Promise<number>;
  subject: CostSubject;
  /** Called before a model is asked: see `SetAside`. */
  setAside: (agentId: string) => Promise<SetAside>;
  signal: AbortSignal;
}) => Promise<RoutedChoice>;

/** A choice, and what a model that was asked for it has cost. */
export interface RoutedChoice extends RouteChoice {
  spent?: { costNano: NanoUsd; usage: ModelUsage };
  /** The built-in router's choice, where a model has made another. */
  instead?: RouteChoice;
}

/** A stored run with all that its execution needs; made by a request, or read back after a restart. */
export interface StartedRun {
  runId: string;
  messageId: string;
  conversationId: string;
  questionId: string;
  plan: StoredPlan;
  state: RunState;
  /** Events of the start: these stand in the store with the run. */
  events: RunEvent[];
  subject: CostSubject;
  /** What of the answer is in the store already: a run that has waited has stored what it had. */
  stored: { answered: boolean; costNano: NanoUsd };
}

/** The plan of a run of its own, which keeps its record. */
export interface StoredPlan extends RunPlan {
  record: PlanStep;
}

export const planOf = (
  record: PlanStep,
  agent: EffectiveAgent,
  model: ModelRef,
  tools: readonly AgentTool[],
  firstHold: Hold | null,
  promptBound: number | null = null,
  spentNano: NanoUsd = 0,
): StoredPlan => ({
  agent,
  model,
  question: record.question,
  memories: record.memories,
  grounded: record.grounded,
  tools,
  firstHold,
  promptBound,
  streaming: record.streaming,
  record,
  spending: { nano: spentNano, going: new Set(), lost: [] },
});

const PASSAGES = 6;

/** Asked once, however many ask. */
const once = <T>(ask: () => Promise<T>): (() => Promise<T>) => {
  let asked: Promise<T> | null = null;
  return () => {
    asked ??= ask();
    return asked;
  };
};

/** What has been spent before the first call: on the choice of the agent, and on a summary. */
const sumOf = (...calls: (FittedHistory['spent'] | null)[]): PlanStep['spent'] => {
  const made = calls.filter((call) => call !== null);
  if (made.length === 0) return null;
  return made.reduce(
    (sum, call) => ({
      costNano: addNano(sum.costNano, call.costNano),
      usage: addUsage(sum.usage, call.usage),
    }),
    { costNano: 0, usage: NO_USAGE },
  );
};

export const createStarter = (deps: StartDeps) => {
  const { store, agents, models, costs, clock } = deps;
  const history = createHistory(deps);

  /** The caller's conversation, checked; null for a new one. Throws NOT_FOUND, CONFLICT. */
  const conversationOf = async (caller: Caller, id: string | undefined) => {
    if (id === undefined) return null;
    const row = await store.conversation(ownScope(caller), id);
    if (row === undefined) throw notFound('conversation');
    if (row.status === 'archived') throw conflict('this conversation is archived; restore it to go on');
    return row;
  };

  const directAgent = async (
    caller: Caller,
    agentId: string,
  ): Promise<{ agent: EffectiveAgent; choice: RoutedChoice }> => {
    const agent = await agents.find(caller.tenantId, agentId);
    if (agent === null) throw invalid({ field: '/context/agent_id', reason: 'is not an agent' });
    if (!agent.enabled) throw conflict(`the agent ${agentId} is switched off`);
    return {
      agent,
      choice: {
        agentId,
        reason: 'addressed directly',
        confidence: 1,
        candidates: [{ agent_id: agentId, score: 1 }],
      },
    };
  };

  /**
   * `request.conversation_id` has been entered in the queue by the caller of this. Nothing is stored when it throws,
   * so a refusal (402, 404, 409, 422) leaves no trace.
   */
  const start = async (
    caller: Caller,
    request: ChatRequest,
    context: ParsedContext,
    options: { requestId: string; streaming: boolean; signal: AbortSignal; given?: GivenInput | undefined },
  ): Promise<StartedRun> => {
    const given = options.given ?? {};
    const conversation = await conversationOf(caller, request.conversation_id);
    const conversationId = conversation?.id ?? newId();
    const runId = newId();
    const known = await history.known(conversation, given.history);
    const { turns } = known;
    const requestedModel: ModelRef | null = context.model === null ? null : models.pick(context.model);
    const questions = turns.filter((turn) => turn.role === 'user').map((turn) => turn.content);
    const subject: CostSubject = {
      tenantId: caller.tenantId,
      userId: caller.userId,
      agentId: context.agentId,
      conversationId,
      runId,
      requestId: options.requestId,
    };

    const passagesOf = once(async (): Promise<NumberedPassage[]> => {
      const found = await deps.search(caller, searchQuery(request.message, questions), PASSAGES);
      return found.map((passage, i) => ({ n: i + 1, ...passage }));
    });

    const remembered = once(() => deps.memory.recall(caller, request.message));
    const preferring = once(() => deps.memory.preferences(caller));
    const now = clock.now();
    const sampling = samplingOf(given, deps.maxOutputTokens);
    const outputTokens = sampling?.maxOutputTokens ?? deps.maxOutputTokens;

    /** All that goes to the model but the history. */
    const prepare = async (agent: EffectiveAgent) => {
      const model = requestedModel ?? models.resolve(agent.model, '/model');
      const [passages, tools, memories, preferences] = await Promise.all([
        agent.definition.grounded ? passagesOf() : documentsInReserve(model, request.message, passagesOf),
        toolsOf(deps.toolSources, caller, agent),
        remembered(),
        preferring(),
      ]);
      const parts: PromptInput = {
        agentName: agent.definition.name,
        charter: agent.definition.charter,
        instructions: agent.instructions,
        clientInstructions: given.instructions ?? null,
        preferences,
        memories,
        now: iso(now),
        history: [],
        passages,
        data: context.data,
        message: request.message,
      };
      return { agent, model, passages, tools, specs: toolSpecs(tools), parts };
    };
    type Prepared = Awaited<ReturnType<typeof prepare>>;

    const boundOf = (messages: ReturnType<typeof buildPrompt>, specs: Prepared['specs']): number =>
      models.promptBound({
        messages,
        ...(specs.length === 0 ? {} : { tools: specs }),
        signal: options.signal,
      });

    const reserve = createReserve(costs, store);
    /** Of an answer by this agent, with all of the history that could go along. */
    const setAside = ({ agent, model, parts, specs }: Prepared): SetAside =>
      reserve.of(() => {
        const messages = buildPrompt({ ...parts, history: turns, summary: known.summary?.content ?? null });
        const bound = boundOf(messages, specs) + (known.cut ? LONGEST_SUMMARY_BYTES : 0);
        const whose = { ...subject, agentId: agent.definition.id };
        const whole = holdRequest({ models, maxOutputTokens: outputTokens }, whose, model, bound, 0);
        return { ...whole, worstNano: whole.leastNano ?? whole.worstNano };
      });

    const begin = async (prepared: Prepared, choice: RoutedChoice): Promise<StartedRun> => {
      const { agent, model, passages, tools, specs, parts } = prepared;
      const { memories, preferences } = parts;
      subject.agentId = agent.definition.id;
      const fitted = await fitHistory(
        known,
        prepared,
        outputTokens,
        subject,
        setAside(prepared),
        options.signal,
      );
      const spent = sumOf(choice.spent ?? null, fitted.spent);
      const messages = buildPrompt({ ...parts, history: fitted.turns, summary: fitted.summary });
      const promptBound = boundOf(messages, specs);
      const hold = holdRequest(
        { models, maxOutputTokens: outputTokens },
        subject,
        model,
        promptBound,
        spent?.costNano ?? 0,
      );

      const messageId = newId();
      const questionId = newId();
      const agentIds = [
        ...new Set([
          ...(conversation === null ? [] : (JSON.parse(conversation.agent_ids) as string[])),
          agent.definition.id,
        ]),
      ];
      const events: RunEvent[] = [
        {
          event: 'run.started',
          data: { run_id: runId, conversation_id: conversationId, message_id: messageId },
        },
        {
          event: 'agent.selected',
          data: {
            agent_id: choice.agentId,
            reason: choice.reason,
            confidence: choice.confidence,
            candidates: choice.candidates,
          },
        },
      ];
      const owner = { tenant_id: caller.tenantId, user_id: caller.userId };
      const write = async (tx: Queryable) => {
        // First what may refuse: nothing is written when the reservation does not fit.
        await reserve.give(tx);
        const taken = await costs.hold(tx, hold);
        if (conversation === null) {
          await insertConversation(tx, {
            ...owner,
            id: conversationId,
            title: null,
            status: 'active',
            metadata: given.metadata === undefined ? '{}' : JSON.stringify(given.metadata),
            agent_ids: '[]',
            message_count: 1,
            cost_nano: 0,
            created_at: now,
            updated_at: now,
            archived_at: null,
          });
        } else await touchConversation(tx, { id: conversationId, now });
        await insertMessage(tx, {
          ...owner,
          id: questionId,
          conversation_id: conversationId,
          role: 'user',
          content: request.message,
          agent_id: null,
          tool_calls: null,
          citations: null,
          usage: null,
          metadata: addressing(context),
          cost_nano: 0,
          run_id: runId,
          created_at: now,
        });
        await insertRun(tx, {
          ...owner,
          id: runId,
          conversation_id: conversationId,
          message_id: messageId,
          question_id: questionId,
          status: 'running',
          agent_id: agent.definition.id,
          agent_ids: JSON.stringify([agent.definition.id]),
          request: JSON.stringify({
            v: 1,
            context: request.context ?? {},
            streaming: options.streaming,
            ...(given.history === undefined ? {} : { history: given.history }),
            ...(given.instructions === undefined ? {} : { instructions: given.instructions }),
          }),
          usage: null,
          cost_nano: 0,
          error: null,
          journal: JSON.stringify(packJournal(events)),
          tool_call_count: 0,
          first_token_ms: null,
          created_at: now,
          finished_at: null,
          node_id: store.nodeId,
        });
        return taken;
      };
      // An answer in one piece is told of with the write that ends the run; a stream names the run at once.
      const firstHold = await store.write(write, { repeatable: true, deferred: !options.streaming });

      const title = titleFrom(questions[0] ?? request.message);
      const record: PlanStep = {
        v: 1,
        agentId: agent.definition.id,
        modelId: model.id,
        messages,
        passages: passages ?? [],
        question: request.message,
        memories: [...preferences, ...memories],
        grounded: passages !== null,
        streaming: options.streaming,
        choice: {
          agentId: choice.agentId,
          reason: choice.reason,
          confidence: choice.confidence,
          candidates: choice.candidates,
        },
        agentIds,
        title,
        requestId: options.requestId,
        contextData: Object.keys(context.data).length > 0 || given.instructions !== undefined,
        ...(sampling === null ? {} : { sampling }),
        spent,
      };
      return {
        runId,
        messageId,
        conversationId,
        questionId,
        plan: planOf(record, agent, model, tools, firstHold, promptBound, spent?.costNano ?? 0),
        state: startState(record),
        events,
        subject,
        stored: { answered: false, costNano: 0 },
      };
    };

    try {
      const { agent, choice } =
        context.agentId !== null
          ? await directAgent(caller, context.agentId)
          : await routed(
              caller,
              request.message,
              turns,
              passagesOf,
              subject,
              (one) => prepare(one).then(setAside),
              options.signal,
            );
      const { instead, spent } = choice;
      const other = instead === undefined || instead.agentId === choice.agentId ? undefined : instead;
      return await begin(await prepare(agent), choice).catch(async (error: unknown) => {
        if (other === undefined || !(error instanceof AppError) || error.code !== 'COST_EXCEEDED')
          throw error;
        // The money is there for the router's choice, and set aside.
        const { agent: second } = await directAgent(caller, other.agentId);
        return begin(await prepare(second), { ...other, ...(spent === undefined ? {} : { spent }) });
      });
    } catch (error) {
      await reserve.drop();
      throw error;
    }
  };

  /** Everything but the history is there: what room that leaves decides how much of it goes along. */
  const fitHistory = (
    known: KnownHistory,
    { parts, specs, model }: { parts: PromptInput; specs: ReturnType<typeof toolSpecs>; model: ModelRef },
    outputTokens: number,
    subject: CostSubject,
    setAside: SetAside,
    signal: AbortSignal,
  ): Promise<FittedHistory> | FittedHistory => {
    if (known.turns.length === 0 && known.summary === null) return { turns: [], summary: null, spent: null };
    const budget = historyBudget({
      windowTokens: models.contextTokens(model),
      fixedTokens: estimatePromptTokens({
        messages: buildPrompt(parts),
        ...(specs.length === 0 ? {} : { tools: specs }),
      }),
      outputTokens,
      maxHistoryTokens: deps.maxHistoryTokens,
    });
    return history.fit(known, budget, model, subject, setAside, signal);
  };

  const routed = async (
    caller: Caller,
    text: string,
    turns: readonly { role: string; agent_id: string | null }[],
    passagesOf: () => Promise<NumberedPassage[]>,
    subject: CostSubject,
    setAside: (agent: EffectiveAgent) => Promise<SetAside>,
    signal: AbortSignal,
  ): Promise<{ agent: EffectiveAgent; choice: RoutedChoice }> => {
    const all = await agents.effective(caller.tenantId);
    const enabled = (agentId: string): EffectiveAgent => {
      const agent = all.get(agentId);
      if (agent === undefined || !agent.enabled) throw conflict('no agent is switched on for this message');
      return agent;
    };
    const previousAgentId = turns.findLast((turn) => turn.agent_id !== null)?.agent_id ?? null;
    const choice = await deps.choose({
      caller,
      text,
      agents: all,
      previousAgentId,
      documentsFit: async () => (await passagesOf())[0]?.score ?? 0,
      subject,
      setAside: (agentId) => setAside(enabled(agentId)),
      signal,
    });
    return { agent: enabled(choice.agentId), choice };
  };

  return { start, conversationOf };
};

/** From this fit on passages are worth being shown to an agent that is not there for documents. */
const RESERVE_FIT = 0.3;

/**
 * The built-in model can do little without documents: to a question that its agent's tools do not answer, it tells what
 * the documents say, where they say something.
 */
const documentsInReserve = async (
  model: ModelRef,
  message: string,
  passagesOf: () => Promise<NumberedPassage[]>,
): Promise<NumberedPassage[] | null> => {
  if (model.provider !== 'builtin' || !isQuestion(message)) return null;
  const passages = await passagesOf();
  return (passages[0]?.score ?? 0) >= RESERVE_FIT ? passages : null;
};

export type Starter = ReturnType<typeof createStarter>;
