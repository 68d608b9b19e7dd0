import type { Caller } from '../../kernel/caller.ts';
import type { RunLoop } from './run/run.ts';
import type { RunEvents } from './run-events.ts';
import type { ChatResponse, Run } from './schema.ts';

/** A run going on in this process. */
export interface ActiveRun {
  runId: string;
  conversationId: string;
  messageId: string;
  agentId: string;
  events: RunEvents;
  abort: AbortController;
  /** The answer, or the error of a failed run. */
  done: Promise<ChatResponse>;
  /** What stands when the run has to wait for a decision; never settles where it does not. */
  waits: Promise<ChatResponse>;
  /** What the run has spent so far, with all that it has delegated. */
  spending: RunLoop['plan']['spending'];
  /** Of a chat that is stored nowhere; null: the run has its row. */
  temporary: (Pick<Caller, 'tenantId' | 'userId'> & { view(): Run }) | null;
}
