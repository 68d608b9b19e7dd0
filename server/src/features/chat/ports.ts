import type { Queryable } from '../../db/db.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { ModelUsage } from '../../kernel/model.ts';
import type { NanoUsd } from '../../kernel/money.ts';
import type { ToolPassage } from '../../kernel/tools.ts';

/** What a chat run needs of its neighbours; handed over in `compose.ts`. */

export interface LedgerEntry {
  kind: 'model' | 'embedding' | 'tool';
  agentId: string | null;
  model: string | null;
  tool: string | null;
  usage: ModelUsage | null;
  costNano: NanoUsd;
  estimated: boolean;
}

export interface CostSubject {
  tenantId: string;
  userId: string;
  agentId: string | null;
  conversationId: string | null;
  runId: string;
  requestId: string;
}

/** An open reservation; opaque to the run. */
export interface CostHold {
  readonly id: string;
}

export interface RunCosts {
  /** Reserves the worst case of a call. Throws COST_EXCEEDED. `runUsedNano`: what the run has used so far. */
  hold(tx: Queryable, subject: CostSubject, worstNano: NanoUsd, runUsedNano: NanoUsd): Promise<CostHold>;
  /** Ends a reservation with what was really used; null where nothing had been reserved (a call that costs nothing). */
  settle(
    tx: Queryable,
    subject: CostSubject,
    hold: CostHold | null,
    entries: readonly LedgerEntry[],
  ): Promise<void>;
  /** What may still be reserved; null without a limit. */
  room(subject: CostSubject, runUsedNano: NanoUsd): Promise<NanoUsd | null>;
  /** Tells limits that were reached and the like, after the commit. */
  committed(subject: CostSubject): void;
}

/** Search of the caller's documents for the run. */
export type SearchPassages = (caller: Caller, query: string, limit: number) => Promise<ToolPassage[]>;

/** What is remembered of and for the caller, as short texts. */
export interface RunMemory {
  recall(caller: Caller, query: string): Promise<readonly string[]>;
  preferences(caller: Caller): Promise<readonly string[]>;
  /** After a turn was stored; never fails the run. */
  observe(turn: { caller: Caller; conversationId: string; messageId: string; text: string }): void;
}
