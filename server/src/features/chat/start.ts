// Over 500 lines: one start is one closure, since what it has prepared may be begun a second time with another agent.
import type { Queryable } from '../../db/db.ts';
import { together } from '../../db/together.ts';
import { type Caller, ownScope } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { iso } from '../../kernel/clock.ts';
import { AppError, conflict, invalid, notFound } from '../../kernel/errors.ts';
import type { EventOutbox, PlatformEvent } from '../../kernel/events.ts';
import { newId } from '../../kernel/ids.ts';
import type { ModelMessage, ModelRef, ModelUsage } from '../../kernel/model.ts';
import { addNano, type NanoUsd } from '../../kernel/money.ts';
import type { PayingRun, Spending } from '../../kernel/spending.ts';
import { credentialText } from '../../kernel/stored-credential.ts';
import { isTainted, joinTaint, taintText } from '../../kernel/taint.ts';
import { estimatePromptTokens } from '../../kernel/tokens.ts';
import { type AgentTool, type ToolSource, taintOfDescriptions, taintOfPassages } from '../../kernel/tools.ts';
import type { AgentService, EffectiveAgent, RouteChoice } from '../agents/index.ts';
import { titleFrom } from '../conversations/index.ts';
import type { CostSubject, Hold } from '../costs/index.ts';
import type { Models } from '../models/index.ts';
import { askedEvent, taintOfConversation } from './asked.rules.ts';
import type { NumberedPassage } from './citations.rules.ts';
import { offeredSpecs } from './client-tools.rules.ts';
import { readHanded, withResults } from './continued.ts';
import { documentsInReserve } from './documents-in-reserve.ts';
import { holdRequest, type RunPlan } from './execute.ts';
import { historyBudget, LONGEST_SUMMARY_BYTES } from './history.rules.ts';
import { createHistory, type FittedHistory, type KnownHistory } from './history.ts';
import { packJournal, type RunEvent } from './journal.rules.ts';
import type { Remembered, RunCosts, RunMemory, SearchPassages } from './ports.ts';
import { buildPrompt, type PromptInput, searchQuery } from './prompt.rules.ts';
import { type QueuedRun, takenBackBefore } from './queued.rules.ts';
import { placeMessage } from './queued.store.ts';
import { addressing, bringsContext, type GivenInput, type ParsedContext, samplingOf } from './request.ts';
import { moveRun } from './run-state.store.ts';
import type { ChatRequest, RunStatus } from './schema.ts';
import { createReserve, type SetAside } from './set-aside.ts';
import { type PlanStep, type RunState, startState } from './steps.rules.ts';
import {
  type ChatStore,
  insertConversation,
  insertMessage,
  insertRun,
  markConversation,
  RunLost,
  touchConversation,
} from './store.ts';
import { toolsOf } from './tool-list.ts';
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
  /** Keeps webhooks in step with what is stored. */
  outbox?: EventOutbox<Queryable>;
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
  /** Pays for what is embedded, and knows what has been spent. */
  run: PayingRun;
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
  /** Epoch ms of the question in its conversation: the answer stands behind it, wherever the clock has been set meanwhile. */
  askedAt: number;
  plan: StoredPlan;
  state: RunState;
  /** Events of the start: these stand in the store with the run. */
  events: RunEvent[];
  subject: CostSubject;
  /** What is told of the question, where the transaction that stored it has recorded it. */
  asked: PlatformEvent | null;
  /** Where the run stands in the store, and what of its answer is there: a run that has waited has stored what it had. */
  stored: { status: RunStatus; answered: boolean; costNano: NanoUsd };
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
  spending: { nano: spentNano, calls: 0, going: new Set(), lost: [] },
});

const PASSAGES = 6;

/** What is known for a message, and what pays for finding it. */
interface LookedUp {
  run: PayingRun;
  passages: () => Promise<NumberedPassage[]>;
  memories: () => Promise<Remembered>;
}

const isRefusedCost = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'COST_EXCEEDED';

/** Where nothing may cost. */
const refuse = async (): Promise<never> => {
  throw new AppError('COST_EXCEEDED', 'this must not cost anything');
};

/** Asked once, however many ask. */
const once = <T>(ask: () => Promise<T>): (() => Promise<T>) => {
  let asked: Promise<T> | null = null;
  return () => {
    asked ??= ask();
    return asked;
  };
};

/** What has been spent before the first call: on embeddings, on the choice of the agent, and on a summary. */
const sumOf = (embeddedNano: NanoUsd, ...calls: (FittedHistory['spent'] | null)[]): PlanStep['spent'] => {
  const made = calls.filter((call) => call !== null);
  if (made.length === 0 && embeddedNano === 0) return null;
  return made.reduce(
    (sum, call) => ({
      costNano: addNano(sum.costNano, call.costNano),
      usage: addUsage(sum.usage, call.usage),
    }),
    { costNano: embeddedNano, usage: NO_USAGE },
  );
};

/** What a run has of the one that it goes on with. Results of others' tools are untrusted content. */
const goneOnWith = ({ question, memories, grounded }: PlanStep) => ({
  question,
  memories,
  grounded,
  contextData: true,
  continues: true as const,
});

const NOTHING_REMEMBERED: Remembered = { texts: [], foreign: false };

/** Epoch ms of the newest message of a conversation; 0 where it has none. */
const lastAt = ({ turns, summary }: KnownHistory): number =>
  turns.at(-1)?.created_at ?? summary?.upto_created_at ?? 0;

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

  /** The run that has handed calls to the client, with their results. Throws CONFLICT where it is kept no longer. */
  const continuedRun = async (caller: Caller, { continues }: GivenInput) => {
    if (continues === undefined) return null;
    const handed = await readHanded(store, caller, continues.runId);
    if (handed === null) throw conflict('the run of these calls is kept no longer');
    return { plan: handed.plan, state: withResults(handed, continues.results) };
  };

  /** What can be refused of a message before its turn comes. Throws VALIDATION_ERROR, CONFLICT. */
  const check = async (caller: Caller, context: ParsedContext): Promise<void> => {
    if (context.agentId !== null) await directAgent(caller, context.agentId);
    if (context.model !== null) models.pick(context.model);
  };

  /**
   * `request.conversation_id` has been entered in the queue by the caller of this. Nothing is stored when it throws,
   * so a refusal (402, 404, 409, 422) leaves no trace. Throws `TurnTaken` where another node has the turn all the same.
   */
  const start = async (
    caller: Caller,
    request: ChatRequest,
    context: ParsedContext,
    options: {
      requestId: string;
      streaming: boolean;
      signal: AbortSignal;
      given?: GivenInput | undefined;
      /** Without `request.conversation_id`: the conversation to be made, which has been entered as well. */
      newConversationId?: string;
      /** The message has waited and is stored already: its run begins now. */
      queued?: QueuedRun;
      /** Written with the run; see `LaunchOptions`. */
      accepted?: (tx: Queryable, runId: string) => Promise<void>;
    },
  ): Promise<StartedRun> => {
    const given = options.given ?? {};
    const conversation = await conversationOf(caller, request.conversation_id);
    const conversationId = conversation?.id ?? options.newConversationId ?? newId();
    const { queued } = options;
    const runId = queued?.runId ?? newId();
    const known = await history.known(conversation, given.history);
    const { turns } = known;
    const continued = await continuedRun(caller, given);
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

    const spending: Spending = { nano: 0 };
    const embedded: Spending = { nano: 0 };
    /** Documents and memories for the message, each asked for once; `before` says whether their search may cost. */
    const lookUp = (before: () => Promise<void>): LookedUp => {
      const { agentId } = context;
      const run = { runId, conversationId, agentId, spending, step: embedded, before };
      return {
        run,
        passages: once(async () => {
          const query = searchQuery(request.message, questions);
          const found = await deps.search(caller, query, PASSAGES, run);
          return found.map((passage, i) => ({ n: i + 1, ...passage }));
        }),
        memories: once(() => deps.memory.recall(caller, request.message, run)),
      };
    };
    const preferring = once(() => deps.memory.preferences(caller));
    const contextData = continued !== null || bringsContext(context, given);
    const now = clock.now();
    const sampling = samplingOf(given, deps.maxOutputTokens);
    const outputTokens = sampling?.maxOutputTokens ?? deps.maxOutputTokens;

    /** All that goes to the model but the history. */
    const prepare = async (agent: EffectiveAgent, found: LookedUp) => {
      const model = requestedModel ?? models.resolve(agent.model, '/model');
      const [passages, tools, memories, preferences] = await Promise.all([
        continued !== null
          ? continued.state.passages
          : agent.definition.grounded
            ? found.passages()
            : documentsInReserve(model, request.message, found.passages),
        toolsOf(deps.toolSources, caller, agent),
        continued === null ? found.memories() : NOTHING_REMEMBERED,
        continued === null ? preferring() : NOTHING_REMEMBERED,
      ]);
      const parts: PromptInput = {
        agentName: agent.definition.name,
        charter: agent.definition.charter,
        instructions: agent.instructions,
        clientInstructions: given.instructions ?? null,
        preferences: preferences.texts,
        memories: memories.texts,
        now: iso(now),
        history: [],
        passages,
        data: context.data,
        message: request.message,
      };
      const taint = joinTaint(
        taintOfConversation(conversation),
        given.taint,
        contextData ? ['context'] : [],
        (given.history ?? []).length > 0 ? ['history'] : [],
        continued?.state.taint,
        taintOfPassages(passages ?? []),
        memories.foreign || preferences.foreign ? ['memory'] : [],
        taintOfDescriptions(tools),
      );
      return { agent, model, passages, tools, specs: offeredSpecs(tools, given.client), parts, taint };
    };
    type Prepared = Awaited<ReturnType<typeof prepare>>;

    const boundOf = (messages: ReturnType<typeof buildPrompt>, specs: Prepared['specs']): number =>
      models.promptBound({
        messages,
        ...(specs.length === 0 ? {} : { tools: specs }),
        signal: options.signal,
      });

    const reserve = createReserve(costs, store);
    /** A run that goes on with another's question has its prompt, with the results behind it. */
    const messagesOf = (input: PromptInput): ModelMessage[] =>
      continued === null ? [...buildPrompt(input), ...(given.exchange ?? [])] : continued.state.messages;

    /** Of an answer by this agent, with all of the history that could go along. */
    const setAside = ({ agent, model, parts, specs }: Prepared): SetAside =>
      reserve.of(() => {
        const messages = messagesOf({ ...parts, history: turns, summary: known.summary?.content ?? null });
        const bound = boundOf(messages, specs) + (known.cut ? LONGEST_SUMMARY_BYTES : 0);
        const whose = { ...subject, agentId: agent.definition.id };
        const whole = holdRequest({ models, maxOutputTokens: outputTokens }, whose, model, bound, 0);
        return { ...whole, worstNano: whole.leastNano ?? whole.worstNano };
      });

    const begin = async (prepared: Prepared, choice: RoutedChoice): Promise<StartedRun> => {
      const { agent, model, passages, tools, specs, parts, taint } = prepared;
      const { memories, preferences } = parts;
      subject.agentId = agent.definition.id;
      const fitted = await fitHistory(
        continued === null ? known : { ...known, turns: [], summary: null },
        prepared,
        outputTokens,
        subject,
        spending,
        setAside(prepared),
        options.signal,
      );
      const spent = sumOf(embedded.nano, choice.spent ?? null, fitted.spent);
      const messages = messagesOf({ ...parts, history: fitted.turns, summary: fitted.summary });
      const promptBound = boundOf(messages, specs);
      const hold = holdRequest(
        { models, maxOutputTokens: outputTokens },
        subject,
        model,
        promptBound,
        spending.nano,
      );

      const messageId = queued?.messageId ?? newId();
      const questionId = queued?.questionId ?? newId();
      // A conversation is in the order in which it was held, also where the clock was set back since its last message.
      const takenBack = known.queued.length === 0 ? [] : takenBackBefore(known.queued, queued ?? null);
      const askedAt = Math.max(now, lastAt(known) + 1) + takenBack.length;
      let asked: PlatformEvent | null = null;
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
        const agent_ids = JSON.stringify([agent.definition.id]);
        const journal = JSON.stringify(packJournal(events));
        for (const [i, { id }] of takenBack.entries()) {
          await placeMessage(tx, id, askedAt - takenBack.length + i);
        }
        if (queued !== undefined) {
          const change = { agent_id: agent.definition.id, agent_ids, journal };
          const move = { id: runId, nodeId: store.nodeId, from: 'queued', event: 'begin' } as const;
          if (!(await moveRun(tx, move, change))) throw new RunLost();
          await placeMessage(tx, questionId, askedAt);
          if (isTainted(taint)) await markConversation(tx, { id: conversationId, taint: taintText(taint) });
          await store.claimTurn(tx, conversationId, runId);
          return taken;
        }
        await options.accepted?.(tx, runId);
        const question = { conversationId, runId, questionId, subject };
        const inConversation =
          conversation === null
            ? insertConversation(tx, {
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
                taint: taintText(taint),
              })
            : touchConversation(tx, {
                id: conversationId,
                now,
                taint: isTainted(taint) || conversation.taint === null ? taintText(taint) : null,
              });
        const claimed = conversation === null ? null : store.claimTurn(tx, conversationId, runId);
        const [, , , , recorded] = await together(
          inConversation,
          claimed,
          insertMessage(tx, {
            ...owner,
            id: questionId,
            conversation_id: conversationId,
            role: continued === null ? 'user' : 'tool',
            content: request.message,
            agent_id: null,
            tool_calls: null,
            citations: null,
            usage: null,
            metadata: addressing(context),
            cost_nano: 0,
            run_id: runId,
            created_at: askedAt,
          }),
          insertRun(tx, {
            ...owner,
            id: runId,
            conversation_id: conversationId,
            message_id: messageId,
            question_id: questionId,
            status: 'running',
            agent_id: agent.definition.id,
            agent_ids,
            request: JSON.stringify({
              v: 1,
              context: request.context ?? {},
              streaming: options.streaming,
              ...(given.history === undefined ? {} : { history: given.history }),
              ...(given.instructions === undefined ? {} : { instructions: given.instructions }),
              ...(given.client === undefined ? {} : { client: given.client }),
              ...(given.continues === undefined ? {} : { continues: given.continues.runId }),
            }),
            usage: null,
            cost_nano: 0,
            error: null,
            journal,
            tool_call_count: 0,
            first_token_ms: null,
            created_at: now,
            finished_at: null,
            node_id: store.nodeId,
            credential: credentialText(caller),
          }),
          deps.outbox?.record(
            tx,
            askedEvent(question, request.message, taint, continued === null ? 'user' : 'tool'),
          ) ?? null,
        );
        asked = recorded;
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
        contextData,
        ...(sampling === null ? {} : { sampling }),
        ...(given.client === undefined ? {} : { client: given.client }),
        spent,
        ...(continued === null ? {} : goneOnWith(continued.plan)),
        taint,
      };
      return {
        runId,
        messageId,
        conversationId,
        questionId,
        askedAt,
        plan: planOf(record, agent, model, tools, firstHold, promptBound, spending.nano),
        state: startState(record),
        events,
        subject,
        asked,
        stored: { status: 'running', answered: false, costNano: 0 },
      };
    };

    const choose = (found: LookedUp, asideFor: (agent: EffectiveAgent) => Promise<SetAside>) =>
      context.agentId !== null
        ? directAgent(caller, context.agentId)
        : routed(caller, request.message, turns, found, subject, asideFor, options.signal);

    /** The same start by words alone, without a call that costs. */
    const plain = once(async () => {
      const found = lookUp(refuse);
      const { agent, choice } = await choose(found, refuse);
      return { prepared: await prepare(agent, found), choice };
    });
    let plainIsPaidFor = false;
    // Nothing is embedded before there is money for the answer that could be given without.
    const found = lookUp(
      once(async () => {
        await store.write(setAside((await plain()).prepared));
        plainIsPaidFor = true;
      }),
    );

    try {
      const { agent, choice } = await choose(found, (one) => prepare(one, found).then(setAside));
      const { instead, spent } = choice;
      const paid = spent === undefined ? {} : { spent };
      const other = instead === undefined || instead.agentId === choice.agentId ? undefined : instead;
      return await begin(await prepare(agent, found), choice)
        .catch(async (error: unknown) => {
          if (other === undefined || !isRefusedCost(error)) throw error;
          // The money is there for the router's choice, and set aside.
          const { agent: second } = await directAgent(caller, other.agentId);
          return begin(await prepare(second, found), { ...other, ...paid });
        })
        .catch(async (error: unknown) => {
          if (!plainIsPaidFor || !isRefusedCost(error)) throw error;
          const { prepared, choice: plainChoice } = await plain();
          return begin(prepared, { ...plainChoice, ...paid });
        });
    } catch (error) {
      await reserve.drop();
      throw error;
    }
  };

  /** Everything but the history is there: what room that leaves decides how much of it goes along. */
  const fitHistory = (
    known: KnownHistory,
    { parts, specs, model }: { parts: PromptInput; specs: ReturnType<typeof offeredSpecs>; model: ModelRef },
    outputTokens: number,
    subject: CostSubject,
    spending: Spending,
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
    return history.fit(known, budget, model, subject, spending, setAside, signal);
  };

  const routed = async (
    caller: Caller,
    text: string,
    turns: readonly { role: string; agent_id: string | null }[],
    found: LookedUp,
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
      documentsFit: async () => (await found.passages())[0]?.score ?? 0,
      subject,
      run: found.run,
      setAside: (agentId) => setAside(enabled(agentId)),
      signal,
    });
    return { agent: enabled(choice.agentId), choice };
  };

  return { start, check, conversationOf };
};

export type Starter = ReturnType<typeof createStarter>;
