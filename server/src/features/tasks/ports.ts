import type { Queryable } from '../../db/db.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Taint } from '../../kernel/taint.ts';

/** What tasks need of their neighbours; handed over in `module.ts`. */

/** A chat run as a task follows it. */
export interface TaskChatRun {
  runId: string;
  conversationId: string;
  agentId: string;
  /** Tells of tools that start and of text that comes. */
  onProgress(listener: (progress: { tool: string } | { characters: number }) => void): () => void;
  /** The answer, or what stands when the run has to wait for an approval. Rejects with the run's error. */
  done: Promise<ChatOutcome>;
}

export interface ChatOutcome {
  content: string;
  messageId: string;
  costNano: number;
  finishReason: 'stop' | 'length' | 'cancelled' | 'awaiting_approval' | 'cost_exceeded';
}

/** The state of a run that waits for an approval: it goes on elsewhere. */
export type WaitingOutcome =
  | { state: 'waiting' }
  | { state: 'running' }
  | { state: 'ended'; outcome: ChatOutcome }
  | { state: 'failed'; error: { code: string; message: string } };

export interface TaskChat {
  /** Starts a run in a conversation of its own. Throws what POST chat would refuse with. */
  start(
    caller: Caller,
    request: { message: string; context: Record<string, unknown> },
    how: {
      /** The task was made by a run with untrusted content. */
      tainted: boolean;
      /** Written in the transaction that stores the run. */
      accepted(tx: Queryable, runId: string): Promise<void>;
    },
  ): Promise<TaskChatRun>;
  /** Stops a run on whichever node; false when it does not go on here. */
  cancel(caller: Caller, runId: string): Promise<boolean>;
  /** What stands in a conversation, by the transaction's own sight; null: there is no such one any more. */
  taintOf(db: Queryable, conversationId: string): Promise<Taint | null>;
  lookUp(caller: Caller, runId: string): Promise<WaitingOutcome>;
}
