import type { Decisions } from '../../../kernel/decisions.ts';

/** Another node may have decided, or made the call. */
const LOOK_AGAIN_MS = 500;

/** Wakes calls that wait for a proposal: when this process hears of its decision, and else every half second. */
export const createDecisionWatch = (decisions: Pick<Decisions, 'subscribe'>) => {
  const waiting = new Map<string, Set<() => void>>();
  decisions.subscribe((id) => {
    for (const wake of waiting.get(id) ?? []) wake();
  });
  return (proposalId: string, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const wakers = waiting.get(proposalId) ?? new Set();
      waiting.set(proposalId, wakers);
      const timer = setTimeout(() => wake(), LOOK_AGAIN_MS);
      const wake = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        wakers.delete(wake);
        if (wakers.size === 0) waiting.delete(proposalId);
        resolve();
      };
      wakers.add(wake);
      signal.addEventListener('abort', wake, { once: true });
      if (signal.aborted) wake();
    });
};
