import type { Caller } from '../../kernel/caller.ts';
import type { PayingRun } from '../../kernel/spending.ts';
import type { ToolPassage } from '../../kernel/tools.ts';
import type { Costs } from '../costs/index.ts';

/** What a chat run needs of its neighbours; handed over in `compose.ts`. */

/** Reservation and ledger, as the costs feature gives them. */
export type RunCosts = Pick<Costs, 'hold' | 'settle' | 'spentOfRun'>;

/** Search of the caller's documents for the run. */
export type SearchPassages = (
  caller: Caller,
  query: string,
  limit: number,
  paying: PayingRun | undefined,
) => Promise<ToolPassage[]>;

/** Short texts for a prompt, and whether somebody else than the caller has written one of them. */
export interface Remembered {
  texts: readonly string[];
  foreign: boolean;
}

/** What is remembered of and for the caller. */
export interface RunMemory {
  recall(caller: Caller, query: string, paying: PayingRun | undefined): Promise<Remembered>;
  preferences(caller: Caller): Promise<Remembered>;
  /** After a turn was stored; never fails the run. */
  observe(turn: { caller: Caller; conversationId: string; messageId: string; text: string }): void;
}
