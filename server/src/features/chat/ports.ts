import type { Along } from '../../db/db.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { ModelUsage } from '../../kernel/model.ts';
import type { NanoUsd } from '../../kernel/money.ts';
import type { PayingRun } from '../../kernel/spending.ts';
import type { EffectiveAgent, RouteChoice } from '../agents/index.ts';
import type { CostSubject } from '../costs/index.ts';

/** What a chat run needs of its neighbours; handed over in `module.ts`. */

/** A choice, and what a model that was asked for it has cost. */
interface RoutedChoice extends RouteChoice {
  spent?: { costNano: NanoUsd; usage: ModelUsage };
  /** The built-in router's choice, where a model has made another. */
  instead?: RouteChoice;
}

/** Picks the agent of a message that names none. */
export type ChooseAgent = (input: {
  caller: Caller;
  text: string;
  agents: ReadonlyMap<string, EffectiveAgent>;
  previousAgentId: string | null;
  documentsFit: () => Promise<number>;
  /** What was said last, oldest first. */
  turns: readonly { role: 'user' | 'assistant'; content: string }[];
  /** Names of the tools that the caller may use through an agent. */
  toolsOf: (agent: EffectiveAgent) => Promise<readonly string[]>;
  subject: CostSubject;
  /** Pays for what is embedded, and knows what has been spent. */
  run: PayingRun;
  /** Called before a model is asked, for what reserves the answer beside it (`createReserve`). */
  setAside: (agentId: string) => Promise<Along>;
  signal: AbortSignal;
}) => Promise<RoutedChoice>;

/** A document that a message is about. */
export interface AttachedDocument {
  id: string;
  title: string;
  /** An administrator has vouched for its content. */
  trusted: boolean;
}

/** Short texts for a prompt, and whether somebody else than the caller has written one of them. */
interface Remembered {
  texts: readonly string[];
  foreign: boolean;
}

/** What is remembered of and for the caller. */
export interface RunMemory {
  recall(caller: Caller, query: string, paying: PayingRun | undefined): Promise<Remembered>;
  preferences(caller: Caller): Promise<Remembered>;
  /** The facts that `observe` will keep of a message, as one line each. */
  factsIn(caller: Caller, text: string): Promise<string[]>;
  /** After a turn was stored; never fails the run. */
  observe(turn: { caller: Caller; conversationId: string; messageId: string; text: string }): void;
}
