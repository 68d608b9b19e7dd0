import { setTimeout as delay } from 'node:timers/promises';
import type { NodeLocks } from '../../kernel/cluster.ts';
import { conflict } from '../../kernel/errors.ts';

const busy = () => conflict('this conversation is busy with an earlier message');

/** How often a message looks whether another node has done with its conversation. */
const LOOK_MS = 50;

/**
 * One run at a time per conversation: a second message waits its turn, so that history stays in pairs of question and
 * answer; with `Prefer: no-wait` it is refused instead. Messages of one node keep their order; between nodes (`locks`)
 * whoever looks first is next.
 */
export const createConversationQueue = (locks: NodeLocks | null = null) => {
  const tails = new Map<string, Promise<void>>();

  const enterHere = async (conversationId: string, wait: boolean): Promise<() => void> => {
    const before = tails.get(conversationId);
    if (before !== undefined && !wait) throw busy();
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
  };

  const enterEverywhere = async (
    everywhere: NodeLocks,
    conversationId: string,
    wait: boolean,
  ): Promise<() => void> => {
    for (;;) {
      const release = await everywhere.take(`conversation:${conversationId}`);
      if (release !== null) return () => void release();
      if (!wait) throw busy();
      await delay(LOOK_MS);
    }
  };

  return {
    /** Resolves when it is the caller's turn, with the function that lets the next one in. */
    async enter(conversationId: string, wait: boolean): Promise<() => void> {
      const leave = await enterHere(conversationId, wait);
      if (locks === null) return leave;
      try {
        const release = await enterEverywhere(locks, conversationId, wait);
        let left = false;
        return () => {
          if (left) return;
          left = true;
          release();
          leave();
        };
      } catch (error) {
        leave();
        throw error;
      }
    },
  };
};

export type ConversationQueue = ReturnType<typeof createConversationQueue>;
