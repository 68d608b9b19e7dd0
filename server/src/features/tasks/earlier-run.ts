import type { Caller } from '../../kernel/caller.ts';
import { AppError } from '../../kernel/errors.ts';
import { orAborted } from '../../kernel/races.ts';
import type { ChatOutcome, TaskChat } from './ports.ts';

const LOOK_EVERY_MS = 1_000;

/** The run of an attempt that a dead process left, where the chat has taken it up: it is followed, not repeated. */
export const followEarlier = async (
  chat: Pick<TaskChat, 'lookUp'>,
  caller: Caller,
  runId: string,
  signal: AbortSignal,
): Promise<ChatOutcome | null> => {
  for (;;) {
    const found = await chat.lookUp(caller, runId).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'NOT_FOUND') return null;
      throw error;
    });
    if (found === null || found.state === 'failed') return null;
    if (found.state === 'ended') return found.outcome;
    if (found.state === 'waiting') {
      return { content: '', messageId: '', costNano: 0, finishReason: 'awaiting_approval' };
    }
    await orAborted(new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS)), signal);
  }
};
