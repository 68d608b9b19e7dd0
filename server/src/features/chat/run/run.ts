import type { ConversationRow } from '../../../db/tables/chat.ts';
import type { Caller } from '../../../kernel/caller.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Decision } from '../../../kernel/decisions.ts';
import type { AppError } from '../../../kernel/errors.ts';
import type { ModelRef, ToolSpec } from '../../../kernel/model.ts';
import type { NanoUsd } from '../../../kernel/money.ts';
import type { SentPictures } from '../../../kernel/picture.ts';
import type { PayingRun, Spending } from '../../../kernel/spending.ts';
import type { CallerFor } from '../../../kernel/stored-credential.ts';
import type { Taint } from '../../../kernel/taint.ts';
import type {
  AgentTool,
  AgentWork,
  ToolContext,
  ToolGate,
  ToolLedger,
  ToolPassage,
  ToolSource,
} from '../../../kernel/tools.ts';
import type { AgentService, EffectiveAgent } from '../../agents/index.ts';
import type { CostSubject, Costs, Hold, LedgerEntry } from '../../costs/index.ts';
import type { Models } from '../../models/index.ts';
import type { createReserve } from '../budget.ts';
import type { NumberedPassage } from '../citations.rules.ts';
import type { RunEvent } from '../journal.rules.ts';
import type { AttachedDocument, ChooseAgent, RunMemory } from '../ports.ts';
import type { buildPrompt } from '../prompt.rules.ts';
import type { Place } from '../queue.ts';
import type { GivenInput, LaunchOptions, parseContext } from '../request.ts';
import type { RunEvents } from '../run-events.ts';
import type { ChatRequest, FinishReason, RunStatus } from '../schema.ts';
import type { PlanStep, RunState } from '../steps.rules.ts';
import type { ChatStore } from '../store.ts';

/** A run from its message to its answer, as the steps in `steps/` hand it on: `Asking`, `Prompt`, `StartedRun`, `RunLoop`, `RunResult`. */

/** What the steps before the first write need of the platform. */
export interface StartDeps {
  store: ChatStore;
  agents: AgentService;
  choose: ChooseAgent;
  models: Models;
  costs: Pick<Costs, 'hold' | 'settle' | 'spentOfRun'>;
  /** Of the caller's documents; `within`: in these alone. */
  search(
    caller: Caller,
    query: string,
    limit: number,
    paying: PayingRun | undefined,
    within?: readonly string[],
  ): Promise<ToolPassage[]>;
  /** Those of these ids that the caller can read. */
  documents(caller: Caller, ids: readonly string[]): Promise<readonly AttachedDocument[]>;
  /** Those of these that are pictures of a size that can be shown, with their bytes. */
  documentPictures(
    caller: Caller,
    ids: readonly string[],
  ): Promise<readonly { id: string; title: string; bytes: Uint8Array }[]>;
  memory: RunMemory;
  toolSources: readonly ToolSource[];
  clock: Clock;
  maxOutputTokens: number;
  maxMessageCharacters: number;
  /** Most tokens of history that go along. */
  maxHistoryTokens: number;
  /** Most tokens of tools that go along unasked; see `offer.ts`. */
  maxToolTokens: number;
  onError(error: unknown, message: string): void;
}

/** What the steps of the loop need of it. */
export interface RunDeps {
  models: Models;
  costs: StartDeps['costs'];
  gate: ToolGate;
  toolLedger: ToolLedger;
  store: Pick<ChatStore, 'write' | 'hold' | 'pictures'>;
  clock: Clock;
  maxOutputTokens: number;
  maxToolTokens: number;
  toolTimeoutMs: number;
  callerOf: CallerFor;
}

/** A message for which a run is wanted, by whichever API it came. */
export interface RunMessage extends Omit<LaunchOptions, 'wait' | 'given'> {
  caller: Caller;
  request: ChatRequest;
  context: ReturnType<typeof parseContext>;
  signal: AbortSignal;
  given?: GivenInput | undefined;
  /** Documents that were sent with it. */
  attached: readonly AttachedDocument[];
  /** What is shown with it; absent: nothing. */
  pictures?: SentPictures;
  /** Without `request.conversation_id`: the conversation to be made, which has been entered in the queue as well. */
  newConversationId?: string;
  /** The message has waited and is stored already: its run begins now. */
  queued?: QueuedRun;
}

interface QueuedRun {
  runId: string;
  messageId: string;
  questionId: string;
  conversationId: string;
  /** The message that it follows by name; absent: the leaf of the active branch at its turn. */
  parent?: string | null | undefined;
  /** Where it stands; `at` is the time of its acceptance. */
  place: Place;
}

/** A run that is not stored yet: its message in its conversation, and what pays for finding its answer. */
export interface Asking {
  message: RunMessage;
  given: GivenInput;
  runId: string;
  /** Null for a new one. */
  conversation: ConversationRow | null;
  conversationId: string;
  now: number;
  requestedModel: ModelRef | null;
  sampling: PlanStep['sampling'] | null;
  /** The output cap of its calls. */
  outputTokens: number;
  subject: CostSubject;
  spending: Spending;
  /** The part of it that went into embeddings. */
  embedded: Spending;
  reserve: ReturnType<typeof createReserve>;
}

/** All that goes to the model but the history. */
export interface Prompt {
  agent: EffectiveAgent;
  model: ModelRef;
  passages: NumberedPassage[] | null;
  tools: readonly AgentTool[];
  specs: readonly ToolSpec[];
  parts: Parameters<typeof buildPrompt>[0];
  taint: Taint;
  noted: readonly string[];
}

interface RunPlan {
  agent: EffectiveAgent;
  model: ModelRef;
  /** The person's own words. */
  question: string;
  memories: readonly string[];
  /** What the memory will keep of the question; of the first start alone. */
  noted?: readonly string[];
  /** The documents were searched for this run. */
  grounded: boolean;
  tools: readonly AgentTool[];
  /** In place of `tools`, of a run that goes on after a restart: those that are there once their servers had time to connect. */
  toolsAgain?: (asked: readonly string[], signal: AbortSignal) => Promise<readonly AgentTool[]>;
  /** The reservation of the first call, where it was taken in the same write as the question. */
  firstHold: Hold | null;
  /** `models.promptBound` of the first call, where it has been measured. */
  promptBound: number | null;
  streaming: boolean;
  /** What a step row keeps of the start, for a run that has to go on later; null for a loop inside of another's tool. */
  record: PlanStep | null;
  /** What all loops of one run have spent together, for the run's limit. */
  spending: RunSpending;
  /** Bytes of new pictures as base64 by their ids: nothing else has them yet, of a temporary chat nothing ever. */
  pictures?: ReadonlyMap<string, string>;
}

/** What all loops of one run have spent together, for the run's limit, and what they have read. */
interface RunSpending {
  nano: NanoUsd;
  /** Model calls of all loops. */
  calls: number;
  /** Rows that have been kept of calls under way (`partials.ts`). */
  kept: number;
  /** Loops of other agents that have not come to rest. */
  going: Set<Promise<unknown>>;
  /** What they did for calls that were given up before they ended. */
  lost: AgentWork[];
  /** The untrusted content that any of them holds, as soon as it has it: calls of one answer run side by side. */
  taint: Taint;
}

/** A stored run with all that its execution needs; made by a request, or read back after a restart. */
export interface StartedRun {
  runId: string;
  messageId: string;
  conversationId: string;
  questionId: string;
  /** The message that the question follows. */
  parentId: string | null;
  /** Epoch ms of the question in its conversation: the answer stands behind it, wherever the clock has been set meanwhile. */
  askedAt: number;
  /** The question had been answered before: the new answer leads the active branch. */
  again: boolean;
  /** Nothing of it is stored but what it costs (`temporary.ts`). */
  temporary: boolean;
  /** A run of its own keeps its record. */
  plan: RunPlan & { record: PlanStep };
  state: RunState;
  /** Events of the start: these stand in the store with the run. */
  events: RunEvent[];
  subject: CostSubject;
  /** Where the run stands in the store, and what of its answer is there: a run that has waited has stored what it had. */
  stored: { status: RunStatus; answered: boolean; costNano: NanoUsd };
}

/** What happens around a run that waits for decisions; a loop within another's tool has none: it ends as it stands instead. */
interface RunHooks {
  /** The run is about to wait: the answer so far is stored and whoever waits for it is told. */
  waiting(state: RunState): Promise<void>;
  /** Resolves with the decision; rejects when the run is stopped. */
  decision(proposalId: string): Promise<Decision>;
  /** All decisions are there: the run takes its turn again. */
  resumed(state: RunState): Promise<void>;
}

interface RunResult {
  state: RunState;
  finishReason: FinishReason;
  /** The model that answered last. */
  model: ModelRef;
  /** The last call's reservation and ledger rows, to be settled in the same write as the answer. */
  open: {
    hold: Hold | null;
    entries: LedgerEntry[];
    /** What is kept of the call (`partials.ts`): it goes with the write that settles it. */
    kept: string | null;
  };
  /** Set where the run failed; what had come by then is in the state. */
  error: AppError | null;
}

/** The loop of a run: model, tools, model, … until an answer stands, a limit is met or somebody stops it. */
export interface RunLoop {
  plan: RunPlan;
  state: RunState;
  subject: CostSubject;
  context: ToolContext;
  events: RunEvents;
  hooks: RunHooks | null;
  result: RunResult;
  /** What the model is told of tools; more after each finding. */
  specs: readonly ToolSpec[];
  startedAt: number;
  /** What the conversation's row says already. */
  marked: Taint;
  /** The first call may have been measured for its reservation; after each step the prompt is longer. */
  promptBound: number | null;
}
