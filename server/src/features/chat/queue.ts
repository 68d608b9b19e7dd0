import { conflict } from '../../kernel/errors.ts';

/**
 * One run at a time per conversation: a second message waits its turn, so that history stays in pairs of question and
 * answer; with `Prefer: no-wait` it is refused instead.
 */
export const createConversationQueue = () => {
  const tails = new Map<string, Promise<void>>();

  return {
    /** Resolves when it is the caller's turn, with the function that lets the next one in. */
    async enter(conversationId: string, wait: boolean): Promise<() => void> {
      const before = tails.get(conversationId);
      if (before !== undefined && !wait) throw conflict('this conversation is busy with an earlier message');
      let leave: () => void = () => {};
      const own = new Promise<void>((resolve) => {
        leave = resolve;
      });
      const tail = before === undefined ? own : before.then(() => own);
      tails.set(conversationId, tail);
      if (before !== undefined) await before;
      return () => {
        leave();
        if (tails.get(conversationId) === tail) tails.delete(conversationId);
      };
    },
  };
};

export type ConversationQueue = ReturnType<typeof createConversationQueue>;
