import type { Caller } from '../../kernel/caller.ts';

/** A run that a `chat.send` has started, as far as the socket follows it. */
export interface LaunchedRun {
  runId: string;
  conversationId: string;
  /** Id of the answer. */
  messageId: string;
  /** Calls back with the text that is there and that comes, and once at the end; returns how to stop that. */
  onDelta(onDelta: (delta: { agentId: string; content: string }) => void, onEnd: () => void): () => void;
  /** Settles when the run has ended, whichever way. */
  done: Promise<unknown>;
}

/** Starts a run as POST chat/stream does; `request` is unchecked. Throws what a refusal over HTTP would be. */
export type ChatSend = (caller: Caller, request: Record<string, unknown>) => Promise<LaunchedRun>;
